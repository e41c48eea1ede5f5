import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { budget, createRuntime, done, type Entry, type Runtime, systemClock } from 'flyball';
import { approvalInbox, type InboxItem } from 'flyball/people';
import { type Balancer, balancer } from '../../bench/measure/balancer.js';
import { type PostgresEngine, postgresEngine } from '../../packages/postgres/src/index.js';
import { type RestateDispatcher, type RestateOptions, restateDispatcher } from '../../packages/restate/src/index.js';
import { patient } from '../patience.js';
import { freePort } from '../postgres/server.js';
import { type Doubt, doubtsIn } from './doubts.js';
import { Ledger, type Verdict } from './ledger.js';

export interface WorkerOrders {
  /** As it signs in the ledger. */
  readonly name: string;
  readonly urls: readonly string[];
  readonly schema: string;
  readonly ledger: string;
  readonly leaseMs: number;
  readonly offsetMs: number;
  readonly version: string;
  readonly steps: number;
  readonly sleeps: boolean;
  /** Restate calls the workers; without it they look for work themselves. */
  readonly restate?: Pick<RestateOptions, 'url' | 'admin' | 'listen' | 'address' | 'sweepMs'>;
}

export type StageOrders = Omit<WorkerOrders, 'name' | 'ledger' | 'leaseMs' | 'steps'>;

export interface Worker {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Resolves when it has done whatever it was about to do. */
  settled(): Promise<void>;
  /** Tells it to stop in order. Nobody else may leave alive. */
  stop(): Promise<number | null>;
}

export interface Told extends Verdict {
  /** Faults that were really made. */
  readonly faults: number;
  readonly runs: number;
  /** How often another process had to go on with a run. */
  readonly takeovers: number;
  /** Questions to a person whether an act took place. */
  readonly doubts: readonly Doubt[];
  /** Of them, the act had taken place. */
  readonly happened: number;
  /** Runs that did not end, and how they stand. */
  readonly stuck: readonly string[];
  readonly seconds: number;
}

export const LEASE_MS = 1_500;
const ACTS_MS = 120_000;
const WIDTH = 10;
const STEPS = 9;
const WORKER = join(import.meta.dirname, 'worker.mjs');

/** Restate, and the one address under which it knows all workers. */
interface Called {
  readonly dispatcher: RestateDispatcher;
  readonly door: Balancer;
  at(port: number): NonNullable<WorkerOrders['restate']>;
}

async function calledBy(restate: NonNullable<WorkerOrders['restate']>): Promise<Called> {
  const door = await balancer();
  return {
    dispatcher: restateDispatcher({ ...restate, onProblem: () => undefined }), // it is away now and then
    door,
    at: (port) => ({ ...restate, listen: `127.0.0.1:${port}`, address: door.url, sweepMs: 2_000 }),
  };
}

/** Runs that keep coming, workers that work on them, a person who answers, and a ledger that none of them reads but he. */
export class Stage {
  readonly ledger: Ledger;
  readonly engine: PostgresEngine;
  private readonly folder: string;
  private readonly runtime: Runtime;
  private readonly began = Date.now();
  private readonly orders: StageOrders;
  private readonly called: Called | undefined;
  private readonly started: string[] = [];
  private readonly open = new Set<string>();
  private happened = 0;
  private readonly children = new Set<ChildProcess>();
  private isOver = false;
  /** What went wrong with the load or the workers: it cannot go on. */
  private broken: unknown;
  private readonly load: Promise<void>;
  private readonly inbox;
  /** While something is wrong nobody can know whether a worker will still act: nobody answers. */
  private isCalm = true;
  private rounds = 0;
  private names = 0;
  /** How many faults were made so far. */
  faults = 0;

  private constructor(engine: PostgresEngine, orders: StageOrders, called: Called | undefined) {
    this.engine = engine;
    this.orders = orders;
    this.called = called;
    this.folder = mkdtempSync(join(tmpdir(), 'flyball-faults-'));
    chmodSync(this.folder, 0o777);
    this.ledger = new Ledger(join(this.folder, 'ledger.txt'));
    this.runtime = createRuntime({
      engine,
      agents: { acts: { agent: async () => done(null), version: orders.version } },
      onProblem: () => undefined,
      options: { worker: 'elsewhere' },
      ...(called === undefined ? {} : { dispatcher: called.dispatcher }),
    });
    this.inbox = approvalInbox({ runtime: this.runtime, store: engine.store, clock: systemClock() });
    this.load = this.feed();
    this.load.catch((error: unknown) => {
      this.broken = error;
    });
  }

  static async open(given: Partial<StageOrders> & Pick<WorkerOrders, 'urls' | 'schema'>): Promise<Stage> {
    const { urls: url, schema, restate } = given;
    const engine = await postgresEngine({ url, schema, onNotice: () => undefined, patienceMs: 120_000 });
    const called = restate === undefined ? undefined : await calledBy(restate);
    return new Stage(engine, { offsetMs: 0, version: '1', sleeps: true, ...given }, called);
  }

  /** Resolves when this worker, or any, acts once more: whatever happens next happens to somebody who is at work. */
  async acts(worker?: Worker): Promise<void> {
    const before = this.ledger.countOf(worker?.name);
    const until = Date.now() + patient(ACTS_MS);
    while (this.ledger.countOf(worker?.name) === before) {
      if (this.broken !== undefined) throw this.broken;
      if (Date.now() > until) throw new Error(`${worker?.name ?? 'No worker'} acts any more: ${await this.standing()}`);
      await pause(5);
    }
  }

  /** From now on nobody answers. */
  storm(): void {
    this.isCalm = false;
  }

