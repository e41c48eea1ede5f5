import { type Engine, memoryEngine, type Runtime } from 'flyball';
import { type SeededRandom, seededRandom } from 'flyball/testing';
import type { Owner } from '../../packages/flyball/src/core/events.js';
import { openWaitsOf, readAll } from '../../packages/flyball/src/runtime/load.js';
import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';
import { type Violation, World } from '../crash/world.js';
import { agentFor, helperFor } from './agents.js';
import { Disk } from './disk.js';
import { Dispatch } from './dispatch.js';
import { apply, atRest, damage, full, horizonOf, strike } from './faults.js';
import { isFinal } from './final.js';
import { hasWrongClocks, judge } from './judge.js';
import type { Known } from './known.js';
import { Machine } from './machine.js';
import { LEASE_MS, openOn } from './open-on.js';
import { People, type Visit } from './people.js';
import type { Fault, Plan } from './plan.js';
import { heldUpBy } from './races.js';
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

/** For whoever watches a simulation. */
interface Watching {
  readonly isTraced?: boolean;
  /** Called when time moves on. Answers false where that has taken too long. */
  readonly onMoment?: () => boolean;
}

/** More than any simulation takes that comes to an end. */
const MOST_MOMENTS = 20_000;
const LIVENESS_MOMENTS = 15_000;
/** How long whatever is left may take once nothing goes wrong any more: leases, retries, people. */
const PATIENCE_MS = 600_000;
/** How long a machine that stood still or was cut off may go by what it knew before. */
const AWAY_MS = 30_000;

