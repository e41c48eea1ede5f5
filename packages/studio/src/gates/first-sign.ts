import type { Entry } from '../../../flyball/src/core/events.js';
import type { RunModel } from '../run/run-model.js';

/**
 * Whether a run has an entry of a kind, asked again at every change: what was looked at is not looked at again. Of all
 * entries, those that a fork inherited among them and not only those that are shown, so that a tab stays where it is while the slider moves.
 */
export function firstSign(isOne: (entry: Entry) => boolean): (model: RunModel) => boolean {
  const looked = new WeakMap<RunModel, { found: boolean; count: number }>();
  const taken = new WeakMap<readonly Entry[], boolean>();
  return (model) => {
    const before = model.inherited.value.entries;
    const inherits = taken.get(before) ?? before.some(isOne);
    taken.set(before, inherits);
    if (inherits) return true;
    const entries = model.entries.value;
    const known = looked.get(model) ?? { found: false, count: 0 };
    for (; !known.found && known.count < entries.length; known.count++) {
      const entry = entries[known.count];
      known.found = entry !== undefined && isOne(entry);
    }
    looked.set(model, known);
    return known.found;
  };
}

export function isNote({ event }: Entry, ...kinds: readonly string[]): boolean {
  return event.type === 'note' && kinds.includes(event.event.kind);
}

const JUDGED: readonly string[] = ['guard-decision', 'guard-refused'];
const JUDGING = ['exit', 'control', 'step-validation', 'constraint-breach', 'edge-cases', 'plan-review', 'decision'];

/** Something that judged, allowed or refused. */
export function isJudgement(entry: Entry): boolean {
  const { event } = entry;
  if (event.type === 'wait-start') return event.kind !== 'signal';
  return JUDGED.includes(event.type) || isNote(entry, ...JUDGING);
}
