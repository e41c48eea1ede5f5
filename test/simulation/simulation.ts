import { type Engine, memoryEngine, type Runtime } from 'flyball';
import { type SeededRandom, seededRandom } from 'flyball/testing';
import type { Owner } from '../../packages/flyball/src/core/events.js';
import { openWaitsOf } from '../../packages/flyball/src/runtime/load.js';
import { type Violation, World } from '../crash/world.js';
import { agentFor, helperFor } from './agents.js';
import { Disk } from './disk.js';
import { Dispatch } from './dispatch.js';
import { apply, damage, full, horizonOf, strike } from './faults.js';
import { isFinal } from './final.js';
import { judge } from './judge.js';
import type { Known } from './known.js';
import { Machine } from './machine.js';
import { openOn } from './open-on.js';
import { People, type Visit } from './people.js';
import type { Fault, Plan } from './plan.js';
import { start } from './start.js';
import { Timeline } from './timeline.js';
import { Truth } from './truth.js';

export interface Played {
  readonly violations: readonly Violation[];
  /** Moments of virtual time at which something happened, processes that lived, and virtual milliseconds. */
  readonly moments: number;
  readonly lives: number;
  readonly ms: number;
  /** Runs that other runs started. */
  readonly started: number;
  readonly trace: readonly string[];
  readonly stops: readonly string[];
}

/** More than any simulation takes that comes to an end. */
const MOST_MOMENTS = 20_000;
const LIVENESS_MOMENTS = 15_000;
/** How long a machine that stood still or was cut off may go by what it knew before. */
const AWAY_MS = 30_000;

/** One simulated world: machines, their storage, and everybody who does something to them. */
export class Simulation {
  readonly plan: Plan;
  readonly timeline = new Timeline();
  readonly random: SeededRandom;
  /** What the storage is kept on, where its bytes matter. */
  readonly disk: Disk | undefined;
  readonly storage: Engine;
  readonly truth: Truth;
  readonly violations: Violation[] = [];
  readonly worlds = new Map<string, World>();
  readonly people: People;
  readonly dispatch: Dispatch;
  /** By slot, the process that is there or was there last. */
  readonly machines: Machine[] = [];
  /** Runs that somebody tried to cancel, and those of them where that was accepted. */
  readonly cancelled = new Set<string>();
  readonly calledOff = new Set<string>();
  /** Who may still act, and under which key. */
  readonly acting = new Set<{ readonly key: string; readonly machine: Machine }>();
  readonly lines: string[] = [];
  version = '1';
  isFull = false;
  loss = 0;
  isHealed = false;
  lives = 0;
  readonly isTraced: boolean;
  private readonly dead = new Set<string>();
  /** Crashes at a write, each of which happens once. */
  private readonly struck = new Set<Fault>();

  constructor(plan: Plan, { isTraced = false, disk }: { readonly isTraced?: boolean; readonly disk?: Disk } = {}) {
    this.plan = plan;
    this.isTraced = isTraced;
    this.disk = disk;
    this.storage = disk?.engine ?? memoryEngine();
    this.random = seededRandom(`play ${plan.seed}`);
    this.truth = new Truth(this.storage, {
      now: () => this.timeline.now,
      blame: (rule, detail) => this.blame(rule, detail),
      trace: (line) => this.trace(line),
      callsOf: (runId) => this.world(runId).toolCalls.get(runId) ?? new Set(),
      mayTakeOver: (owner) => plan.turns === 'dispatcher' || this.dead.has(owner.id),
      took: (by, known, others) => this.took(by, known, others),
    });
    this.truth.isFull = () => (this.isFull ? full() : undefined);
    this.people = new People({
      random: this.random,
      server: (version) => this.server(version),
      openWaits: async (runId) => {
        const record = await this.storage.get(runId);
        return record === undefined ? [] : openWaitsOf(this.storage, record);
      },
      isActing: (key) => [...this.acting].some((one) => one.key === key && !one.machine.isDead()),
      mayResume: (visit) => this.mayResume(visit),
      isHealed: () => this.isHealed,
      blame: (rule, detail) => this.blame(rule, detail),
      trace: (line) => this.trace(line),
    });
    this.dispatch = new Dispatch(this);
  }

