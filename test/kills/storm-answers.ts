import type { Entry, EventOf, Runtime } from 'flyball';
import type { Desk } from '../processes/desk.js';
import { recordedFor } from '../programs/storm-agents.js';
import type { Fleet } from './storm-fleet.js';

/** It was over before it was said, or somebody else has the run right now: looked at again next time. */
const LATE = new Set(['ALREADY_TERMINAL', 'SIGNAL_UNEXPECTED', 'JOURNAL_CONFLICT', 'RUN_NOT_FOUND', 'RUN_EXISTS']);

/** What people say when they are asked: verdicts, two at a time now and then, signals, and whether something happened. */
export class Answers {
  readonly tally = { approvals: 0, rejections: 0, races: 0, doubts: 0 };
  readonly decided = new Map<string, 'approve' | 'reject'>();
  /** Tokens of what was answered. */
  readonly said = new Set<string>();
  private readonly desk: Desk;
  private readonly rival: Runtime;
  private readonly fleet: Fleet;
  private readonly random: () => number;
  private readonly fault: (what: string) => void;

  constructor(parts: {
    readonly desk: Desk;
    /** A second connection, for those who decide at the same time. */
    readonly rival: Runtime;
    readonly fleet: Fleet;
    readonly random: () => number;
    readonly fault: (what: string) => void;
  }) {
    this.desk = parts.desk;
    this.rival = parts.rival;
    this.fleet = parts.fleet;
    this.random = parts.random;
    this.fault = parts.fault;
  }

  async answer(runId: string, wait: EventOf<'wait-start'>): Promise<void> {
    if (wait.kind === 'approval') return this.decide(runId, wait.token);
    if (wait.kind === 'doubt') return this.clear(runId, wait);
    await this.desk.runtime.signal(runId, wait.token, `yes to ${wait.name}`, { from: 'sam', id: wait.token });
    this.said.add(wait.token);
  }

  /** One person alone, or two at the same time who disagree. */
  private async decide(runId: string, token: string): Promise<void> {
    const isRace = this.random() < 0.5;
    const sides = isRace ? (['approve', 'reject'] as const) : (['approve'] as const);
    const desks = this.random() < 0.5 ? [this.desk.runtime, this.rival] : [this.rival, this.desk.runtime];
    const answers = await Promise.allSettled(
      sides.map((verdict, n) =>
        desks[n]?.signal(
          runId,
          token,
          { verdict, reason: 'so it is' },
          { from: verdict === 'approve' ? 'dan' : 'eve' }, // whoever told the run anything may not decide
        ),
      ),
    );
    for (const answer of answers) if (answer.status === 'rejected') this.unlessLate(answer.reason);
    const taken = sides.filter((_, n) => answers[n]?.status === 'fulfilled');
    const [verdict] = taken;
    if (taken.length > 1) this.fault(`${token} was decided twice`);
    if (verdict === undefined) return; // it was closed under them; where it is open again, somebody looks again
    if (this.decided.has(token)) this.fault(`${token} was decided again`);
    this.decided.set(token, verdict);
    this.said.add(token);
    if (isRace) this.tally.races++;
    this.tally[verdict === 'approve' ? 'approvals' : 'rejections']++;
  }

  /** Says what the ledger says, once whoever attempted it is dead or has nothing of it in hand any more. */
  private async clear(runId: string, { token, request }: EventOf<'wait-start'>): Promise<void> {
    const { key, effect, input } = request as { key: string; effect: string; input: { what: string } };
    for (const pid of attemptedBy(await this.desk.runtime.entries(runId), key)) {
      const process = this.fleet.byPid(pid);
      if (process !== undefined) await Promise.race([process.bodySettled(key), process.exited]);
    }
    const happened = await recordedFor(this.desk.ledger, key);
    const answer = happened ? { happened, result: `${effect} ${input.what}` } : { happened };
    await this.desk.runtime.signal(runId, token, answer, { from: 'bob', id: token });
    this.said.add(token);
    this.tally.doubts++;
  }

  unlessLate(error: unknown): void {
    const { code, message } = error as { readonly code?: string; readonly message?: string };
    if (code === undefined || !LATE.has(code)) this.fault(`${code}: ${message}`);
  }
}

/** The processes that wrote an INTENT for this key. */
function attemptedBy(entries: readonly Entry[], key: string): ReadonlySet<number> {
  const pids = new Set<number>();
  let pid = 0;
  for (const { event } of entries) {
    if (event.type === 'attempt-start') pid = event.owner.pid;
    if (event.type === 'intent' && event.key === key) pids.add(pid);
  }
  return pids;
}
