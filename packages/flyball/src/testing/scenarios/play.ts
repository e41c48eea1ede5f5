import { setTimeout as wait } from 'node:timers/promises';
import { type Budget, budget } from '../../core/budget.js';
import type { Entry, RunEvent } from '../../core/events.js';
import type { Outcome, Waiting } from '../../core/outcome.js';
import type { Engine, RunRecord } from '../../ports/engine.js';
import type { ForkOptions, RunHandle, Runtime } from '../../runtime/runtime.js';
import { type AutoClock, autoClock } from '../auto-clock.js';
import { type CrashPlan, type CrashPoint, crashingEngine } from '../crash-points.js';
import { testHost } from '../test-host.js';
import { OutsideLedger } from './outside.js';
import type { PersonAnswer, Scenario } from './scenario.js';

/** One way to play a scenario. */
export interface Way {
  readonly name: string;
  /** The process dies here, once. */
  readonly crash?: CrashPlan;
  /** What somebody does while no process runs, after the crash. */
  readonly whileDead?: (runtime: Runtime, runId: string) => Promise<unknown>;
  /** What somebody does once this many entries of the run are durable. */
  readonly meanwhile?: { readonly after: number; readonly does: (runtime: Runtime, runId: string) => Promise<unknown> };
  /** Somebody pauses the run inside this act, while it is in flight, or while no process runs: from then on nothing new may begin. */
  readonly pauses?: { readonly insideAct: number } | 'while dead';
  /** The run leaves the process after every effect that ends, and another process goes on with it. */
  readonly evicts?: true;
  /** The run stays in its process while it waits: people answer at once. */
  readonly stays?: true;
  /** The budget with which a paused run goes on. */
  readonly resumeWith?: Partial<Budget>;
  readonly fork?: { readonly of: string; readonly id: string } & Omit<ForkOptions, 'id'>;
}

export interface Played {
  readonly runId: string;
  readonly outcome: Outcome<unknown> | { readonly stop: 'threw' | 'stuck'; readonly because: string };
  readonly entries: readonly Entry[];
  readonly record: RunRecord | undefined;
  readonly outside: OutsideLedger;
  readonly problems: readonly string[];
  readonly points: readonly CrashPoint[];
  /** How many entries there were when the run was asked to pause. */
  readonly pausedFrom: number | undefined;
  /** The waits that people were asked, by name. */
  readonly asked: readonly string[];
}

/** The engine and the clock of a play. Forks are played on the stage of their parent. */
export interface Stage {
  readonly engine: Engine;
  readonly clock: AutoClock;
  readonly gone: Set<string>;
}

export function stageOn(engine: Engine): Stage {
  return { engine, clock: autoClock({ idleTurns: IDLE_TURNS }), gone: new Set() };
}

/** More than a model or a tool of a scenario takes to answer, so that no timer fires ahead of them. */
const IDLE_TURNS = 40;
/** Real time, and only reached by a run that hangs. */
const HANGS_AFTER_MS = 30_000;
const MOST_TURNS = 400;
const A_WEEK = 7 * 24 * 3_600_000;

/** Plays a scenario in one way to its end, through as many lives as that takes. */
export async function play(scenario: Scenario, way: Way, stage: Stage): Promise<Played> {
  return new Play(scenario, way, stage).toItsEnd();
}

interface Life {
  readonly runtime: Runtime;
  readonly crashed: Promise<unknown>;
  readonly evicted: Promise<void>;
  readonly points: readonly CrashPoint[];
  die(): void;
}

class Play {
  private readonly scenario: Scenario;
  private readonly way: Way;
  private readonly stage: Stage;
  private readonly runId: string;
  private readonly outside = new OutsideLedger();
  private readonly problems: string[] = [];
  private readonly asked: string[] = [];
  private readonly budgets: readonly Partial<Budget>[];
  private life: Life;
  private readonly firstLife: Life;
  private lives = 0;
  private seen = 0;
  private isMeddled = false;
  private pausedFrom: number | undefined;

  constructor(scenario: Scenario, way: Way, stage: Stage) {
    this.scenario = scenario;
    this.way = way;
    this.stage = stage;
    this.runId = way.fork?.id ?? 'run';
    // whoever is given less on purpose is not given more at the bound
    const isGivenLess = way.resumeWith !== undefined || way.fork?.budget !== undefined;
    this.budgets = isGivenLess ? [] : [...(scenario.larger ?? [])];
    this.life = this.open(way.crash);
    this.firstLife = this.life;
    this.outside.onAct = async (n) => {
      if (typeof way.pauses === 'object' && way.pauses.insideAct === n) await this.pause();
    };
  }