  trace(line: string): void {
    if (this.isTraced) this.lines.push(`${this.timeline.now % 1e8} ${line}`);
  }

  blame(rule: string, detail: string): void {
    this.trace(`BROKEN ${rule}: ${detail}`);
    this.violations.push({ rule, detail });
  }

  /** Where a run acts. One that another run started acts where that one does. */
  world(runId: string): World {
    const found = this.worlds.get(this.truth.of(runId)?.starter ?? runId);
    if (found === undefined) throw new Error(`There is no run ${runId}.`);
    return found;
  }

  isDead(owner: Owner): boolean {
    return this.dead.has(owner.id);
  }

  /** A server that people reach: one of this version, if there is one. */
  server(version?: string): Runtime | undefined {
    const up = this.machines.filter(({ state }) => state === 'up');
    const able = up.filter((machine) => machine.version === version);
    const from = able.length > 0 ? able : up;
    return from.length === 0 ? undefined : this.random.pick(from).service;
  }

  open(slot: number, version: string = this.version): void {
    const { plan, timeline, random } = this;
    const machine = new Machine({
      id: `machine-${slot}.${this.lives}`,
      slot,
      host: plan.hosts[slot] ?? 0,
      version,
      skewMs: this.isHealed ? 0 : (plan.skews[slot] ?? 0),
      storage: this.truth.engine,
      timeline,
      random,
      latencyMs: () => (this.isHealed ? 0 : plan.latencyMs),
      loss: () => this.loss,
      passes: (at, when, runId) => this.crashAt(at, when, runId),
      isDead: (owner) => this.dead.has(owner.id),
      trace: (line) => this.trace(line),
    });
    this.trace(`${machine.name} is up with version ${version}`);
    this.machines[slot] = machine;
    openOn(this, machine, { fuzzed: agentFor(this, machine, this.lives), helper: helperFor(this, machine) });
    this.lives++;
  }

  kill(machine: Machine, backMs: number): void {
    if (machine.isDead()) return;
    this.trace(`${machine.name} is killed`);
    this.dead.add(machine.owner.id);
    machine.kill();
    this.dispatch.lost(machine);
    this.timeline.after(backMs, () => this.machines[machine.slot] === machine && this.open(machine.slot));
  }

  /** A process that has ended by itself. */
  left(machine: Machine): void {
    this.dead.add(machine.owner.id);
    this.dispatch.lost(machine);
  }

  private crashAt(machine: Machine, when: 'before' | 'after', runId: string | undefined): void {
    const known = runId === undefined ? undefined : this.truth.of(runId);
    if (this.isHealed || runId === undefined || known === undefined) return;
    const { writes, intents } = known;
    const nth = writes + (when === 'before' ? 1 : 0);
    for (const fault of this.plan.faults) {
      if (!('nth' in fault) || `run-${fault.run}` !== runId || this.struck.has(fault)) continue;
      if (fault.kind === 'damage') {
        if (when === 'before' || nth < fault.nth) continue;
        this.struck.add(fault);
        damage(this, machine, known, fault);
      } else if (fault.when === when && (fault.of === 'intents' ? intents >= fault.nth : fault.nth === nth)) {
        this.struck.add(fault);
        return strike(this, machine, fault);
      }
    }
  }

  private took(by: Owner, known: Known, others: readonly Owner[]): void {
    const machine = this.machines.find(({ owner }) => owner.id === by.id);
    if (machine === undefined || machine.version === known.version) return;
    // whoever was away has an old idea of who else is there
    if (this.timeline.now - machine.awaySince < AWAY_MS || this.loss > 0) return;
    const able = this.machines.find(
      ({ owner, state, isCutOff }) => state === 'up' && !isCutOff && others.some(({ id }) => id === owner.id),
    );
    if (able !== undefined) this.blame('version:taken', `${by.id} took ${known.runId}, which ${able.name} can run`);
  }

