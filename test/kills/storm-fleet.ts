import { setTimeout as pause } from 'node:timers/promises';
import type { Desk } from '../processes/desk.js';
import { type Remote, remote } from '../processes/remote.js';
import type { Strike } from '../programs/agent-process.js';

/** Several processes over one database that die, stop and are replaced, each with a clock of its own. */

const SIZE = 3;
const HOUR_MS = 3_600_000;
const LEASE_MS = 120_000;
/** Time that passes for everybody who is born later: deadlines and leases of the dead run out without waiting. */
const A_WHILE_MS = 30_000;

interface Member {
  readonly process: Remote;
  isOpen: boolean;
  isStopped: boolean;
  isGone: boolean;
}

export interface Quota {
  readonly kills: number;
  readonly stops: number;
}

export class Fleet {
  readonly tally = { kills: 0, stops: 0, takeovers: 0, clockJumps: 0, processes: 0 };
  private readonly members = new Map<number, Member>();
  private readonly background = new Set<Promise<void>>();
  private readonly desk: Desk;
  private readonly random: () => number;
  private readonly quota: Quota;
  private readonly onProblem: (error: unknown) => void;
  private standby: Remote = remote();
  private sinceMs = 0;
  private isDark = false;
  private isCalm = false;

  constructor(desk: Desk, random: () => number, quota: Quota, onProblem: (error: unknown) => void) {
    this.desk = desk;
    this.random = random;
    this.quota = quota;
    this.onProblem = onProblem;
  }

  get isSpent(): boolean {
    return this.tally.kills >= this.quota.kills && this.tally.stops >= this.quota.stops;
  }

  /** From now on nobody dies by accident, and so much time has passed that nothing has to be waited for. */
  async calmed(): Promise<boolean> {
    if (this.isCalm) return false;
    this.isCalm = true;
    await this.dark(async () => {
      this.sinceMs += 3 * HOUR_MS;
    });
    return true;
  }

  /** As many processes as there should be. */
  keep(): void {
    if (this.isDark) return;
    for (let n = this.running().length; n < SIZE; n++) this.raise();
  }

  /** Somebody who is up; undefined while there is nobody. */
  anyone(): Remote | undefined {
    const up = this.running().filter(({ isOpen }) => isOpen);
    return up[Math.floor(this.random() * up.length)]?.process;
  }

  byPid(pid: number): Remote | undefined {
    return this.members.get(pid)?.process;
  }

  /** Everybody is killed; the work happens while nobody is alive. */
  async dark(work: () => Promise<void>): Promise<void> {
    this.isDark = true;
    await Promise.all([...this.members.values()].map(({ process }) => process.kill()));
    await work();
    this.isDark = false;
    this.keep();
  }

  async close(): Promise<void> {
    this.isCalm = true;
    await this.dark(() => this.standby.kill());
    this.isDark = true;
    await Promise.all([...this.members.values()].map(({ process }) => process.kill()));
    await Promise.all(this.background);
  }

  private running(): readonly Member[] {
    return [...this.members.values()].filter(({ isStopped, isGone }) => !isStopped && !isGone);
  }

  private raise(): void {
    const process = this.standby;
    this.standby = remote(); // loads its code while the other one works
    const member: Member = { process, isOpen: false, isStopped: false, isGone: false };
    this.members.set(process.pid, member);
    this.tally.processes++;
    this.background.add(this.live(member).catch(this.onProblem));
  }

  private async live(member: Member): Promise<void> {
    const { process } = member;
    await Promise.race([process.told('ready'), process.exited]);
    const options = { leaseMs: LEASE_MS, maxResumes: 1000, pollMs: 50 };
    const opened = process.open({ path: this.desk.path, aheadMs: this.aheadMs(), options, strike: this.strike() });
    opened
      .then(() => {
        member.isOpen = true;
      })
      .catch(this.onProblem);
    process
      .told('stopping')
      .then(() => this.stopped(member))
      .catch(this.onProblem);
    const how = await process.exited;
    member.isGone = true;
    this.members.delete(process.pid);
    if (how !== 'SIGKILL') this.onProblem(new Error(`a process ended by itself: ${how}`));
    if (!this.isCalm) this.tally.kills++;
    this.passTime();
    this.keep();
  }

  /** And one of them gets another time of the day. */
  passTime(): void {
    this.sinceMs += A_WHILE_MS;
    const other = this.anyone();
    if (other !== undefined) this.jump(other, this.aheadMs());
  }

  /** Stopped, taken over by one whose clock says that the lease is over, and continued with another time on its clock. */
  private async stopped(member: Member): Promise<void> {
    member.isStopped = true;
    this.tally.stops++;
    this.keep();
    const { pid } = member.process;
    const isOwner = async (runId: string) => (await this.desk.engine.get(runId))?.owner?.pid === pid;
    const { runs } = await this.desk.engine.list({ status: 'running', limit: 1_000 });
    const owned = new Set(runs.flatMap(({ id, owner }) => (owner?.pid === pid ? [id] : [])));
    this.sinceMs += LEASE_MS + A_WHILE_MS;
    while (owned.size > 0 && !member.isGone) {
      const taker = this.anyone();
      if (taker !== undefined) this.jump(taker, this.sinceMs + HOUR_MS);
      for (let looks = 0; looks < 20 && owned.size > 0; looks++) {
        for (const runId of owned) {
          if (await isOwner(runId)) continue;
          owned.delete(runId);
          if (!member.isGone) this.tally.takeovers++;
        }
        await pause(25);
      }
    }
    if (member.isGone) return;
    member.process.thaw();
    member.isStopped = false;
    this.jump(member.process, this.aheadMs());
    member.process.setStrike(this.strike({ isStop: false })).catch(this.onProblem);
  }

  private jump(process: Remote, aheadMs: number): void {
    this.tally.clockJumps++;
    process.setClock(aheadMs).catch((error: { readonly message: string }) => this.onProblem(error));
  }

  /** An hour slow, right, or an hour fast. Once it is calm, later than anybody's clock ever was. */
  private aheadMs(): number {
    if (this.isCalm) return this.sinceMs;
    return this.sinceMs + (Math.floor(this.random() * 3) - 1) * HOUR_MS;
  }

  private strike({ isStop = this.isStopNext() }: { readonly isStop?: boolean } = {}): Strike {
    const at = this.random() < 0.6 ? 'commit' : 'effect';
    // once it is calm, nobody gets that far
    const nth = this.isCalm ? Number.MAX_SAFE_INTEGER : 1 + Math.floor(this.random() * (at === 'commit' ? 25 : 5));
    // whoever is stopped inside a transaction keeps the file locked: nobody could take over
    const when = this.random() < 0.5 || (isStop && at === 'commit') ? 'after' : 'before';
    return { signal: isStop ? 'SIGSTOP' : 'SIGKILL', at, nth, when };
  }

  private isStopNext(): boolean {
    const { kills, stops } = this.quota;
    const isDue = this.tally.stops < stops || this.tally.kills >= kills; // whoever goes on longer goes on with both
    return isDue && this.random() < (1.5 * stops) / (kills + stops);
  }
}
