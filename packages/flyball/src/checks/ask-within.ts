import { askUntil, type Read } from '../core/ask-until.js';
import type { Prompt } from '../core/prompt.js';
import type { Run } from '../core/run.js';
import type { Reply, Session } from '../core/session.js';
import type { Breach } from './constraint-guard.js';
import type { Constraints } from './constraints.js';

/** An answer that respects all prohibitions, or the ones it violates. */
export type WithinLimits =
  | { readonly kind: 'kept'; readonly text: string; readonly reasks: number }
  /** What the model said is not shown: only which items it breached. */
  | { readonly kind: 'refused'; readonly breaches: readonly Breach[]; readonly reasks: number };

/** A question whose answer must respect prohibitions. */
export interface AskWithin {
  readonly session: Session;
  readonly framing: Constraints;
  /** Reads outputs for what no pattern finds. */
  readonly reader?: Session;
  readonly input: Prompt;
  /** Replies after the first one: 2 where it is absent. */
  readonly maxReasks?: number;
}

/** Asks under the constraints. A reply that breaches one is asked for again, and refused after the last re-ask. */
export async function askWithin(run: Run, given: AskWithin): Promise<WithinLimits> {
  const { framing } = given;
  const session: Session = { ...given.session, setup: framing.frame(given.session.setup) };
  const guard = framing.guard(given.reader);
  if (framing.guardOnly.length > 0)
    run.note({ kind: 'constraints', version: framing.version, told: framing.ids, guardOnly: framing.guardOnly });
  let breaches: readonly Breach[] = [];
  const read = async ({ text }: Reply<string>): Promise<Read<string>> => {
    breaches = await guard.review(run, text);
    if (breaches.length === 0) return { ok: true, value: text };
    const ids = breaches.map(({ id }) => id);
    run.note({ kind: 'constraint-breach', version: framing.version, ids });
    return { ok: false, problem: `It breaches ${ids.join(', ')}.` };
  };
  const asked = await askUntil(run, session, given.input, read, given.maxReasks);
  const reasks = asked.tries - 1;
  return asked.ok ? { kind: 'kept', text: asked.value, reasks } : { kind: 'refused', breaches, reasks };
}