  /** Code that does not fit a journal stalls its run until the right code is back. */
  private mayResume({ known, runId }: Visit): boolean {
    if (known.code === 'JOURNAL_CORRUPT' && known.damage !== undefined) return false;
    const isDeployed = this.plan.faults.some(({ kind }) => kind === 'deploy');
    if (known.code === 'REPLAY_DIVERGED' && isDeployed) return this.isHealed;
    if (!(this.plan.isPoisoned && runId === 'run-0')) {
      const rule = `stalled:${known.code ?? ''}`;
      if (!this.violations.some((one) => one.rule === rule)) this.blame(rule, runId);
    }
    return false;
  }

  /** Those of the plan, and those that they started. */
  get runIds(): readonly string[] {
    const started = [...this.truth.runs.values()].flatMap(({ runId, starter }) =>
      starter === undefined ? [] : [runId],
    );
    return [...this.plan.cases.map((_, n) => `run-${n}`), ...started];
  }

  isFinal(runId: string): boolean {
    return isFinal(this, runId);
  }

  get isOver(): boolean {
    return this.violations.length > 0 || (this.isHealed && this.runIds.every((runId) => this.isFinal(runId)));
  }

  /** Nothing goes wrong any more: from here on every run has to come to its end. */
  heal(): void {
    this.trace('everything is healed');
    this.isHealed = true;
    this.loss = 0;
    this.isFull = false;
    const wanted = this.plan.next === 'different' ? '1' : this.version;
    this.version = wanted;
    for (const machine of this.machines) {
      machine.isCutOff = false;
      machine.setRight();
      machine.goOn();
      if (machine.isDead()) this.open(machine.slot);
      else if (machine.version !== wanted)
        void machine.leave(1_000).then(() => {
          this.left(machine);
          this.open(machine.slot);
        });
    }
  }

  async play(): Promise<Played> {
    const { plan, timeline } = this;
    for (const [n, given] of plan.cases.entries()) {
      const clock = { now: () => timeline.now, monotonic: () => timeline.now, after: () => () => undefined };
      this.worlds.set(`run-${n}`, new World(given, clock));
    }
    for (const slot of plan.skews.keys()) this.open(slot);
    for (const [n, given] of plan.cases.entries()) start(this, `run-${n}`, given);
    for (const fault of plan.faults) apply(this, fault);
    timeline.after(horizonOf(plan), () => this.heal());
    if (plan.turns === 'dispatcher') this.dispatch.sweep();
    this.tick();
    const ended = await timeline.run(() => this.isOver, MOST_MOMENTS + LIVENESS_MOMENTS);
    if (ended !== 'over') this.notOver(ended);
    const stops = await judge(this);
    for (const machine of this.machines) machine.kill();
    return {
      violations: this.violations,
      moments: timeline.moments,
      lives: this.lives,
      ms: timeline.now,
      started: this.runIds.length - plan.cases.length,
      trace: [...this.lines],
      stops,
    };
  }

  private notOver(why: string): void {
    for (const runId of this.runIds) {
      const known = this.truth.of(runId);
      if (!this.isFinal(runId))
        this.blame(`liveness:${known?.status ?? 'unborn'}`, `${runId} did not come to its end (${why})`);
    }
  }

  private tick(): void {
    this.timeline.after(500 + this.random.int(2_500), () => {
      for (const [n, given] of this.plan.cases.entries()) {
        const runId = `run-${n}`;
        const known = this.truth.of(runId);
        if (known === undefined || this.isFinal(runId)) continue;
        const visit = { runId, given, world: this.world(runId), known };
        this.people.look(visit).catch((error: Error) => this.trace(`people failed at ${runId}: ${error.message}`));
      }
      this.tick();
    });
  }
}

export async function simulate(plan: Plan, options: { readonly isTraced?: boolean } = {}): Promise<Played> {
  if (!plan.faults.some(({ kind }) => kind === 'damage')) return new Simulation(plan, options).play();
  const disk = await Disk.open();
  try {
    return await new Simulation(plan, { ...options, disk }).play();
  } finally {
    await disk.close();
  }
}
