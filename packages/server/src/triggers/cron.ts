import { failureOf } from 'flyball/internal';
import type { Schedule, Times } from './schedule.js';
import { isWorthRepeating, startedBefore } from './start-failure.js';
import type { CronTrigger } from './trigger.js';
import type { TriggerParts, TriggerState } from './trigger-parts.js';
import { type KeptRecord, RecordOfTrigger, runIdOf, type TriggerRecord } from './trigger-record.js';

/** Timers stand still while a machine sleeps, and clocks are set: nobody waits longer than this without looking. */
const LONGEST_WAIT_MS = 60_000;
/** A time this recent is late, not missed: a server that is just starting, or busy, still starts its run. */
const LATE_MS = 60_000;
const FIRST_RETRY_MS = 1_000;

/**
 * Starts runs at the times of a schedule.
 *
 * Invariants:
 * 1. A due time starts at most one run, whoever notices it and how often: its run id is made of the time.
 * 2. A due time is claimed in the record before its run is started and settled after. A claim that a crash left behind
 *    is taken up by whoever looks next, so a claimed time is started and not lost.
 * 3. Due times are the schedule's own. A late timer makes one run late and none of the following.
 */
export class CronClock {
  private readonly parts: TriggerParts;
  private readonly trigger: CronTrigger;
  private readonly schedule: Schedule;
  private readonly kept: RecordOfTrigger;
  private cancelTimer: () => void = () => undefined;
  private isClosed = false;
  private working: Promise<void> = Promise.resolve();
  private failures = 0;

  constructor(parts: TriggerParts, trigger: CronTrigger, schedule: Schedule) {
    this.parts = parts;
    this.trigger = trigger;
    this.schedule = schedule;
    this.kept = new RecordOfTrigger(parts.store, trigger);
  }

  /** Deals with what is due, then waits for the next time. */
  open(): Promise<void> {
    return this.look();
  }

  async state(): Promise<TriggerState> {
    const { name, agent, tenant = 'default', schedule, timezone } = this.trigger;
    const { record } = (await this.kept.find()) ?? {};
    const { salt: _salt, handled: _handled, claim: _claim, ...told } = record ?? { salt: '', handled: 0 };
    const next = this.isClosed ? undefined : this.schedule.next(this.parts.clock.now());
    return { name, kind: 'cron', agent, tenant, schedule, timezone, ...told, ...(next === undefined ? {} : { next }) };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelTimer();
    await this.working;
  }

  private look(): Promise<void> {
    this.working = this.lookOnce().finally(() => this.arm());
    return this.working;
  }

  private arm(): void {
    if (this.isClosed) return;
    this.cancelTimer = this.parts.clock.after(this.untilNextLook(), () => void this.look(), { keepAlive: false });
  }

  private untilNextLook(): number {
    const now = this.parts.clock.now();
    const next = this.schedule.next(now) ?? Number.POSITIVE_INFINITY;
    const wait = Math.min(next - now, LONGEST_WAIT_MS);
    return this.failures === 0 ? wait : Math.min(wait, FIRST_RETRY_MS * 2 ** (this.failures - 1));
  }

  /** A store that fails is told and asked again: no timer must end because of it. */
  private async lookOnce(): Promise<void> {
    try {
      await this.deal();
      this.failures = 0;
    } catch (error) {
      this.failures++;
      this.parts.log.error('a trigger could not be scheduled', error, { trigger: this.trigger.name });
    }
  }

  private async deal(): Promise<void> {
    const { clock } = this.parts;
    let kept = await this.kept.read(clock.now());
    for (;;) {
      const now = clock.now();
      if (kept.record.claim !== undefined) kept = await this.startClaimed(kept, kept.record.claim);
      const due = this.schedule.between(kept.record.handled, now);
      if (due === undefined) return;
      const claimed = claimOf(kept.record, due, { now, missed: this.trigger.missed });
      if (await this.kept.write(kept, claimed, now)) this.tellMissed(kept.record, claimed);
      kept = await this.kept.read(now); // whoever wrote it, this is what holds now
    }
  }

  /** Starts what was claimed, by us or by somebody who is gone, and settles the claim. */
  private async startClaimed(kept: KeptRecord, due: number): Promise<KeptRecord> {
    const { clock } = this.parts;
    const settled = await this.start(kept.record, due);
    await this.kept.write(kept, settled, clock.now()); // where somebody else settled it, theirs holds
    return this.kept.read(clock.now());
  }

  private async start(record: TriggerRecord, due: number): Promise<TriggerRecord> {
    const { name, agent, input, budget, tenant = 'default' } = this.trigger;
    const { claim: _claim, failure: _failure, ...rest } = record;
    const id = runIdOf(record, due);
    const options = { id, tenant, subject: `trigger:${name}`, ...(budget === undefined ? {} : { budget }) };
    try {
      const { id: run } = await this.parts.start(agent, input, options);
      this.parts.log.info('a trigger started a run', { trigger: name, run, due });
      return { ...rest, last: due, lastRun: run };
    } catch (error) {
      const before = startedBefore(error, id);
      if (before !== undefined) return { ...rest, last: due, lastRun: before };
      if (isWorthRepeating(error) && this.isStillCurrent(due)) throw error;
      this.parts.log.error('a trigger could not start its run', error, { trigger: name, due });
      return { ...rest, failure: failureOf(error).message };
    }
  }

  /** Until the next time is due a start is tried again; after that the next time matters more. */
  private isStillCurrent(due: number): boolean {
    const following = this.schedule.next(due);
    return following === undefined || following > this.parts.clock.now();
  }

  private tellMissed(before: TriggerRecord, after: TriggerRecord): void {
    const count = after.missed - before.missed;
    if (count === 0) return;
    const { name, missed } = this.trigger;
    const policy = after.claim === undefined ? 'skip' : missed;
    this.parts.log.warn('a trigger missed times', { trigger: name, count, last: after.lastMissed, policy });
  }
}

/** What becomes of the times since we last looked: the last of them is started, unless it is past and such are skipped. */
function claimOf(
  record: TriggerRecord,
  due: Times,
  { now, missed }: { readonly now: number; readonly missed: 'skip' | 'once' },
): TriggerRecord {
  const isPast = now - due.last > LATE_MS;
  const isStarted = !isPast || missed === 'once';
  const lost = isPast ? due.count : due.count - 1;
  const lastMissed = isPast ? due.last : due.before;
  return {
    ...record,
    handled: due.last,
    missed: record.missed + lost,
    ...(lost === 0 || lastMissed === undefined ? {} : { lastMissed }),
    ...(isStarted ? { claim: due.last } : {}),
  };
}