  async toItsEnd(): Promise<Played> {
    const outcome = await this.carryOn().catch((error: { readonly code?: string; readonly message?: string }) => ({
      stop: 'threw' as const,
      because: `${error.code ?? ''} ${error.message ?? String(error)}`.trim(),
    }));
    const entries = await this.life.runtime.entries(this.runId).catch(() => []);
    const record = await this.stage.engine.get(this.runId);
    this.life.runtime.abandon();
    const { runId, outside, problems, asked, pausedFrom } = this;
    return { runId, outcome, entries, record, outside, problems, asked, pausedFrom, points: this.firstLife.points };
  }

  private open(crash: CrashPlan | undefined): Life {
    const { engine, clock, gone } = this.stage;
    const crashing = crashingEngine(engine, crash ?? (() => false));
    const host = testHost(`${this.runId}-life-${++this.lives}`, gone);
    const runtime = this.scenario.open(
      {
        engine: crashing.engine,
        clock,
        host,
        onProblem: (error, doing) => this.problems.push(`${doing}: ${messageOf(error)}`),
        options: { worker: false, maxResumes: 1e9, ...(this.way.stays === true ? { suspendAfterMs: 1e15 } : {}) },
      },
      this.outside.seenBy(crashing.isDead),
    );
    let evict = (): void => undefined;
    const evicted = new Promise<void>((resolve) => {
      evict = resolve;
    });
    runtime.subscribe((id, entries) => {
      if (id !== this.runId) return;
      for (const _ of entries) this.meddle(runtime);
      if (this.way.stays === true) for (const { event } of entries) this.answerAtOnce(event);
      if (this.way.evicts === true && entries.some(({ event }) => isEffectEnd(event.type))) evict();
    });
    const die = (): void => {
      host.die();
      runtime.abandon();
    };
    return { runtime, crashed: crashing.crashed, evicted, points: crashing.points, die };
  }

  private meddle(runtime: Runtime): void {
    const { meanwhile } = this.way;
    if (meanwhile === undefined || this.isMeddled || ++this.seen < meanwhile.after) return;
    this.isMeddled = true;
    meanwhile.does(runtime, this.runId).catch((error: unknown) => {
      // the run may end in the very moment in which somebody wants something of it
      if (codeOf(error) !== 'ALREADY_TERMINAL') this.problems.push(`meanwhile: ${messageOf(error)}`);
    });
  }

  private answerAtOnce(event: RunEvent): void {
    if (event.type !== 'wait-start') return;
    const { id: effect, kind, name, token, request, due } = event;
    const one: Waiting = { effect, kind, name, token, request, ...(due === undefined ? {} : { until: due }) };
    const answer = this.answerTo(one);
    if (answer !== undefined) void this.send(one, answer);
  }

