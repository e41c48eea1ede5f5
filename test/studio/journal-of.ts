import type { Entry } from '../../packages/flyball/src/core/events.js';
import {
  askEnd,
  askStart,
  attemptStart,
  complete,
  intent,
  JournalBuilder,
  phase,
  runStart,
} from '../../packages/flyball/src/views/fixtures.test-data.js';

/** A long run: `effects` model calls and tools in phases, two entries each. */
export function longJournal(effects: number): readonly Entry[] {
  const journal = new JournalBuilder();
  journal.add(runStart(), attemptStart(1));
  for (let n = 0; n < effects; n++) {
    if (n % 200 === 0) journal.add(phase(`BATCH ${n / 200}`));
    if (n % 4 === 0) {
      journal.after(20).add(askStart(`#${n}`));
      journal.after(90).add(askEnd(`#${n}`));
    } else {
      journal.after(2).add(intent(`#${n}`, 'index'));
      journal.after(9).add(complete(`#${n}`, { ok: true }));
    }
  }
  return journal.entries;
}
