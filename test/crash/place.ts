import { type Agent, type Budget, budget, done, type Engine, type Runtime } from 'flyball';
import { type CrashPlan, crashingEngine, testHost, turns } from 'flyball/testing';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/json-schema-check.js';
import { openRuntime } from '../../packages/flyball/src/runtime/open-runtime.js';
import { busyOf } from './busy-engine.js';
import { type Case, ENOUGH, type Limits } from './case.js';
import type { Called, Dispatching } from './dispatching.js';
import { agentOf, helperOf } from './interpret.js';
import { type JumpingClock, jumpingClock, pass } from './jumping-clock.js';
import { seamsOf, sessionOf, textOnlyOf, toolsOf } from './things.js';
import { World } from './world.js';

/** One process at work, until it dies. */
export interface Life {
  readonly runtime: Runtime;
  /** It can be called, where somebody else says whose turn it is. */
  readonly ready: Promise<void>;
  readonly crashed: Promise<unknown>;
  readonly isDead: () => boolean;
  readonly writes: () => number;
  /** Ends it, as a killed process ends. */
  end(): void;
}

interface How {
  readonly version: string;
  readonly worker: boolean;
  readonly agent: Agent<unknown, unknown> | undefined;
  readonly called: Called | undefined;
}

/** A process that works on nothing by itself. */
const BESIDE: How = { version: '1', worker: false, agent: undefined, called: undefined };

/** What outlives every process: the engine, the world, the clock, and who is known to be gone. */
export class Place {
  readonly given: Case;
  readonly engine: Engine;
  readonly clock: JumpingClock;
  readonly world: World;
  /** Says whose turn it is; without it, whoever opens a runtime has the run live there. */
  readonly dispatching: Dispatching | undefined;
  lives = 0;
  private processes = 0;
  private readonly gone = new Set<string>();

  constructor(given: Case, engine: Engine, dispatching?: Dispatching) {
    this.given = given;
    this.engine = engine;
    this.dispatching = dispatching;
    const isAsked = busyOf(engine);
    this.clock = jumpingClock({
      ...(dispatching === undefined ? {} : { start: dispatching.start }),
      isBusy: () => isAsked() || dispatching?.isOnItsWay() === true,
    });
    this.world = new World(given, this.clock);
  }

  /** What an operator does beside the processes that work. */
  async look<T>(at: (runtime: Runtime) => Promise<T>): Promise<T> {
    const { isDead } = this.world;
    const life = this.process(() => false, BESIDE);
    this.lives--;
    this.world.isDead = isDead;
    try {
      return await at(life.runtime);
    } finally {
      life.end();
    }
  }

  open(plan: CrashPlan = () => false): Life {
    return this.process(plan, { ...BESIDE, called: this.dispatching?.open() });
  }

  /** For a while two processes look for work: one with the agent as it is, one with its next version. */
  async deploy(ms: number): Promise<void> {
    const { isDead } = this.world;
    const agent: Agent<unknown, unknown> = async (run) => {
      await run.step('checked', null, () => 'checked', 'pure');
      return done('version 2');
    };
    const able = this.process(() => false, { ...BESIDE, worker: true });
    while ((await this.engine.workers(this.clock.now())).length === 0) await turns(1); // it has said that it is there
    const next = this.process(() => false, { ...BESIDE, version: '2', worker: true, agent });
    this.lives--;
    await pass(this.clock, ms);
    await this.world.settled();
    able.end();
    next.end();
    this.world.isDead = isDead;
  }

  private process(plan: CrashPlan, how: How): Life {
    const { given, world, clock } = this;
    const crashing = crashingEngine(this.engine, plan);
    const host = testHost(`process-${this.processes++}`, this.gone);
    const tools = toolsOf(world);
    world.isDead = crashing.isDead;
    const session = sessionOf(given, world);
    const agent = agentOf(given, { world, tools, session, textOnly: textOnlyOf(session) }, this.lives);
    const runtime = openRuntime({
      engine: crashing.engine,
      clock,
      host,
      agents: {
        fuzzed: { agent: (how.agent ?? agent) as never, version: how.version },
        helper: { agent: helperOf(world) as never, version: '1' },
      },
      seams: seamsOf(given, world, tools),
      prices: () => ({ input: 1, output: 1 }),
      checkJson: jsonSchemaCheck(),
      options: { worker: how.worker, suspendAfterMs: 20, maxResumes: 1e9, ...how.called?.options },
      ...(how.called === undefined ? {} : { dispatcher: how.called.dispatcher }),
    });
    this.lives++;
    return {
      runtime,
      ready: how.called?.ready() ?? Promise.resolve(),
      crashed: crashing.crashed,
      isDead: crashing.isDead,
      writes: () => crashing.points.length,
      end: () => {
        host.die();
        runtime.abandon();
        how.called?.cut();
      },
    };
  }
}

/** The budget of a run that starts with these limits. */
export function startBudget(given: Case, limits: Limits, now: number): Budget {
  return budget({
    ...limits,
    wallMs: 600_000,
    noProgress: 1000,
    ...(given.overshoot > 1 ? { tokensOut: 300 } : {}),
    ...(given.deadlineMs === undefined ? {} : { deadline: now + given.deadlineMs }),
  });
}

/** More than enough of every axis that a generated program can come to, and more than any run of a case starts with. */
export const PLENTY: Partial<Budget> = {
  toolCalls: ENOUGH.toolCalls * 1000,
  modelCalls: ENOUGH.modelCalls * 1000,
  iterations: ENOUGH.iterations * 1000,
  tokensOut: 1e9,
  tokensIn: 1e9,
  linesChanged: 1e9,
};
