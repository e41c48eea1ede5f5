import { functionOf } from '../../core/agent-function.js';
import type { AnyAgent } from '../../core/agent-types.js';
import { forkPoints } from '../../core/fork-points.js';
import type { AgentLike } from '../../core/run.js';
import type { Engine } from '../../ports/engine.js';
import { openRuntime } from '../../runtime/open-runtime.js';
import type { RuntimeParts } from '../../runtime/options.js';
import { type Played, play, type Stage, stageOn } from '../scenarios/play.js';
import type { Scenario } from '../scenarios/scenario.js';
import { forkParting, type Parting, partingOf } from './compared-plays.js';
import { KnownResults } from './known-results.js';

/** Options of `conformance`. */
export interface ConformanceOptions<I> extends Pick<Scenario, 'budget' | 'people' | 'larger' | 'compare'> {
  /** A new, empty engine for each play, for instance `memoryEngine`. */
  readonly engine: () => Engine | Promise<Engine>;
  /**
   * Makes the agent anew for every life, as a new process would load its code. Without it, state that is kept outside of
   * the agent's function survives in this process, and some of it goes unnoticed.
   */
  readonly remade?: () => AgentLike<I, unknown>;
  readonly seams?: RuntimeParts['seams'];
}

/** Whether an agent comes out the same when its process does not live as long as its run. */
export type Conformance =
  | { readonly ok: true; readonly effects: number }
  | {
      readonly ok: false;
      /** Played again from the start, answered from its own journal, or evicted after every effect. */
      readonly way: 'again' | 'replayed' | 'evicted' | 'straight';
      /** The effect that was asked for otherwise; `end` where only the outcome differs. */
      readonly at: string;
      /** The effect whose end is the last thing before the state was lost, where that could be told. */
      readonly after?: string;
      readonly because: string;
    };

/**
 * Tells whether an agent keeps state that the journal does not: in variables that a child, a step or a tool fills, in its
 * module, or read from a clock. Runs it straight, again, replayed from its own journal, and evicted after every effect,
 * each time with the same result for the same effect, and compares what it asks for and how it ends.
 */
export async function conformance<I>(
  agent: AgentLike<I, unknown>,
  input: I,
  options: ConformanceOptions<I>,
): Promise<Conformance> {
  const { engine, remade = () => agent, seams, ...given } = options;
  const results = new KnownResults();
  const open: Scenario['open'] = (life) =>
    openRuntime({
      ...life,
      agents: { agent: functionOf(remade()) as unknown as AnyAgent }, // the input is what its caller says it is
      aroundBody: results.around,
      ...(seams === undefined ? {} : { seams }),
    });
  const scenario: Scenario = { name: agent.name, open, input, ...given };
  return conformanceOf(scenario, engine, () => results.seal());
}

/** As `conformance`, for a scenario. `onPlayed` is called after the straight play. */
export async function conformanceOf(
  scenario: Scenario,
  engine: ConformanceOptions<unknown>['engine'],
  onPlayed: () => void = () => undefined,
): Promise<Conformance> {
  const stages: Stage[] = [];
  const newStage = async (): Promise<Stage> => {
    const stage = stageOn(await engine());
    stages.push(stage);
    return stage;
  };
  const same = scenario.compare ?? ((value: unknown) => value);
  try {
    const home = await newStage();
    const straight = await play(scenario, { name: 'straight', stays: true }, home);
    onPlayed();
    if (straight.outcome.stop === 'threw' || straight.outcome.stop === 'stuck')
      return { ok: false, way: 'straight', at: 'end', because: `It ended ${straight.outcome.because}.` };
    const parted =
      (await replays(scenario, straight, home)) ??
      found(
        'again',
        partingOf(straight, await play(scenario, { name: 'again', stays: true }, await newStage()), same),
      ) ??
      found('evicted', partingOf(straight, await play(scenario, EVICTED, await newStage()), same));
    if (parted === undefined) return { ok: true, effects: straight.entries.filter(isEnd).length };
    const after = await lastBefore(scenario, straight, home);
    return { ok: false, ...parted, ...(after === undefined ? {} : { after }), because: said(parted, after) };
  } finally {
    for (const stage of stages) {
      stage.clock.stop();
      await stage.engine.close();
    }
  }
}

const EVICTED = { name: 'evicted after every effect', evicts: true } as const;

type Found = Parting & { readonly way: 'again' | 'replayed' | 'evicted' };

function found(way: Found['way'], parting: Parting | undefined): Found | undefined {
  return parting === undefined ? undefined : { way, ...parting };
}

/** Answered from its whole journal, the code has to come to the same end, with nothing left to do. */
async function replays(scenario: Scenario, straight: Played, stage: Stage): Promise<Found | undefined> {
  const points = forkPoints(straight.entries);
  const last = straight.entries.findLast(({ event }) => event.type === 'run-end');
  const at = points.findLast((seq) => seq < (last?.seq ?? Number.POSITIVE_INFINITY));
  if (at === undefined || last === undefined || !['done', 'degraded'].includes(straight.outcome.stop)) return undefined;
  // a fork counts only what it spends itself: a child that came to its bound goes on there
  if (straight.entries.some(({ event }) => event.type === 'trip')) return undefined;
  const replayed = await forkedAt(scenario, straight, stage, { at, generation: last.generation, id: 'replayed' });
  return found('replayed', forkParting(straight, replayed, scenario.compare ?? ((value) => value)));
}

/** The first point of the run after which a process that knows only the journal comes to another end. */
async function lastBefore(scenario: Scenario, straight: Played, stage: Stage): Promise<string | undefined> {
  const generation = straight.entries.at(-1)?.generation ?? 0;
  const ends = straight.entries.filter((entry) => isEnd(entry) && entry.generation === generation);
  const points = new Set(forkPoints(straight.entries, generation));
  for (const { seq, event } of ends) {
    if (!points.has(seq)) continue;
    const fork = await forkedAt(scenario, straight, stage, { at: seq, generation, id: `after-${seq}` });
    if (forkParting(straight, fork, scenario.compare ?? ((value) => value)) !== undefined)
      return 'id' in event ? event.id : undefined;
  }
  return undefined;
}

function forkedAt(
  scenario: Scenario,
  straight: Played,
  stage: Stage,
  fork: { readonly at: number; readonly generation: number; readonly id: string },
): Promise<Played> {
  return play(scenario, { name: fork.id, fork: { of: straight.runId, by: 'operator', ...fork } }, stage);
}

function isEnd({ event }: Played['entries'][number]): boolean {
  return ['ask-end', 'complete', 'abort', 'spawn-end', 'wait-end', 'sleep-end', 'post'].includes(event.type);
}

const WAYS: Readonly<Record<Found['way'], string>> = {
  again: 'Started a second time in the same process',
  replayed: 'Answered from its own journal',
  evicted: 'Evicted after every effect',
};

function said({ way, at, straight, other }: Found, after: string | undefined): string {
  const where = at === 'end' ? 'it ends with' : `at ${at} it comes to`;
  const since =
    after === undefined
      ? 'Look for state outside of the function of the agent.'
      : `State was lost after ${after}: return it from there, or put it on a board (run.board).`;
  return `${WAYS[way]}, ${where} ${clip(other)} instead of ${clip(straight)}. ${since}`;
}

function clip(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
