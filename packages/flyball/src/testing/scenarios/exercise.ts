import type { Budget } from '../../core/budget.js';
import { forkPoints } from '../../core/fork-points.js';
import type { Engine } from '../../ports/engine.js';
import { booksOf } from './books.js';
import { compared, comparedFork, isSound } from './compared.js';
import { type Played, play, type Stage, stageOn, type Way } from './play.js';
import type { Scenario } from './scenario.js';

/** Options for playing a scenario with crashes at every write. */
export interface ExerciseOptions {
  /** A new, empty engine for each play, for instance `memoryEngine`. */
  readonly engine: () => Engine | Promise<Engine>;
  /** At most this many points of each kind, spread over the run, except for acts, which are few. Every point by default. */
  readonly most?: number;
}

/** Something that came out otherwise than in the straight play, or that cannot be true. */
export interface Difference {
  readonly way: string;
  readonly what: string;
}

/** What differed between a scenario with and without crashes. */
export interface ExerciseReport {
  readonly scenario: string;
  /** How the straight play ended. */
  readonly stop: string;
  readonly plays: number;
  readonly differences: readonly Difference[];
}

/**
 * Plays a scenario without interruption, then again with the run unloaded after every effect, with crashes at every
 * write, with pauses, redirects and cancellations at every entry, and with forks at every point. Compares outcomes,
 * outside effects and journals with the uninterrupted play.
 */
export async function exercise(scenario: Scenario, options: ExerciseOptions): Promise<ExerciseReport> {
  const differences: Difference[] = [];
  let plays = 0;
  let stop = '';
  const stages: Stage[] = [];
  const newStage = async (): Promise<Stage> => {
    const stage = stageOn(await options.engine());
    stages.push(stage);
    return stage;
  };
  const check = (way: Way, played: Played, wanted: readonly string[]): void => {
    plays++;
    for (const what of [...wanted, ...booksOf(scenario, played)]) differences.push({ way: way.name, what });
  };
  const forkAll = async (parent: Played, stage: Stage, about = ''): Promise<void> => {
    for (const way of forksOf(parent, options.most)) {
      const named = { ...way, name: `${way.name}${about}` };
      const played = await play(scenario, named, stage);
      check(named, played, comparedFork(scenario, named, parent, played));
    }
  };
  try {
    const home = await newStage();
    const straight = await play(scenario, { name: 'straight' }, home);
    stop = straight.outcome.stop;
    check({ name: 'straight' }, straight, expected(scenario, straight));
    for (const way of waysOf(straight, options.most)) {
      const played = await play(scenario, way, await newStage());
      check(way, played, compared(scenario, way, straight, played));
    }
    await forkAll(straight, home);
    for (const way of homesOf(straight)) {
      const stage = await newStage();
      const home = await play(scenario, way, stage);
      if (isSound(home)) await forkAll(home, stage, `, ${way.name}`);
    }
  } finally {
    for (const { engine, clock } of stages) {
      clock.stop();
      await engine.close();
    }
  }
  return { scenario: scenario.name, stop, plays, differences };
}

/** Throws an error that lists all differences. */
export function assertSame({ scenario, plays, differences }: ExerciseReport): void {
  if (differences.length === 0) return;
  const ways = new Map<string, Difference[]>();
  for (const difference of differences) ways.set(difference.what, [...(ways.get(difference.what) ?? []), difference]);
  const lines = [...ways].map(([what, shown]) => {
    const named = shown.slice(0, 5).map(({ way }) => way);
    return `- ${what}\n  in ${shown.length} of ${plays} plays: ${named.join(', ')}${shown.length > 5 ? ', …' : ''}`;
  });
  throw new Error(`${scenario} does not come out the same in every way:\n${lines.join('\n')}`);
}

function expected({ ends }: Scenario, { outcome }: Played): string[] {
  if (outcome.stop === 'threw' || outcome.stop === 'stuck') return [`it ended ${outcome.stop}: ${outcome.because}`];
  if (ends === undefined) return [];
  const text = JSON.stringify(outcome);
  const unsaid = (ends.says ?? []).filter((word) => !text.includes(word));
  return [
    ...(outcome.stop === ends.stop ? [] : [`it ended ${text} instead of ${ends.stop}`]),
    ...unsaid.map((word) => `its outcome does not say ${word}: ${text}`),
  ];
}

