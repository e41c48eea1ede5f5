import type { Dispatcher } from 'flyball';
import type { Machine } from './machine.js';
import type { Simulation } from './simulation.js';

/** How often it looks for runs that nobody works on, and for how long that has been so. */
const SWEEP_MS = 15_000;

/** Another system that says whose turn it is: it has what it was told driven, once or more often, wherever it likes. */
export class Dispatch {
  readonly port: Dispatcher;
  private readonly simulation: Simulation;
  private readonly driven = new Map<Machine, Set<string>>();
  /** Runs that were put in line after whoever did so was told that nobody knows, and gave up. */
  private readonly unheard = new Set<string>();

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.port = {
      dispatch: async (runId) => {
        const { random } = simulation;
        this.later(runId, random.int(50));
        if (random.int(8) === 0) this.later(runId, random.int(500)); // it may think that the first one was lost
      },
    };
  }

  /** The machine is gone, and with it whatever it was doing. */
  lost(machine: Machine): void {
    for (const runId of this.driven.get(machine) ?? []) this.later(runId, 100);
    this.driven.delete(machine);
  }

  arrived(op: string, runId: string | undefined): void {
    if (op === 'requeue' && runId !== undefined) this.unheard.add(runId);
  }

  /**
   * A claim may arrive when its process is gone, or has heard that nobody knows what became of it, and the run was driven
   * since: then nobody works on it, and nobody was told. The same holds for what puts a run in line. Such runs have an owner
   * who has shown no sign of life since its lease ended, or are known here, and only they are looked for: that everything else is dispatched in the first place is what the rules
   * check. `@flyball/restate` looks for more (`overdue` of a driver), and waits for as long.
   */
  sweep(): void {
    const { timeline, truth } = this.simulation;
    timeline.after(SWEEP_MS, () => {
      for (const { runId, owner, leaseUntil } of truth.runs.values())
        if (owner !== undefined && leaseUntil <= timeline.now - SWEEP_MS) this.later(runId, 1);
      for (const runId of this.unheard) this.later(runId, 1);
      this.unheard.clear();
      this.sweep();
    });
  }

  private later(runId: string, ms: number): void {
    this.simulation.timeline.after(ms, () => void this.drive(runId));
  }

  private async drive(runId: string): Promise<void> {
    const { machines, random, truth } = this.simulation;
    if (this.simulation.isFinal(runId)) return;
    const up = machines.filter(({ state }) => state === 'up');
    if (up.length === 0) return this.later(runId, 1_000);
    const version = truth.of(runId)?.version;
    const able = up.filter((machine) => machine.version === version);
    const machine = random.pick(able.length > 0 ? able : up);
    const runs = this.driven.get(machine) ?? new Set();
    this.driven.set(machine, runs.add(runId));
    this.simulation.trace(`${machine.name} is to drive ${runId}`);
    try {
      const { wakeAt } = await machine.service.drive(runId);
      if (wakeAt !== undefined) this.later(runId, Math.max(1, wakeAt - machine.clock.now()));
    } catch (error) {
      this.simulation.trace(`${machine.name} drives ${runId} no more: ${(error as Error).message.slice(0, 100)}`);
      this.later(runId, 1_000 + random.int(2_000));
    } finally {
      runs.delete(runId);
    }
  }
}