  private async carryOn(): Promise<Played['outcome']> {
    let handle = await this.alive(() => this.begin());
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const current = handle;
      const rest = current === 'gone' ? 'gone' : await this.alive(() => current.outcome());
      if (rest === 'gone') {
        handle = await this.nextLife();
        continue;
      }
      const larger = rest.stop === 'bounded' ? await this.largerThan(rest.bound as keyof Budget) : undefined;
      if (larger !== undefined) {
        await this.pass(A_WEEK); // nobody looks at once
        handle = await this.alive(() => this.life.runtime.resume(this.runId, { budget: larger, by: 'operator' }));
        continue;
      }
      if (rest.stop !== 'suspended') return rest;
      if (rest.paused === true) {
        const { resumeWith } = this.way;
        const how = { by: 'operator', ...(resumeWith === undefined ? {} : { budget: resumeWith }) };
        handle = await this.alive(() => this.life.runtime.resume(this.runId, how));
        continue;
      }
      const moved = await this.alive(() => this.respond(rest.waiting));
      if (moved === 'stuck') return { stop: 'stuck', because: rest.waiting.map(({ name }) => name).join(', ') };
      handle = moved === 'gone' ? 'gone' : await this.alive(() => this.wake());
    }
    return { stop: 'stuck', because: `no end after ${MOST_TURNS} rests` };
  }

  /** The next larger budget than the one the journal holds: a crash may have come before or after it was given. */
  private async largerThan(bound: keyof Budget): Promise<Partial<Budget> | undefined> {
    const entries = await this.life.runtime.entries(this.runId);
    const budgets = entries.map(({ event }) => ('budget' in event ? event.budget : undefined));
    const held = budgets.findLast((given) => given !== undefined)?.[bound] ?? 0;
    return this.budgets.find((given) => (given[bound] ?? 0) > held);
  }

  /** Does the work while this life lasts: `gone` when it crashed or was evicted meanwhile. */
  private async alive<T>(work: () => Promise<T>): Promise<T | 'gone'> {
    const { crashed, evicted, runtime } = this.life;
    const patience = new AbortController();
    const hangs = wait(HANGS_AFTER_MS, undefined, { ref: false, signal: patience.signal }).then(
      () => Promise.reject(new Error('it hangs')),
      () => new Promise<never>(() => undefined),
    );
    try {
      const working = work();
      working.catch(() => undefined); // nobody hears what a dead process still says
      const left = evicted.then(() => runtime.close({ drainMs: 1e9 }));
      return await Promise.race([
        working,
        crashed.then(() => 'gone' as const),
        left.then(() => 'gone' as const),
        hangs,
      ]);
    } catch (error) {
      if (codeOf(error) === 'RUN_UNLOADED' && this.way.evicts === true) return 'gone';
      throw error;
    } finally {
      patience.abort();
    }
  }

  private async nextLife(): Promise<RunHandle | 'gone'> {
    this.life.die();
    this.life = this.open(undefined);
    const { runtime } = this.life;
    const known = await this.stage.engine.get(this.runId);
    if (known === undefined) return this.alive(() => this.begin());
    if (this.way.whileDead !== undefined) {
      await this.way.whileDead(runtime, this.runId).catch((error: unknown) => {
        if (codeOf(error) !== 'ALREADY_TERMINAL') this.problems.push(`while dead: ${messageOf(error)}`);
      });
    }
    if (this.way.pauses === 'while dead') await this.pause();
    return this.alive(() => this.wake());
  }

  private async pause(): Promise<void> {
    const { runtime } = this.life;
    if (this.pausedFrom !== undefined) return;
    try {
      await runtime.pause(this.runId, { by: 'operator' });
      this.pausedFrom = (await runtime.entries(this.runId)).length;
    } catch (error) {
      if (codeOf(error) !== 'ALREADY_TERMINAL') this.problems.push(`pausing: ${messageOf(error)}`);
    }
  }

  private begin(): Promise<RunHandle> {
    const { scenario, way, runId } = this;
    const { runtime } = this.life;
    if (way.fork !== undefined) {
      const { of, id, ...how } = way.fork;
      return runtime.fork(of, { ...how, id });
    }
    const limits = budget({ wallMs: 1e12, ...scenario.budget });
    return runtime.start(scenario.agent ?? 'agent', scenario.input ?? null, {
      id: runId,
      budget: limits,
      subject: 'requester',
    });
  }

  private wake(): Promise<RunHandle> {
    const { runtime } = this.life;
    return runtime.wake(this.runId).catch((error: unknown) => {
      if (codeOf(error) === 'ALREADY_TERMINAL') return runtime.handle(this.runId);
      throw error;
    });
  }

  /** Answers what people are asked, or lets the time pass until something is due. */
  private async respond(waiting: readonly Waiting[]): Promise<'moved' | 'stuck'> {
    let hasMoved = false;
    for (const one of waiting) {
      const answer = one.kind === 'sleep' ? undefined : this.answerTo(one);
      if (answer === undefined) continue;
      hasMoved = (await this.send(one, answer)) || hasMoved;
    }
    if (hasMoved) return 'moved';
    const record = await this.stage.engine.get(this.runId);
    const times = [...waiting.map(({ until }) => until), record?.wakeAt].filter((time) => time !== undefined);
    if (times.length === 0) return 'stuck';
    await this.pass(Math.max(1, Math.min(...times) - this.stage.clock.now()));
    return 'moved';
  }

  private pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.stage.clock.after(ms, resolve));
  }

  private answerTo(one: Waiting): PersonAnswer | undefined {
    const given = this.scenario.people?.(one);
    if (given !== undefined) return given;
    if (one.kind === 'doubt') {
      const { key } = one.request as { readonly key: string };
      const happened = this.outside.seenBy(() => false).has(key);
      return { payload: happened ? { happened, result: 'as a person saw' } : { happened } };
    }
    return one.name.endsWith('live-fork') ? { payload: { verdict: 'approve' } } : undefined;
  }

  /** Whether something may come of it: whoever was refused does not ask again for ever. */
  private async send(one: Waiting, answer: PersonAnswer): Promise<boolean> {
    // whoever tells a run something has asked for what it then does, and may not decide about it
    const { payload, from = one.kind === 'signal' ? 'sam' : 'ann', scopes = ['*'] } = answer;
    this.asked.push(one.name);
    const sent = { from, scopes, id: `${from} to ${one.token ?? one.name}: ${JSON.stringify(payload)}` };
    try {
      await this.life.runtime.signal(this.runId, one.token ?? one.name, payload, sent);
      return true;
    } catch (error) {
      // the answer of the life before may have arrived, or the wait has ended meanwhile
      const problem = `answer to ${one.name}: ${codeOf(error) ?? ''} ${messageOf(error)}`;
      const isNew = !this.problems.includes(problem);
      if (isNew) this.problems.push(problem);
      return isNew;
    }
  }
}

function isEffectEnd(type: string): boolean {
  return ['ask-end', 'complete', 'abort', 'spawn-end', 'wait-end', 'sleep-end', 'post'].includes(type);
}

function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string } | undefined)?.code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
