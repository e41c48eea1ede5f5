import { type Agents, createRuntime, type Engine, type Runtime, type RuntimeOptions } from 'flyball';
import { testHost } from 'flyball/testing';
import { type Balancer, balancer } from '../../bench/measure/balancer.js';
import { type RestateDispatcher, type RestateOptions, restateDispatcher } from '../../packages/restate/src/index.js';
import { freePort, freshSchema, open, sharedServer } from '../postgres/server.js';
import { TestRestate } from './server.js';

/** A process that works on runs, as far as the database and Restate can tell. */
export interface Worker {
  readonly runtime: Runtime;
  readonly engine: Engine;
  readonly dispatcher: RestateDispatcher;
  readonly problems: string[];
  close(): Promise<void>;
}

/** A database of its own on a shared PostgreSQL, and a Restate: the workers of a test meet there. */
export class Stage {
  readonly restate: TestRestate;
  private readonly postgres: Awaited<ReturnType<typeof sharedServer>>;
  private readonly workers: Worker[] = [];
  private schema = freshSchema();
  private balancer: Balancer | undefined;
  private names = 0;

  private constructor(restate: TestRestate, postgres: Awaited<ReturnType<typeof sharedServer>>) {
    this.restate = restate;
    this.postgres = postgres;
  }

  static async open(nodes = 1): Promise<Stage> {
    return new Stage(await TestRestate.start(nodes), await sharedServer());
  }

  /** Each test has its own tables, and its own services in Restate. */
  async fresh(): Promise<void> {
    await this.clear();
    this.schema = freshSchema();
    this.names += 1;
    this.balancer = await balancer();
  }

  get database(): string {
    return `${this.postgres.url}?schema=${this.schema}`;
  }

  get balance(): Balancer {
    if (this.balancer === undefined) throw new Error('fresh() comes first');
    return this.balancer;
  }

  get name(): string {
    return `t${process.pid}-${this.names}`;
  }

  /** `worker: 'elsewhere'` in the options: one that only starts runs and tells them something. */
  async worker(
    agents: Agents,
    given: { readonly restate?: Partial<RestateOptions>; readonly options?: Partial<RuntimeOptions> } = {},
  ): Promise<Worker> {
    const engine = await open(this.postgres.url, { schema: this.schema, leaseClock: 'database' });
    const port = await freePort();
    const problems: string[] = [];
    const onProblem = (error: unknown, doing: string) => void problems.push(`${doing}: ${(error as Error).message}`);
    const dispatcher = restateDispatcher({
      url: this.restate.urls,
      admin: this.restate.admins,
      listen: `127.0.0.1:${port}`,
      address: this.balance.url,
      name: this.name,
      onProblem,
      ...given.restate,
    });
    if (given.options?.worker !== 'elsewhere') this.balance.ports.add(port);
    const options = { suspendAfterMs: 20, pollMs: 20, ...given.options };
    const host = testHost(`${this.name}-${port}`);
    const runtime = createRuntime({ engine, agents, host, dispatcher, options, onProblem });
    await dispatcher.ready();
    const worker: Worker = {
      runtime,
      engine,
      dispatcher,
      problems,
      close: async () => {
        this.balance.ports.delete(port);
        await runtime.close();
        await dispatcher.close();
        await engine.close();
        this.workers.splice(this.workers.indexOf(worker), 1);
      },
    };
    this.workers.push(worker);
    return worker;
  }

  async clear(): Promise<void> {
    for (const worker of [...this.workers]) await worker.close();
    this.balancer?.close();
  }

  async remove(): Promise<void> {
    await this.clear();
    await this.restate.remove();
    this.postgres.remove();
  }
}