  /** Whoever might still have acted has done so: everything that is asked is answered. */
  async calm(): Promise<void> {
    this.isCalm = true;
    const enough = this.rounds + 2; // one that began before may have looked too early
    while (this.rounds < enough && this.broken === undefined) await pause(20);
  }

  /** A worker that has reached the database. `before`: a command that puts it somewhere else. */
  async worker(given: Partial<WorkerOrders> = {}, before: readonly string[] = []): Promise<Worker> {
    const port = this.called === undefined ? 0 : await freePort();
    const restate = this.called === undefined ? {} : { restate: this.called.at(port) };
    const name = `w${++this.names}`;
    const fixed = { name, ledger: this.ledger.path, leaseMs: LEASE_MS, steps: STEPS };
    const orders: WorkerOrders = { ...this.orders, ...fixed, ...restate, ...given };
    const { NODE_OPTIONS: _hooks, ...env } = process.env;
    const [command = process.execPath, ...words] = [...before, process.execPath, WORKER];
    const child = spawn(command, words, {
      env: { ...env, FAULTS: JSON.stringify(orders) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.children.add(child);
    this.called?.door.ports.add(port); // Restate looks at it while it registers
    let isTold = false;
    const ended = once(child, 'exit').then(([code]) => {
      // the others do its work and nothing shows, until the last one has left
      if (code !== null && !isTold) this.broken ??= new Error(`Worker ${name} ended by itself, with ${code}.`);
      this.children.delete(child);
      this.called?.door.ports.delete(port);
      return code as number | null;
    });
    const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
    if (!isReady) throw new Error('A worker did not start.');
    return {
      name,
      child,
      ended,
      async settled() {
        const said = once(child.stdout, 'data');
        child.kill('SIGUSR2');
        await Promise.race([said, ended]);
      },
      stop() {
        isTold = true;
        child.kill('SIGTERM');
        return ended;
      },
    };
  }

  /** No new runs; waits for the end of all, judges them, and puts everything away. */
  async finish(patienceMs: number): Promise<Told> {
    this.isCalm = true;
    this.isOver = true;
    const until = Date.now() + patienceMs;
    while (this.open.size > 0 && Date.now() < until && this.broken === undefined) await pause(100);
    if (this.broken !== undefined) throw this.broken;
    const stuck = this.open.size === 0 ? [] : (await this.standing()).split('\n');
    if (stuck.length === 0) await this.load;
    const isDone = this.started.filter((id) => !this.open.has(id));
    const verdict = this.ledger.judge(isDone, STEPS);
    const journals = await this.journalsOf(isDone);
    const lives = journals.flat().flatMap(({ event }) => (event.type === 'attempt-start' ? [event.why] : []));
    const seconds = (Date.now() - this.began) / 1_000;
    await this.close();
    return {
      ...verdict,
      faults: this.faults,
      runs: this.started.length,
      takeovers: lives.filter((why) => why === 'takeover').length,
      doubts: journals.flatMap(doubtsIn),
      happened: this.happened,
      stuck,
      seconds,
    };
  }

  /** How the runs stand that have not ended. */
  private async standing(): Promise<string> {
    const lines = [...this.open].map(async (id) => {
      const { status, owner, leaseUntil } = (await this.engine.get(id)) ?? {};
      return `${id} ${status} ${owner?.id ?? 'nobody'} ${leaseUntil ?? ''} ${JSON.stringify(await this.engine.waits(id))}`;
    });
    return (await Promise.all(lines)).join('\n');
  }

  private async journalsOf(runIds: readonly string[]): Promise<readonly (readonly Entry[])[]> {
    const journals = [];
    for (const id of runIds) journals.push(await this.runtime.entries(id));
    return journals;
  }

  async close(): Promise<void> {
    this.isOver = true;
    for (const child of this.children) child.kill('SIGKILL');
    this.inbox.close();
    this.runtime.abandon();
    await this.called?.dispatcher.close();
    this.called?.door.close();
    await this.engine.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async feed(): Promise<void> {
    for (;;) {
      while (!this.isOver && this.open.size < WIDTH) {
        const id = `r${this.started.length}`;
        this.started.push(id);
        await this.runtime.start('acts', null, { id, budget: budget({ wallMs: 86_400_000 }) });
        this.open.add(id);
      }
      await pause(100);
      for (const id of this.open) if ((await this.engine.get(id))?.status === 'done') this.open.delete(id);
      if (this.isCalm) await this.answer();
      this.rounds += 1;
      if (this.isOver && this.open.size === 0) return;
    }
  }

  /** The person looks into the ledger, which is what a bank statement or a mailbox is to people. */
  private async answer(): Promise<void> {
    for (const id of this.open) {
      if (!(await this.engine.waits(id)).some(({ asked }) => asked)) continue;
      await this.inbox.refresh(id);
      const { items } = await this.inbox.list({ status: 'open', run: id });
      for (const item of items.filter(({ kind }) => kind === 'doubt')) await this.answerOne(item);
    }
  }

  private async answerOne(item: InboxItem): Promise<void> {
    if (!this.isCalm) return;
    const n = Number((item.request as { readonly input?: unknown }).input);
    const happened = this.ledger.has(item.run, n);
    const value = happened ? { happened, result: null } : { happened };
    await this.inbox.answer(item.id, value, { by: 'person', scopes: [] }).then(
      () => {
        if (happened) this.happened += 1;
      },
      (error: { readonly code?: string }) => {
        if (!['SIGNAL_UNEXPECTED', 'ALREADY_TERMINAL'].includes(error.code ?? '')) throw error; // it was settled meanwhile
      },
    );
  }
}
