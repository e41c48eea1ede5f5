import { type Budget, budget, type Entry, type EventOf, type RunRecord, type RunStatus, type Runtime } from 'flyball';
import { forkPoints } from 'flyball/views';
import { type Desk, eventsOf } from '../processes/desk.js';
import { recordedFor } from '../programs/storm-agents.js';
import { Answers } from './storm-answers.js';
import type { Fleet } from './storm-fleet.js';
import { newStormRun, type StormRun } from './storm-run.js';

/** People who start runs, decide, answer, pause, redirect, fork and cancel while the processes come and go. */

const OVER: ReadonlySet<RunStatus> = new Set(['done', 'failed', 'cancelled', 'degraded', 'blocked', 'stalled']);
const GENEROUS: Partial<Budget> = { wallMs: 1e10, iterations: 1e6 };

export class People {
  readonly tally = {
    pauses: 0,
    redirects: 0,
    forks: 0,
    liveForks: 0,
    cancellations: 0,
    cancelledDead: 0,
    bounds: 0,
  };
  readonly runs: StormRun[] = [];
  readonly problems: string[] = [];
  readonly answers: Answers;
  private readonly open = new Map<string, StormRun>();
  private readonly busy = new Map<string, Promise<void>>();
  private readonly desk: Desk;
  private readonly fleet: Fleet;
  private readonly random: () => number;

  constructor(desk: Desk, rival: Runtime, fleet: Fleet, random: () => number) {
    this.desk = desk;
    this.fleet = fleet;
    this.random = random;
    this.answers = new Answers({ desk, rival, fleet, random, fault: (what) => this.problems.push(what) });
  }

  get openRuns(): number {
    return this.open.size;
  }

  /** How often what was done. */
  get said(): Readonly<Record<string, number>> {
    return { ...this.answers.tally, ...this.tally };
  }

  get hasDoneAll(): boolean {
    return Object.values(this.said).every((times) => times > 0);
  }

  begin(): void {
    this.add(newStormRun(`storm-${this.runs.length + 1}`, this.random));
  }

  /** Looks at every run once. */
  async look(): Promise<void> {
    for (const run of [...this.open.values()]) {
      const record = await this.desk.engine.get(run.id);
      if (record === undefined) this.once(`start ${run.id}`, () => this.start(run));
      else await this.attend(run, record);
    }
  }

  /** While nobody is alive. */
  async cancelSome(): Promise<void> {
    for (const run of this.open.values()) {
      if (this.random() < 0.8 || (await this.desk.engine.get(run.id)) === undefined) continue;
      await recordedFor(this.desk.ledger, 'whatever the dead have sent');
      const lines = (await this.desk.ledger.effects()).length;
      await this.desk.runtime.cancel(run.id, { by: 'ann' }).then(
        () => {
          run.cancelledDeadAt ??= lines;
          this.tally.cancelledDead++;
        },
        (error: unknown) => this.answers.unlessLate(error),
      );
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.busy.values());
  }

  private add(run: StormRun): void {
    this.runs.push(run);
    this.open.set(run.id, run);
  }

  private async start(run: StormRun): Promise<void> {
    const { id, fails, rounds, fork } = run;
    if (fork !== undefined) {
      const { generation, at, live } = fork;
      await this.ask((process) => process.fork(fork.of.id, { id, at, generation, live, by: 'fay' }));
      return;
    }
    const job = { ledger: this.desk.ledger.url, rounds, fails };
    const limits = budget({ ...GENEROUS, toolCalls: run.toolCalls });
    await this.ask((process) => process.start('storm', job, { id, budget: limits, subject: 'sue' }));
  }

  private async attend(run: StormRun, record: RunRecord): Promise<void> {
    const { status } = record;
    if (status === 'stalled') this.problems.push(`${run.id} stalled: ${record.attention}`);
    if (OVER.has(status)) {
      this.open.delete(run.id);
      return;
    }
    if (status === 'bounded') this.once(`bound ${run.id}`, () => this.enlarge(run));
    if (status === 'paused')
      this.once(`resume ${run.id}`, () => this.ask((process) => process.resume(run.id, { by: 'ann' })));
    await this.carryOut(run, record);
    for (const { token, generation, seq } of await this.desk.engine.waits(run.id)) {
      if (this.answers.said.has(token)) continue;
      const [entry] = await this.desk.engine.read(run.id, { generation, from: seq, to: seq });
      if (entry === undefined) continue;
      this.once(token, () => this.answers.answer(run.id, JSON.parse(entry.body) as EventOf<'wait-start'>));
    }
  }

