import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Hooks, type Rows } from './connection.js';
import type { Statement } from './driver.js';
import { isLost, isTransient, LinkError, servingError, uncertain } from './errors.js';
import type { Settings } from './options.js';

/** Whoever waits for longer is told what for. */
const QUIET_MS = 1_000;

/** Makes work again over new connections, while patience lasts. */
export async function patiently<T>(
  work: (attempt: number) => Promise<T>,
  { patienceMs, onWaiting }: Pick<Settings, 'patienceMs'> & { readonly onWaiting?: (error: unknown) => void },
): Promise<T> {
  const since = performance.now();
  const until = since + patienceMs;
  let isTold = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(isLost(error) || isTransient(error)) || performance.now() > until) throw error;
      if (!isTold && performance.now() - since > QUIET_MS) {
        isTold = true;
        onWaiting?.(error);
      }
      await sleep(Math.min(10 * 2 ** Math.min(attempt, 5), 250) * (0.5 + Math.random()));
    }
  }
}

/** Connections for everything that may be done twice: reads, and writes that know when they were made before. */
export class Desk {
  private readonly connections: readonly Connection[];
  private readonly settings: Settings;
  private isClosed = false;

  constructor(settings: Settings, hooks: Hooks) {
    this.settings = settings;
    this.connections = Array.from({ length: settings.readers }, () => new Connection(settings, hooks));
  }

  /** One transaction that reads, or whose writes nobody is told of, over whichever connection has least to do. */
  async ask(...statements: readonly Statement[]): Promise<readonly Rows[]> {
    return this.attempts(() => this.idlest().run(statements), servingError);
  }

  /**
   * One transaction that changes something, of this run if it is of one. `statementsOf` is told how often it was tried
   * before: it may have been made then. Where its answer was lost and no later attempt was answered, nobody knows.
   */
  async change(
    run: string | undefined,
    statementsOf: (attempt: number) => readonly Statement[],
  ): Promise<readonly Rows[]> {
    let doubt = false;
    const attempt = async (tried: number): Promise<readonly Rows[]> => {
      let isSent = false;
      try {
        return await this.idlest().run(statementsOf(tried), () => {
          isSent = true;
        });
      } catch (error) {
        doubt ||= isSent && isLost(error);
        throw error;
      }
    };
    return this.attempts(attempt, (error) => (doubt ? uncertain(run, error) : servingError(error)));
  }

  private async attempts(
    work: (attempt: number) => Promise<readonly Rows[]>,
    meaningOf: (error: unknown) => Error,
  ): Promise<readonly Rows[]> {
    if (this.isClosed) throw servingError(new LinkError('CLOSED', 'the engine is closed; open it again'));
    try {
      return await patiently(work, this.settings);
    } catch (error) {
      throw meaningOf(error);
    }
  }

  async rows(statement: Statement): Promise<Rows> {
    return (await this.ask(statement))[0] ?? [];
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  private idlest(): Connection {
    return this.connections.reduce((least, each) => (each.load < least.load ? each : least));
  }
}
