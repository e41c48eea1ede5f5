import { ConfigError } from 'flyball';
import { configurationOf } from '../results/info-record.js';
import type { ExperimentInfo, Results, SimulationRecord } from '../results/simulation-record.js';
import { taskHash } from '../results/task-record.js';
import type { Task } from '../world/task.js';
import type { Checkpoint } from './experiment.js';

/** Which simulation a record is of. */
export function identityOf(one: Pick<SimulationRecord, 'trial' | 'taskId' | 'seed'>): string {
  return JSON.stringify([one.trial, one.taskId, one.seed]);
}

/**
 * What may be kept of an earlier file. Infrastructure errors are not: they are run again. A changed or missing task,
 * or another configuration, would mix figures of two experiments in one file, and is refused.
 */
export function keptFrom(
  earlier: Results,
  now: { readonly info: ExperimentInfo; readonly tasks: readonly Task[] },
): readonly SimulationRecord[] {
  const [before, after] = [configurationOf(earlier.info), configurationOf(now.info)];
  const changed = [...after].filter(([name, value]) => before.get(name) !== value).map(([name]) => name);
  if (changed.length > 0)
    throw new ConfigError(
      `The results file was written under another configuration: ${changed.join(', ')} differ. ` +
        'Resume with the configuration that it has, or write to a new file.',
    );
  const hashes = new Map(now.tasks.map((task) => [task.id, taskHash(task)]));
  for (const task of earlier.tasks) {
    const hash = hashes.get(task.id);
    if (hash === taskHash(task)) continue;
    const what = hash === undefined ? 'is no longer among the tasks' : 'was changed';
    throw new ConfigError(
      `Task ${task.id} of the results file ${what}. Resume with the tasks that it began with (others may be added), ` +
        'or write to a new file.',
    );
  }
  const kept = new Map<string, SimulationRecord>();
  for (const one of earlier.simulations) {
    if (one.termination !== 'infrastructure_error') kept.set(identityOf(one), one);
  }
  return [...kept.values()];
}

/**
 * Saves after every simulation. While one save is under way the next ones wait as one: each of them is whole, and the
 * last one holds everything.
 */
export class Saver {
  private readonly checkpoint: Checkpoint | undefined;
  private readonly results: () => Results;
  private running: Promise<void> | undefined;
  private isStale = false;

  constructor(checkpoint: Checkpoint | undefined, results: () => Results) {
    this.checkpoint = checkpoint;
    this.results = results;
  }

  /** Resolves when what is known now is saved. */
  save(): Promise<void> {
    if (this.checkpoint === undefined) return Promise.resolve();
    this.isStale = true;
    this.running ??= this.drain(this.checkpoint);
    return this.running;
  }

  /** Over in the same turn in which it finds nothing new: whoever saves after that starts another one. */
  private async drain(checkpoint: Checkpoint): Promise<void> {
    try {
      while (this.isStale) {
        this.isStale = false;
        await checkpoint.save(this.results());
      }
    } finally {
      this.running = undefined;
    }
  }
}
