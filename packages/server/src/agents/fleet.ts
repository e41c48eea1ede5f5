import type { RunHandle, Runtime } from 'flyball';
import { FlyballError } from 'flyball';

/** The runtimes of all groups behind one face: each run is driven by the one that knows its agent. */
export type Fleet = Omit<Runtime, 'abandon'>;

export interface Member {
  readonly runtime: Runtime;
  /** Names as the runtime knows them. */
  readonly agents: readonly string[];
}

/** `desk` reads and posts; it runs nothing, and stands in where no member knows the agent of a run. */
export function fleetOf(members: readonly Member[], desk: Runtime): Fleet {
  const byAgent = new Map(members.flatMap(({ runtime, agents }) => agents.map((name) => [name, runtime] as const)));
  const all = [...members.map(({ runtime }) => runtime), desk];

  const knowing = (agent: string): Runtime => {
    const found = byAgent.get(agent);
    if (found !== undefined) return found;
    throw new FlyballError(
      'AGENT_UNKNOWN',
      `This server does not have the agent "${agent}". Available agents: ${served(byAgent)}.`,
    );
  };
  const driving = async (runId: string): Promise<Runtime> => knowing((await desk.get(runId)).agent);
  /** A message reaches a run whoever drives it: where nobody here does, the driver finds it in the inbox. */
  const posting = async (runId: string): Promise<Runtime> => byAgent.get((await desk.get(runId)).agent) ?? desk;
  const together =
    <A extends unknown[]>(listen: (runtime: Runtime) => (...given: A) => () => void) =>
    (...given: A) => {
      const stops = all.map((runtime) => listen(runtime)(...given));
      return () => {
        for (const stop of stops) stop();
      };
    };

  return {
    start: async (agent, input, options) => knowing(agent).start(agent, input, options),
    resume: async (runId, options) => (await driving(runId)).resume(runId, options),
    wake: async (runId) => (await driving(runId)).wake(runId),
    drive: async (runId) => (await driving(runId)).drive(runId),
    handle: (runId: string, agent?: string): RunHandle => {
      const of = async () => {
        const runtime = await posting(runId);
        return agent === undefined ? runtime.handle(runId) : runtime.handle(runId, agent);
      };
      return {
        id: runId,
        outcome: async () => (await of()).outcome(),
        finished: async () => (await of()).finished(),
        async *events(options) {
          yield* (await of()).events(options);
        },
      };
    },
    signal: async (runId, ...rest) => (await posting(runId)).signal(runId, ...rest),
    redirect: async (runId, ...rest) => (await posting(runId)).redirect(runId, ...rest),
    cancel: async (runId, ...rest) => (await posting(runId)).cancel(runId, ...rest),
    pause: async (runId, ...rest) => (await posting(runId)).pause(runId, ...rest),
    fork: async (runId, options) => (await driving(runId)).fork(runId, options),
    get: (runId) => desk.get(runId),
    list: (filter) => desk.list(filter),
    entries: (runId, part) => desk.entries(runId, part),
    prompt: (runId, tip) => desk.prompt(runId, tip),
    subscribe: together((runtime) => runtime.subscribe),
    subscribeDeltas: together((runtime) => runtime.subscribeDeltas),
    close: async (options) => {
      await Promise.all(all.map((runtime) => runtime.close(options)));
    },
    current: () => first(members, ({ runtime }) => runtime.current()),
    blame: (error) => first(members, ({ runtime }) => runtime.blame(error)),
    loaded: () => members.reduce((sum, { runtime }) => sum + runtime.loaded(), 0),
  };
}

function served(byAgent: ReadonlyMap<string, Runtime>): string {
  const names = [...byAgent.keys()].filter((name) => !name.includes(':'));
  return names.length === 0 ? 'none' : names.join(', ');
}

function first<T, R>(all: readonly T[], of: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const found = of(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
