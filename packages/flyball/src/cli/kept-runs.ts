import type { KeptRun } from '../operation/removal.js';
import { plural } from './amounts.js';
import { printable } from './printable.js';
import type { Screen } from './screen.js';

const MOST_SHOWN = 20;

/** Says which runs stayed although they were to go, and how many of them because they changed meanwhile. */
export function tellKept(screen: Pick<Screen, 'line'>, kept: readonly KeptRun[]): void {
  const changed = kept.filter((each) => each.changed).length;
  if (changed > 0)
    screen.line(
      `${plural(changed, 'run')} changed after the selection and stayed. Run the command again to select anew.`,
    );
  for (const { id, why } of kept.slice(0, MOST_SHOWN)) screen.line(`  ${id} stays: ${printable(why)}`);
  if (kept.length > MOST_SHOWN) screen.line(`  and ${kept.length - MOST_SHOWN} more stay; --json lists all of them`);
}
