import { append, type Prompt } from '../core/prompt.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Breach } from './constraint-guard.js';
import type { Framing } from './constraints.js';

export type WithinLimits =
  | { readonly kind: 'kept'; readonly text: string; readonly retries: number }
  /** What the model said is not shown: only which items it breached. */
  | { readonly kind: 'refused'; readonly breaches: readonly Breach[]; readonly retries: number };

export interface AskWithin {
  readonly session: Session;
  readonly framing: Framing;
  /** Reads outputs for what no pattern finds. */
  readonly reader?: Session;
  readonly input: Prompt;
  /** Replies after the first one: 1. */
  readonly retries?: number;
}

/** Asks under the constraints. A reply that breaches one is asked for again, and refused when the retries are used up. */
export async function askWithin(run: Run, given: AskWithin): Promise<WithinLimits> {
  const { framing, retries = 1 } = given;
  const session: Session = { ...given.session, setup: framing.frame(given.session.setup) };
  const guard = framing.guard(given.reader);
  if (framing.guardOnly.length > 0)
    run.note({ kind: 'constraints', version: framing.version, told: framing.ids, guardOnly: framing.guardOnly });
  let input = given.input;
  for (let retry = 0; ; retry++) {
    const reply = await run.ask(session, input);
    const breaches = await guard.review(run, reply.text);
    if (breaches.length === 0) return { kind: 'kept', text: reply.text, retries: retry };
    run.note({ kind: 'constraint-breach', version: framing.version, ids: breaches.map(({ id }) => id), retry });
    if (retry >= retries) return { kind: 'refused', breaches, retries: retry };
    const ids = breaches.map(({ id }) => id).join(', ');
    input = append(reply.prompt, { role: 'user', content: `That breaches ${ids}. Answer again without it.` });
  }
}
