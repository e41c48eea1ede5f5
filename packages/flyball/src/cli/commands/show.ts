import type { Command } from 'commander';
import { FlyballError } from '../../core/errors.js';
import type { Entry } from '../../core/events.js';
import { summarise } from '../../views/summary.js';
import { asOf, stateAt } from '../../views/time-travel.js';
import { timelineOf } from '../../views/timeline.js';
import { withoutPrivate } from '../../views/without-private.js';
import { questionsOf } from '../answers.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { positionOption } from '../positions.js';
import { headerLines } from '../run-header.js';
import { timelineText } from '../timeline-lines.js';
import { openExisting } from '../workplace.js';

interface Options extends CommonOptions {
  readonly at?: number;
  readonly generation?: number;
}

const ABOUT =
  'Show a run: its status, spending, timeline, and what it is waiting for with the command to answer. Private values are blanked. ' +
  'With --at, show the state at an earlier entry. It is computed from the journal; no code runs.';

export function showCommand(perform: Perform): Command {
  return newCommand('show <run>', ABOUT, [
    'flyball show run_1f0c',
    'flyball show run_1f0c --at 12',
    "flyball show run_1f0c --json | jq '.summary.usage'",
  ])
    .option('--at <entry>', 'show the state at this entry', positionOption)
    .option('--generation <number>', 'generation that --at refers to (default: the last)', positionOption)
    .action((runId: string, options: Options) => perform(options, { runId }, (call) => show(call, { runId, options })));
}

async function show(
  { screen, place }: Call,
  { runId, options }: { readonly runId: string; readonly options: Options },
): Promise<ExitCode> {
  const workplace = await openExisting(place, runId);
  try {
    const record = await workplace.desk.get(runId);
    const all = withoutPrivate(await workplace.desk.entries(runId));
    const at = momentOf(all, options);
    const entries = at === undefined ? all : asOf(all, at.seq, at.generation);
    const summary = summarise(entries);
    const timeline = timelineOf(entries);
    screen.data({
      record,
      summary,
      ...(at === undefined ? {} : { at, state: stateAt(runId, all, at) }),
      next: at === undefined ? questionsOf({ runId, waiting: summary.waiting, entries, command: place.command }) : [],
      timeline,
    });
    const shown = { record, summary, entries, command: place.command, ...(at === undefined ? {} : { asOf: at }) };
    for (const line of headerLines(shown, screen)) screen.line(line);
    screen.line();
    for (const line of timeline) screen.line(timelineText(line, screen));
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

function momentOf(
  entries: readonly Entry[],
  { at, generation: asked }: Options,
): { readonly seq: number; readonly generation: number } | undefined {
  if (at === undefined) return undefined;
  const generation = asked ?? entries.at(-1)?.generation ?? 0;
  const positions = entries.filter((entry) => entry.generation === generation).map(({ seq }) => seq);
  if (positions.includes(at)) return { seq: at, generation };
  const [first, last] = [positions[0], positions.at(-1)];
  throw new FlyballError(
    'INPUT_INVALID',
    first === undefined
      ? `This run has no generation ${generation}.`
      : `There is no entry ${at}: generation ${generation} has entries ${first} to ${last}.`,
  );
}