/** Nobody takes these by themselves. */
const NEEDS_SOMEBODY: ReadonlySet<string> = new Set(['paused', 'bounded', 'stalled']);

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
  private lastFull: number | undefined;
  /** When something was lost on its way to the storage or back. */
  private lastAstray: number | undefined;
  loss = 0;
  isHealed = false;
  lives = 0;
  readonly isTraced: boolean;
  private readonly dead = new Set<string>();
  /** Crashes at a write, each of which happens once. */
  private readonly struck = new Set<Fault>();

  constructor(plan: Plan, { isTraced = false, onMoment, disk }: Watching & { readonly disk?: Disk } = {}) {
    this.plan = plan;
    this.isTraced = isTraced;
    if (onMoment !== undefined) this.timeline.onMoment = onMoment;
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
      rested: (known, isTimed) => this.rested(known, isTimed),
    });
    this.truth.isFull = () => {
      if (!this.isFull) return undefined;
      this.lastFull = this.timeline.now;
      return full();
    };
    this.people = new People({
      random: this.random,
      server: (version) => this.server(version),
      openWaits: async (runId) => {
        const record = await this.storage.get(runId);
        return record === undefined ? [] : openWaitsOf(this.storage, record);
      },
      heldUpBy: async (runId, doubt) => {
        const record = await this.storage.get(runId);
        if (record?.status !== 'suspended' || this.truth.of(runId)?.damage !== undefined) return undefined;
        return heldUpBy(await readAll(this.storage, record), doubt);
      },
      isActing: (key) => [...this.acting].some((one) => one.key === key && !one.machine.isDead()),
      mayResume: (visit) => this.mayResume(visit),
      isHealed: () => this.isHealed,
      asks: (what, runId) => this.asks(what, runId),
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

  /**
   * What an operator asks of a run that rests until somebody asks for it is done, whoever else comes to it meanwhile: unless the process that is to do it
   * stands still for as long as a lease, or the disk is full: then whoever had it for a moment cannot give it back either,
   * and holds it until its lease is over; and whoever waits for an answer that got lost holds it for as long. Where somebody else has it go on, cancelled say, it does. A run that is at work elsewhere, or that
   * others may take, says so, and where: it goes on.
   */
  asks(what: string, runId: string): (error: unknown) => never {
    const { now: asked } = this.timeline;
    const known = this.truth.of(runId);
    const isAtRest = known?.owner === undefined && NEEDS_SOMEBODY.has(known?.status ?? '');
    return (error) => {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      const isLate = this.timeline.now - asked >= LEASE_MS;
      const isSince = (at: number | undefined): boolean => at !== undefined && at >= asked;
      const isHeldUp = isLate || isSince(this.lastFull) || isSince(this.lastAstray) || isSince(known?.lineAt);
      if (code === 'JOURNAL_CONFLICT' && isAtRest && !isHeldUp) this.blame(`operator:${what}`, `${runId}: ${message}`);
      throw error;
    };
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
      arrivedUnheard: (op, runId) => this.arrivedUnheard(op, runId),
      goesAstray: () => {
        this.lastAstray = timeline.now;
      },
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
    for (const { owner, worked } of this.truth.runs.values())
      if (owner?.id === machine.owner.id) worked.killed(this.timeline.now);
    machine.kill();
    this.dispatch.lost(machine);
    this.timeline.after(backMs, () => this.machines[machine.slot] === machine && this.open(machine.slot));
  }

  /** A process that has ended by itself. */
  left(machine: Machine): void {
    this.dead.add(machine.owner.id);
    this.dispatch.lost(machine);
  }

  /** What its sender gave up: nobody was told of what it puts in line, and the process has forgotten that it put it to sleep. */
  private arrivedUnheard(op: string, runId: string | undefined): void {
    this.lastAstray = this.timeline.now;
    this.dispatch.arrived(op, runId);
    if (op === 'release' && runId !== undefined) this.truth.of(runId)?.sleep.wakes();
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

  /** The moment of a fault. */
  private rested({ runId, status }: Known, isTimed: boolean): void {
    for (const fault of this.plan.faults) {
      if (fault.kind !== 'set-back' && fault.kind !== 'hesitate') continue;
      const isMoment = fault.kind === 'set-back' ? isTimed : status === 'paused';
      if (!isMoment || `run-${fault.run}` !== runId || this.isHealed || this.struck.has(fault)) continue;
      this.struck.add(fault);
      atRest(this, runId, fault);
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
    this.timeline.after(PATIENCE_MS, () => this.notOver('it had 10 minutes', hasWrongClocks(this.plan)));
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
      ms: timeline.now - VIRTUAL_START,
      started: this.runIds.length - plan.cases.length,
      trace: [...this.lines],
      stops,
    };
  }

  /** `isPatient`: a run may sleep for as long as the date that it was given is off. */
  private notOver(why: string, isPatient = false): void {
    for (const runId of this.runIds) {
      const known = this.truth.of(runId);
      if (!this.isFinal(runId) && !(isPatient && known?.status !== 'pending'))
        this.blame(`liveness:${known?.status ?? 'unborn'}`, `${runId} did not come to its end (${why})`);
    }
  }

  /** A run whose time has come goes on, whatever the date of the machine says that knows how long it has slept. */
  private checkSleepers(): void {
    if (this.plan.turns === 'dispatcher') return; // any machine may be told to drive it: others know only the date
    const isCalm = !this.isFull && this.loss === 0;
    const isFine = (by: string): boolean => {
      const machine = this.machines.find(({ owner }) => owner.id === by);
      return isCalm && machine?.state === 'up' && !machine.isCutOff && this.timeline.now - machine.awaySince > AWAY_MS;
    };
    for (const { runId, sleep, damage } of this.truth.runs.values()) {
      const overslept = damage === undefined ? sleep.overslept(this.timeline.now, isFine) : undefined;
      if (overslept !== undefined)
        this.blame('sleep:late', `${runId} should have been woken by ${overslept.by} at ${overslept.until % 1e8}`);
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
      this.checkSleepers();
      this.tick();
    });
  }
}

export async function simulate(plan: Plan, options: Watching = {}): Promise<Played> {
  if (!plan.faults.some(({ kind }) => kind === 'damage')) return new Simulation(plan, options).play();
  const disk = await Disk.open();
  try {
    return await new Simulation(plan, { ...options, disk }).play();
  } finally {
    await disk.close();
  }
}