  private async carryOut(run: StormRun, { generation }: RunRecord): Promise<void> {
    if (run.orders.length === 0) return;
    const length = generation * 60 + (await this.desk.engine.read(run.id, { generation })).length;
    const due = run.orders.findIndex(({ after }) => after <= length);
    const [order] = due === -1 ? [] : run.orders.splice(due, 1);
    if (order === undefined) return;
    const { runtime } = this.desk;
    const told = async (promise: Promise<void>, count: () => void) =>
      promise.then(count, (error: unknown) => this.answers.unlessLate(error));
    if (order.what === 'pause') await told(runtime.pause(run.id, { by: 'ann' }), () => this.tally.pauses++);
    if (order.what === 'cancel') await told(runtime.cancel(run.id, { by: 'ann' }), () => this.tally.cancellations++);
    if (order.what === 'redirect')
      await told(runtime.redirect(run.id, 'Mind the step.', { by: 'sam' }), () => {
        run.redirects++;
        this.tally.redirects++;
      });
    if (order.what === 'fork' && run.fork === undefined) await this.fork(run, generation);
  }

  private async fork(of: StormRun, generation: number): Promise<void> {
    const points = forkPoints(await this.desk.runtime.entries(of.id), generation);
    const at = points[Math.floor(this.random() * points.length)];
    if (at === undefined) return;
    const live = this.random() < 0.5;
    this.tally[live ? 'liveForks' : 'forks']++;
    const orders = this.random() < 0.2 ? [{ what: 'cancel' as const, after: 20 }] : [];
    const { fails, rounds, toolCalls } = of;
    this.add({
      id: `${of.id}-fork`,
      fails,
      rounds,
      toolCalls,
      orders,
      fork: { of, live, generation, at },
      redirects: 0,
    });
  }

  private async enlarge(run: StormRun): Promise<void> {
    const entries = await this.desk.runtime.entries(run.id);
    const end = eventsOf(entries, 'run-end').at(-1);
    if (end?.outcome.stop !== 'bounded' || isResumed(entries)) return;
    const own = new Set(
      entries.flatMap(({ event }) => (event.type === 'intent' && event.of === 'call' ? [event.key] : [])),
    );
    const acted = (await this.desk.ledger.effects()).filter(({ key }) => own.has(key)).length;
    const { bound, limit } = end.outcome;
    if (bound !== 'toolCalls' || acted > limit)
      this.problems.push(`${run.id} stopped at ${bound} = ${limit} with ${acted} calls`);
    const resume = { by: 'ann', budget: { toolCalls: limit + 3 } };
    await this.ask((process) => process.resume(run.id, resume)).catch(async (error: { readonly code?: string }) => {
      // the process before this one died over the same wish, and had carried it out
      const isGoing = isResumed(await this.desk.runtime.entries(run.id));
      if (error.code !== 'CONFIG_INVALID' || !isGoing) throw error;
    });
    this.tally.bounds++;
  }

  /** Some process does it, or dies over it. */
  private async ask(work: (process: NonNullable<ReturnType<Fleet['anyone']>>) => Promise<unknown>): Promise<void> {
    const process = this.fleet.anyone();
    if (process !== undefined) await Promise.race([work(process), process.exited]);
  }

  private once(name: string, work: () => Promise<void>): void {
    if (this.busy.has(name)) return;
    const job = work()
      .catch((error: unknown) => this.answers.unlessLate(error))
      .then(() => void this.busy.delete(name));
    this.busy.set(name, job);
  }
}

/** Somebody let it go on since it last ended; a redirection alone may stand behind an end too. */
function isResumed(entries: readonly Entry[]): boolean {
  const end = entries.findLastIndex(({ event }) => event.type === 'run-end');
  return eventsOf(entries.slice(end + 1), 'run-resume').length > 0;
}