function waysOf(straight: Played, most: number | undefined): Way[] {
  const crashes = spread(straight.points, most).map(({ n, when }) => ({ at: n, when }));
  const entries = spread(
    straight.entries.map((_, index) => index + 1),
    most,
  );
  const acts = straight.outside.acts.map((_, index) => index + 1);
  const by = 'operator';
  const half = halved(straight);
  return [
    { name: 'evicted after every effect', evicts: true },
    ...crashes.map((crash): Way => ({ name: `crashed ${crash.when} write ${crash.at}`, crash })),
    ...crashes.map(
      (crash): Way => ({
        name: `crashed ${crash.when} write ${crash.at}, cancelled while down`,
        crash,
        whileDead: (runtime, runId) => runtime.cancel(runId, { by }),
      }),
    ),
    ...crashes.map(
      (crash): Way => ({
        name: `crashed ${crash.when} write ${crash.at}, paused while down`,
        crash,
        pauses: 'while dead',
      }),
    ),
    ...acts.map((insideAct): Way => ({ name: `paused inside act ${insideAct}`, pauses: { insideAct } })),
    ...entries.flatMap((after): Way[] => [
      {
        name: `paused after entry ${after}`,
        meanwhile: { after, does: (runtime, runId) => runtime.pause(runId, { by }) },
      },
      {
        name: `paused after entry ${after}, resumed with less`,
        meanwhile: { after, does: (runtime, runId) => runtime.pause(runId, { by }) },
        resumeWith: half,
      },
      {
        name: `redirected after entry ${after}`,
        meanwhile: { after, does: (runtime, runId) => runtime.redirect(runId, 'Be brief.', { by }) },
      },
      {
        name: `cancelled after entry ${after}`,
        meanwhile: { after, does: (runtime, runId) => runtime.cancel(runId, { by }) },
      },
    ]),
  ];
}

/** Runs to which something happened, whose forks inherit it. */
function homesOf(straight: Played): Way[] {
  const after = Math.ceil(straight.entries.length / 2);
  const by = 'operator';
  return [
    {
      name: 'redirected at its start',
      meanwhile: { after: 1, does: (runtime, runId) => runtime.redirect(runId, 'Be brief.', { by }) },
    },
    { name: 'paused in its middle', meanwhile: { after, does: (runtime, runId) => runtime.pause(runId, { by }) } },
  ];
}

function forksOf(straight: Played, most: number | undefined): Way[] {
  const generations = [...new Set(straight.entries.map(({ generation }) => generation))];
  const half = halved(straight);
  return generations.flatMap((generation) =>
    spread(forkPoints(straight.entries, generation), most).flatMap((at): Way[] => {
      const place = `generation ${generation}, entry ${at}`;
      const fork = { of: straight.runId, at, generation, by: 'operator' };
      const id = `fork-${generation}-${at}`;
      return [
        { name: `simulated fork at ${place}`, fork: { ...fork, id: `${id}-simulated` } },
        { name: `live fork at ${place}`, fork: { ...fork, id: `${id}-live`, live: true } },
        { name: `live fork with less at ${place}`, fork: { ...fork, id: `${id}-less`, live: true, budget: half } },
      ];
    }),
  );
}

/** The budget of the straight play, with half of what it used of what costs. */
function halved({ outcome, entries }: Played): Budget {
  const limits = entries.map(({ event }) => ('budget' in event ? event.budget : undefined)).find(isGiven) as Budget;
  const usage = 'usage' in outcome ? outcome.usage : undefined;
  return {
    ...limits,
    toolCalls: Math.ceil((usage?.toolCalls ?? 0) / 2),
    modelCalls: Math.ceil((usage?.modelCalls ?? 0) / 2),
    costUsd: (usage?.costUsd ?? 0) / 2,
  };
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** `most` of them, the first and the last among them. */
function spread<T>(points: readonly T[], most = points.length): T[] {
  if (points.length <= most) return [...points];
  return Array.from(
    { length: most },
    (_, index) => points[Math.round((index * (points.length - 1)) / (most - 1))] as T,
  );
}
