import { type Driver, FlyballError, type RunRecord } from 'flyball';

/** How a run rests, and what time it is for whoever says so. */
export interface Driven {
  readonly status: string;
  readonly wakeAt?: number;
  readonly now: number;
}

/** The runtimes of this process that work on runs. */
export class Drivers {
  private readonly all = new Set<Driver>();
  /** Called when a run is for another worker. */
  onRefused: () => void = () => undefined;
  /** Called when there is no such run in the database. */
  onUnknown: (runId: string) => void = () => undefined;

  add(driver: Driver): () => void {
    this.all.add(driver);
    return () => void this.all.delete(driver);
  }

  [Symbol.iterator](): Iterator<Driver> {
    return this.all.values();
  }

  isAtWork(runId: string): boolean {
    return [...this.all].some((driver) => driver.has(runId));
  }

  drive(runId: string): Promise<Driven> {
    return this.orElsewhere(() => this.driven(runId));
  }

  /** Undefined for a run that was removed. */
  find(runId: string): Promise<RunRecord | undefined> {
    return this.orElsewhere(() => this.found(runId));
  }

  private async orElsewhere<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isForOthers(error)) this.onRefused();
      throw error;
    }
  }

  private async driven(runId: string): Promise<Driven> {
    const record = await this.found(runId);
    if (record === undefined) {
      this.onUnknown(runId);
      return { status: 'unknown', now: Date.now() };
    }
    const driver = [...this.all].find(({ agents }) => agents.includes(record.agent));
    if (driver === undefined)
      throw new FlyballError('AGENT_UNKNOWN', `This worker does not work on runs of "${record.agent}".`);
    const rested = await driver.drive(runId);
    return { ...rested, now: Date.now() };
  }

  /** All runtimes of a process share a database: any of them knows. */
  private async found(runId: string): Promise<RunRecord | undefined> {
    const [any] = this.all;
    if (any === undefined) throw new FlyballError('RUN_UNLOADED', 'This worker is closing. Another one continues.');
    return any.get(runId).catch((error: unknown) => {
      if (error instanceof FlyballError && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    });
  }
}

function isForOthers(error: unknown): boolean {
  return error instanceof FlyballError && (error.code === 'RUN_UNLOADED' || error.code === 'AGENT_UNKNOWN');
}
