import type { RunJournal } from '../catalogue/journal.js';
import { patternsIn } from '../views/patterns-in.js';
import type { Call } from './command.js';
import { openExisting } from './workplace.js';

/** The journals of some runs, with the patterns in them. */
export async function journalsOf(
  { place }: Pick<Call, 'place'>,
  runs: readonly string[],
): Promise<readonly RunJournal[]> {
  const workplace = await openExisting(place, runs[0] ?? '');
  try {
    const journals: RunJournal[] = [];
    for (const run of runs) {
      const entries = await workplace.desk.entries(run);
      journals.push({ run, entries, spans: patternsIn(entries) });
    }
    return journals;
  } finally {
    await workplace.close();
  }
}

/** The newest runs of an agent that have ended. */
export async function runsOf({ place }: Pick<Call, 'place'>, agent: string, limit: number): Promise<readonly string[]> {
  const workplace = await openExisting(place, agent);
  try {
    const { runs } = await workplace.desk.list({ agent, limit });
    return runs
      .filter(({ status }) => status === 'done' || status === 'degraded' || status === 'bounded')
      .map(({ id }) => id);
  } finally {
    await workplace.close();
  }
}
