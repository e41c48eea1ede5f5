import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { budget, createRuntime, done, type Runtime, systemClock } from 'flyball';
import { approvalInbox, type InboxItem } from 'flyball/people';
import { type PostgresEngine, postgresEngine } from '../../packages/postgres/src/index.js';
import { Ledger, type Verdict } from './ledger.js';

export interface WorkerOrders {
  readonly urls: readonly string[];
  readonly schema: string;
  readonly ledger: string;
  readonly leaseMs: number;
  readonly offsetMs: number;
  readonly version: string;
  readonly steps: number;
  readonly sleeps: boolean;
}

export interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

export interface Told extends Verdict {
  readonly runs: number;
  /** Questions to a person whether an act took place, by why nobody else could tell. */
  readonly doubts: Readonly<Record<string, number>>;
  /** Of them, the act had taken place. */
  readonly happened: number;
  /** Runs that did not end, and how they stand. */
  readonly stuck: readonly string[];
  readonly seconds: number;
}

export const LEASE_MS = 1_500;
const WIDTH = 10;
const STEPS = 9;
const WORKER = join(import.meta.dirname, 'worker.mjs');

/** Runs that keep coming, workers that work on them, a person who answers, and a ledger that none of them reads but he. */
export class Stage {
  readonly ledger: Ledger;
  readonly engine: PostgresEngine;
  private readonly folder: string;
  private readonly runtime: Runtime;
  private readonly began = Date.now();
  private readonly orders: Omit<WorkerOrders, 'ledger' | 'leaseMs' | 'steps'>;
  private readonly started: string[] = [];
  private readonly open = new Set<string>();
  private happened = 0;
  private readonly children = new Set<ChildProcess>();
  private isOver = false;
  private readonly load: Promise<void>;
  private readonly inbox;
  /** While something is wrong nobody can know whether a worker will still act: nobody answers. */
  isCalm = true;

  private constructor(engine: PostgresEngine, orders: Stage['orders']) {
    this.engine = engine;
    this.orders = orders;
    this.folder = mkdtempSync(join(tmpdir(), 'flyball-faults-'));
    chmodSync(this.folder, 0o777);
    this.ledger = new Ledger(join(this.folder, 'ledger.txt'));
    this.runtime = createRuntime({
      engine,
      agents: { acts: { agent: async () => done(null), version: orders.version } },
      onProblem: () => undefined,
      options: { worker: 'elsewhere' },
    });
    this.inbox = approvalInbox({ runtime: this.runtime, store: engine.store, clock: systemClock() });
    this.load = this.feed();
    this.load.catch(() => undefined);
  }

  static async open(given: Partial<Stage['orders']> & Pick<WorkerOrders, 'urls' | 'schema'>): Promise<Stage> {
    const { urls: url, schema } = given;
    const engine = await postgresEngine({ url, schema, onNotice: () => undefined, patienceMs: 120_000 });
    return new Stage(engine, { offsetMs: 0, version: '1', sleeps: true, ...given });
  }

  /** A worker that has reached the database. `before`: a command that puts it somewhere else. */
  async worker(given: Partial<WorkerOrders> = {}, before: readonly string[] = []): Promise<Worker> {
    const orders = { ...this.orders, ledger: this.ledger.path, leaseMs: LEASE_MS, steps: STEPS, ...given };
    const { NODE_OPTIONS: _hooks, ...env } = process.env;
    const [command = process.execPath, ...words] = [...before, process.execPath, WORKER];
    const child = spawn(command, words, {
      env: { ...env, FAULTS: JSON.stringify(orders) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.children.add(child);
    const ended = once(child, 'exit').then(([code]) => {
      this.children.delete(child);
      return code as number | null;
    });
    const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
    if (!isReady) throw new Error('A worker did not start.');
    return { child, ended };
  }

  /** No new runs; waits for the end of all, judges them, and puts everything away. */
  async finish(patienceMs: number): Promise<Told> {
    this.isCalm = true;
    this.isOver = true;
    const until = Date.now() + patienceMs;
    while (this.open.size > 0 && Date.now() < until) await pause(100);
    const stuck = await Promise.all([...this.open].map(async (id) => `${id} ${(await this.engine.get(id))?.status}`));
    if (stuck.length === 0) await this.load;
    const isDone = this.started.filter((id) => !this.open.has(id));
    const verdict = this.ledger.judge(isDone, STEPS);
    const doubts = await this.doubtsOf(isDone);
    const seconds = (Date.now() - this.began) / 1_000;
    await this.close();
    return { ...verdict, runs: this.started.length, doubts, happened: this.happened, stuck, seconds };
  }

  private async doubtsOf(runIds: readonly string[]): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const id of runIds)
      for (const { event } of await this.runtime.entries(id))
        if (event.type === 'doubt') counts[event.why] = (counts[event.why] ?? 0) + 1;
    return counts;
  }

  async close(): Promise<void> {
    this.isOver = true;
    for (const child of this.children) child.kill('SIGKILL');
    this.inbox.close();
    this.runtime.abandon();
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
      await pause(50);
      for (const id of this.open) if ((await this.engine.get(id))?.status === 'done') this.open.delete(id);
      if (this.isCalm) await this.answer();
      if (this.isOver && this.open.size === 0) return;
    }
  }

  /** The person looks into the ledger, which is what a bank statement or a mailbox is to people. */
  private async answer(): Promise<void> {
    const asking: string[] = [];
    for (const id of this.open) if ((await this.engine.waits(id)).some(({ asked }) => asked)) asking.push(id);
    for (const id of asking) await this.inbox.refresh(id);
    if (asking.length === 0) return;
    const { items } = await this.inbox.list({ status: 'open' });
    for (const item of items.filter(({ kind }) => kind === 'doubt')) await this.answerOne(item);
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
