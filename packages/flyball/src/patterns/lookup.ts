import type { Outcome } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Evidence } from '../core/work.js';
import { passedOn } from '../kit/passed-on.js';
import { runPart } from '../kit/seat.js';
import type { Retriever } from '../ports/retriever.js';

/** Finds evidence: a retriever, or an agent where finding needs a model. */
export type Lookup = Retriever | Agent<string, readonly Evidence[]>;

/** What a lookup found, or how it ended without. */
export type LookedUp = { readonly evidence: readonly Evidence[] } | { readonly ended: Outcome<never> };

/** A retrieval is an effect of the run: asked once, and answered by the journal after a crash. */
export async function lookUp(run: Run, lookup: Lookup, query: string, limit: number): Promise<LookedUp> {
  if (typeof lookup === 'function') {
    const found = await runPart(run, lookup, query);
    return 'value' in found ? { evidence: found.value.slice(0, limit) } : { ended: passedOn(found) };
  }
  const evidence = await run.step(
    'retrieve',
    { retriever: lookup.name, query, limit },
    (_input, { signal }) => lookup.retrieve(query, { limit, signal }),
    'pure',
  );
  return { evidence };
}
