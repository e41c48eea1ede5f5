import type { ActFate } from '../core/act-record.js';
import type { Outcome } from '../core/outcome.js';

const MOST_SHOWN = 10;
const FATES: Readonly<Record<ActFate, string>> = {
  'took-place': 'took place',
  refused: 'was refused',
  failed: 'failed',
  'in-doubt': 'is in doubt: nobody knows whether it took place',
  simulated: 'was only simulated',
};

/** What the run did, from its journal: whatever its answer says, this is what took place. */
export function actLines({
  acts = [],
  actsLeftOut = 0,
}: Pick<Outcome<unknown>, 'acts' | 'actsLeftOut'>): readonly string[] {
  const lines = acts.slice(-MOST_SHOWN).map(({ name, what, undone, brief }) => {
    const fate = undone === true ? 'took place, and its changes were undone' : FATES[what];
    return `${name} ${fate}${brief === undefined ? '' : ` (${brief.replaceAll(/\s+/g, ' ')})`}`;
  });
  const more = acts.length - lines.length + actsLeftOut;
  return acts.length === 0 || more === 0 ? lines : [...lines, `and ${more} more`];
}
