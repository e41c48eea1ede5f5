import type { PromptPiece, RunJournal } from '../catalogue/journal.js';
import { FlyballError } from '../core/errors.js';
import type { Entry } from '../core/events.js';
import { linksOf } from '../core/prompt.js';
import type { Runtime } from '../runtime/runtime.js';
import { patternsIn } from '../views/patterns-in.js';
import type { Call } from './command.js';
import { openDatabaseThere, openExisting } from './workplace.js';

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
      journals.push({
        run,
        entries,
        spans: patternsIn(entries),
        prompts: await promptsOf(workplace.desk, run, entries),
      });
    }
    return journals;
  } finally {
    await workplace.close();
  }
}

/** What was asked in a run, by the tip of each call. */
async function promptsOf(
  desk: Pick<Runtime, 'prompt'>,
  run: string,
  entries: readonly Entry[],
): Promise<NonNullable<RunJournal['prompts']>> {
  const prompts = new Map<string, readonly PromptPiece[]>();
  for (const { event } of entries) {
    if (event.type !== 'ask-start' || prompts.has(event.tip)) continue;
    prompts.set(
      event.tip,
      linksOf(await desk.prompt(run, event.tip)).map(({ segment }) => segment),
    );
  }
  return prompts;
}

/** The newest runs of an agent that ended with a value. Without any run of it there is nothing to read. */
export async function runsOf({ place }: Pick<Call, 'place'>, agent: string, limit: number): Promise<readonly string[]> {
  const workplace = await openDatabaseThere(place);
  try {
    const { runs } = await workplace.desk.list({ agent, limit });
    if (runs.length === 0)
      throw new FlyballError('RUN_NOT_FOUND', `The database ${place.database} has no run of an agent "${agent}".`);
    return runs
      .filter(({ status }) => status === 'done' || status === 'degraded' || status === 'bounded')
      .map(({ id }) => id);
  } finally {
    await workplace.close();
  }
}
