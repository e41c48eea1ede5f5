import {
  type Budget,
  budget,
  type Clock,
  createRuntime,
  type Engine,
  type Entry,
  type Model,
  type ModelDelta,
  memoryEngine,
  type Outcome,
  type Runtime,
} from 'flyball';
import { type ToolLoopResult, toolLoop } from 'flyball/loops';
import { modelRouter } from 'flyball/models';
import { type ModelServer, modelServer, type ServerScript, type VirtualClock, virtualClock } from 'flyball/testing';
import { onTestFinished } from 'vitest';
import type { ModelRouterParts } from '../../packages/flyball/src/models/router.js';
import type { RouterEvent } from '../../packages/flyball/src/models/router-event.js';
import type { SpokenFormat } from './formats.js';
import { type Library, openLibrary, SETUP, TASK } from './task.js';

export const RUN = 'run';
export const MAX_OUTPUT = 256; // what every call is granted in full or not at all
export const TIMEOUT_MS = 5_000;

/** One piece of a reply as it arrived. */
export interface Piece {
  readonly effect: string;
  readonly delta: ModelDelta;
}

export interface WireRun {
  readonly outcome: Outcome<ToolLoopResult>;
  readonly entries: readonly Entry[];
  readonly pieces: readonly Piece[];
  readonly events: readonly RouterEvent[];
  readonly library: Library;
}

/** Servers, a router over their models, and a runtime with the loop: everything real but what the models say. */
export interface WireStage {
  readonly runtime: Runtime;
  readonly events: readonly RouterEvent[];
  readonly library: Library;
  /** Moves time on when whatever happens now has happened; real time passes by itself. */
  pass(ms: number): void;
  /** Resolves when the router next does this. */
  next(type: RouterEvent['type']): Promise<void>;
  start(limits?: Partial<Budget>, id?: string): Promise<WireRun>;
}

export interface WireOptions {
  /** Somebody looks on while replies come. */
  readonly streaming: boolean;
  readonly policy?: Pick<ModelRouterParts, 'retry' | 'breaker' | 'timeoutMs' | 'concurrency'>;
  readonly engine?: Engine;
  /** Stands still, and moves as the router waits, where none is given. */
  readonly clock?: Clock;
  /** Waits of the router are over at once, or when the test moves time. */
  readonly waits?: 'at once' | 'by hand';
  /** Stands between the router and the model of a format. */
  readonly wrap?: (model: Model) => Model;
}

export interface Provider {
  readonly spoken: SpokenFormat;
  readonly server: ModelServer;
}

/** A provider of this format that answers from the script. */
export async function provider(spoken: SpokenFormat, replies: ServerScript): Promise<Provider> {
  const server = await modelServer({ replies });
  onTestFinished(() => server.close());
  return { spoken, server };
}

/** The first provider is asked, the others may answer in its place. */
export async function stage(providers: readonly [Provider, ...Provider[]], options: WireOptions): Promise<WireStage> {
  const still = virtualClock();
  const clock = options.clock ?? still;
  const pass = options.clock === undefined ? passing(still) : (): void => undefined;
  const events: RouterEvent[] = [];
  const watchers = new Map<RouterEvent['type'], () => void>();
  const observe = (event: RouterEvent): void => {
    events.push(event);
    watchers.get(event.type)?.();
    if (event.type === 'retry-wait' && options.waits !== 'by hand') pass(event.waitMs);
  };
  const model = await routedModel(providers, options, { clock, observe });
  const library = openLibrary();
  const runtime = openRuntime({ model, library, clock, engine: options.engine ?? memoryEngine() });
  onTestFinished(() => {
    runtime.abandon();
    library.close();
  });
  const pieces: Piece[] = [];
  if (options.streaming) runtime.subscribeDeltas((_run, effect, _attempt, delta) => pieces.push({ effect, delta }));
  return {
    runtime,
    events,
    library,
    pass,
    next: (type) => new Promise((resolve) => watchers.set(type, resolve)),
    async start(limits = {}, id = RUN) {
      const handle = await runtime.start('librarian', TASK, { id, budget: budget(limits) });
      const outcome = (await handle.outcome()) as Outcome<ToolLoopResult>;
      return { outcome, entries: await runtime.entries(id), pieces, events, library };
    },
  };
}

async function routedModel(
  providers: readonly [Provider, ...Provider[]],
  { wrap = (model) => model, policy }: WireOptions,
  parts: Pick<ModelRouterParts, 'clock' | 'observe'>,
): Promise<Model> {
  const [first, ...rest] = providers;
  const router = await modelRouter({
    resolve: (name) => wrap(opened(providers, name)),
    roles: { default: first.spoken.id },
    fallback: { default: rest.map(({ spoken }) => spoken.id) },
    random: () => 0,
    retry: { retries: 1, baseDelayMs: 100, jitterMs: 0 },
    timeoutMs: TIMEOUT_MS,
    ...policy,
    ...parts,
  });
  return router.forRole('default');
}

function opened(providers: readonly Provider[], name: string): Model {
  const found = providers.find(({ spoken }) => spoken.id === name);
  if (found === undefined) throw new Error(`There is no provider of ${name}.`);
  return found.spoken.open(found.server.baseUrl(found.spoken.format));
}

export function openRuntime(parts: {
  readonly model: Model;
  readonly library: Library;
  readonly clock: Clock;
  readonly engine: Engine;
}): Runtime {
  const { model, library, clock, engine } = parts;
  const librarian = toolLoop({
    session: { name: 'librarian', model, setup: SETUP, sampling: { maxOutputTokens: MAX_OUTPUT } },
    tools: library.tools,
  });
  return createRuntime({ engine, agents: { librarian }, clock, options: { worker: false } });
}

/** One wait after the other: a second one begins where the first has ended. */
function passing(clock: VirtualClock): (ms: number) => void {
  let moving = Promise.resolve();
  return (ms) => {
    moving = moving.then(() => clock.advance(ms));
  };
}
