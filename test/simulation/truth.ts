import type { Owner } from '../../packages/flyball/src/core/events.js';
import { starterIn } from '../../packages/flyball/src/core/other-runs.js';
import type { Batch, Claim, DueQuery, Engine, NewRun, Rest } from '../../packages/flyball/src/ports/engine.js';
import { type Known, newlyKnown, soFar, type Told } from './known.js';

export interface Outside {
  now(): number;
  blame(rule: string, detail: string): void;
  trace(line: string): void;
  /** Keys of the tools that the run has called by now. */
  callsOf(runId: string): ReadonlySet<string>;
  /** Nobody claims a run from an owner that is there and holds its lease, unless whoever dispatches decides so. */
  mayTakeOver(owner: Owner): boolean;
  /** Somebody took a run of this version, while others had announced that they run it for a while. */
  took(by: Owner, known: Known, others: readonly Owner[]): void;
  /** A run rests; `isTimed`: until a time. */
  rested(known: Known, isTimed: boolean): void;
}

/** Long enough for everybody to have heard of an announcement. */
const KNOWN_AFTER_MS = 8_000;

const ENDED: ReadonlySet<string> = new Set(['done', 'degraded', 'blocked', 'cancelled', 'failed']);

/**
 * The storage that all machines share, with somebody who looks at every write that it accepted. Leases go by its own
 * clock; timers by the clock of whoever asks, as with a database.
 */
export class Truth {
  readonly runs = new Map<string, Known>();
  readonly engine: Engine;
  isFull: () => Error | undefined = () => undefined;
  /** Runs by the effects that started them. */
  private readonly starts = new Map<string, string>();
  /** Owners that are being declared gone: their leases end in the storage a moment before it is known here. */
  private readonly going = new Set<string>();
  private readonly announced = new Map<string, { owner: Owner; version: string; since: number; until: number }>();
  private readonly inner: Engine;
  private readonly outside: Outside;

  constructor(inner: Engine, outside: Outside) {
    this.inner = inner;
    this.outside = outside;
    this.engine = this.observed();
  }

  of(runId: string): Known | undefined {
    return this.runs.get(runId);
  }

  private observed(): Engine {
    const { inner } = this;
    const now = (): number => this.outside.now();
    const roomy = <T>(work: () => Promise<T>): Promise<T> => {
      const full = this.isFull();
      return full === undefined ? work() : Promise.reject(full);
    };
    return {
      ...inner,
      create: (run) =>
        roomy(async () => {
          await inner.create(run);
          this.created(run);
        }),
      claim: (runId, by) =>
        roomy(async () => {
          const at = now(); // a disk takes its time, and the lease counts from before
          const claim = await inner.claim(runId, { ...by, now: at });
          return this.claimed(claim, by.owner, { at, leaseMs: by.leaseMs });
        }),
      take: (query, by) => roomy(() => this.take(query, by)),
      append: (claim, batch) =>
        roomy(async () => {
          await inner.append(claim, batch);
          this.appended(claim, batch);
        }),
      renew: async (signs, { leaseMs }) => {
        const at = now();
        const stale = await inner.renew(signs, { now: at, leaseMs });
        const renewed: Known[] = [];
        for (const { claim, activeMs } of signs) {
          const known = this.runs.get(claim.runId);
          if (known === undefined || stale.includes(claim.runId)) continue;
          if (claim.fence !== known.fence) this.outside.blame('fence:renewed', `${claim.runId} under ${claim.fence}`);
          known.leaseUntil = at + leaseMs;
          known.worked.renewed({ activeMs, at }, leaseMs);
          renewed.push(known);
        }
        // not before all of them are known: they may be given back meanwhile
        for (const known of renewed) await this.lookAtLease(known);
        return stale;
      },
      release: (claim, rest) =>
        roomy(async () => {
          await inner.release(claim, rest);
          await this.released(claim, rest);
        }),
      requeue: (runId) =>
        roomy(async () => {
          await inner.requeue(runId);
          await this.requeued(runId);
        }),
      post: (runId, message) =>
        roomy(async () => {
          const said = await inner.post(runId, message);
          if (said === 'accepted') this.runs.get(runId)?.messages.accepted(await inner.inbox(runId, 0));
          return said;
        }),
      due: (query) => this.due(query),
      announce: (worker, { forMs }) => {
        if (worker.draining === true && Object.keys(worker.agents).length > 0)
          this.outside.blame(
            'worker:leaves',
            `${worker.owner.id} takes no more runs and keeps its versions for ${forMs} ms`,
          );
        const before = this.announced.get(worker.id);
        const isKnown = before !== undefined && before.until > now();
        const [version = ''] = Object.values(worker.agents);
        const said = { owner: worker.owner, version, until: now() + forMs };
        this.announced.set(worker.id, { ...said, since: isKnown ? before.since : now() });
        return inner.announce(worker, { now: now(), forMs });
      },
      workers: () => inner.workers(now()),
      declareGone: async (operation) => {
        this.going.add(operation.of);
        const held = await inner.declareGone({ ...operation, at: now() }); // leases end by the clock of the storage
        const known = held.flatMap((runId) => this.runs.get(runId) ?? []);
        for (const run of known) run.leaseUntil = 0;
        this.going.delete(operation.of);
        for (const run of known) await this.lookAtLease(run);
        return held;
      },
    };
  }

  /**
   * Whose turn it is, is judged here (`due`, `take`). So that the engine judges alike, it has to have stored the lease that
   * was given, or none that is not over.
   */
  private async lookAtLease(known: Known): Promise<void> {
    const { runId, fence, owner, leaseUntil } = known;
    const record = await this.inner.get(runId);
    const isSame = known.fence === fence && known.leaseUntil === leaseUntil && record?.owner?.id === owner?.id;
    if (record === undefined || owner === undefined || !isSame || this.going.has(owner.id)) return; // it went on
    const { leaseUntil: stored = 0 } = record;
    const isRight = leaseUntil <= this.outside.now() ? stored <= this.outside.now() : stored === leaseUntil;
    if (!isRight) this.outside.blame('lease:stored', `${runId} of ${owner.id}: ${stored}, and not ${leaseUntil}`);
  }

  /** Owners are out of time by the clock of the storage, timers are over by the clock of whoever looks. */
  private async due(query: DueQuery): Promise<readonly string[]> {
    const owned = [...this.runs.values()].filter(({ owner }) => owner !== undefined);
    const left = owned.filter(
      ({ owner, leaseUntil }) => owner !== undefined && (leaseUntil <= this.outside.now() || query.isGone(owner)),
    );
    const here = [...(query.here ?? []), ...owned.map(({ runId }) => runId)];
    const ready = await this.inner.due({ ...query, here });
    if (left.length === 0) return ready;
    const only = left.map(({ runId }) => runId).filter((runId) => query.only?.includes(runId) !== false);
    const timeless = { ...query, only, now: Number.NEGATIVE_INFINITY, isGone: () => true };
    const orphans = await this.inner.due(timeless);
    return [...orphans.filter((runId) => only.includes(runId)), ...ready].slice(0, query.limit);
  }

  private async take(query: DueQuery, by: { readonly owner: Owner; readonly leaseMs: number }): Promise<Claim[]> {
    const claims: Claim[] = [];
    // by what was there when it looked: a message that comes meanwhile may be too late
    const resting = [...this.runs.values()].filter(
      ({ status, messages }) => status === 'paused' && messages.isTakenBack,
    );
    for (const runId of await this.due(query)) {
      const at = this.outside.now();
      const claim = await this.inner.claim(runId, { ...by, now: at, isGone: query.isGone }).catch(() => undefined); // somebody else was quicker
      if (claim === undefined) continue;
      const known = this.runs.get(runId);
      if (known !== undefined && resting.includes(known) && known.status === 'paused')
        this.outside.blame('pause:woken', `${by.owner.id} took ${runId}, which is to rest`);
      if (known !== undefined) this.outside.took(by.owner, known, this.ableFor(known.version));
      claims.push(this.claimed(claim, by.owner, { at, leaseMs: by.leaseMs }));
    }
    return claims;
  }

  private ableFor(version: string): readonly Owner[] {
    const now = this.outside.now();
    return [...this.announced.values()]
      .filter((one) => one.version === version && one.until > now && one.since + KNOWN_AFTER_MS < now)
      .map(({ owner }) => owner);
  }

  private created({ id: runId, version, source, first }: NewRun): void {
    const known = newlyKnown({ runId, version, starter: starterIn(source) });
    this.runs.set(runId, known);
    this.read(known, first);
  }

  /** Somebody has decided that it goes on: what it did to its processes before does not count any more. */
  private async requeued(runId: string): Promise<void> {
    const known = this.runs.get(runId);
    if (known === undefined || known.owner !== undefined) return;
    const wasAtRest = known.status !== 'pending';
    known.status = 'pending';
    known.lineAt = this.outside.now();
    this.outside.trace(`${runId} is put in line`);
    if (!wasAtRest || known.damage !== undefined) return;
    const { owner, crashes = 0 } = (await this.inner.get(runId)) ?? {};
    if (owner === undefined && crashes > 0)
      this.outside.blame('requeue:crashes', `${runId} was put in line with ${crashes} crashes`);
  }

  private claimed(claim: Claim, owner: Owner, by: { readonly at: number; readonly leaseMs: number }): Claim {
    const { at, leaseMs } = by;
    const { runId, fence } = claim;
    const known = this.runs.get(runId);
    if (known === undefined) return claim;
    const { blame } = this.outside;
    if (fence <= known.fence) blame('fence:stuck', `${runId} was claimed under ${fence} after ${known.fence}`);
    if (known.end !== undefined && ENDED.has(known.status)) blame('finished:claimed', `${runId} is ${known.status}`);
    const isHeld = known.owner !== undefined && known.owner.id !== owner.id && known.leaseUntil > at;
    if (known.damage?.where === 'record') blame('damage:claimed', `${owner.id} took ${runId}, whose record is damaged`);
    if (isHeld && known.owner !== undefined && !this.outside.mayTakeOver(known.owner))
      blame('lease:broken', `${owner.id} took ${runId} from ${known.owner.id}, who holds it`);
    const { crashes } = claim.record;
    if (known.hasProgressed && crashes > 1)
      blame('crashes:kept', `${runId} has got on since, and counts ${crashes} crashes`);
    known.hasProgressed = false;
    Object.assign(known, { fence, owner, leaseUntil: at + leaseMs, status: 'running', code: undefined });
    known.worked.claimed(fence, { activeMs: claim.record.activeMs, at }, leaseMs);
    known.sleep.wakes();
    this.outside.trace(`${owner.id} holds ${runId} under ${fence}`);
    const { leaseUntil } = claim.record;
    if (leaseUntil !== known.leaseUntil)
      blame('lease:stored', `${runId} of ${owner.id}: ${leaseUntil}, and not ${known.leaseUntil}`);
    return claim;
  }

  private appended({ runId, fence }: Claim, batch: Batch): void {
    const known = this.runs.get(runId);
    const [first] = batch.entries;
    if (known === undefined) return;
    if (first === undefined) return this.took(known, fence, [], batch);
    if (first.seq < (known.next.get(first.generation) ?? 0)) return; // it came again, and changed nothing
    const { blame } = this.outside;
    known.writes++;
    known.hasProgressed ||= batch.progress === true;
    if (batch.version !== undefined) known.version = batch.version;
    const { damage } = known;
    if (damage?.where === 'entry' && fence > damage.fence && first.generation === damage.generation)
      blame('damage:replayed', `${runId} goes on under ${fence} from a journal that was damaged under ${damage.fence}`);
    if (fence !== known.fence || known.owner === undefined)
      blame('fence:old', `${runId} was written under ${fence} while ${known.fence} holds`);
    if (known.end !== undefined) blame('journal:after-end', `${runId} ended as ${known.end} and was written to`);
    const told = this.read(known, batch);
    this.took(known, fence, told, batch);
  }

  private took(known: Known, fence: number, told: readonly Told[], batch: Batch): void {
    for (const lost of known.messages.written(fence, told, batch))
      this.outside.blame('message:lost', `${known.runId} took ${lost} and does not say what became of it`);
  }

  private read(known: Known, batch: Batch): readonly Told[] {
    const { blame, now } = this.outside;
    return batch.entries.map(({ generation, seq, body, at, activeMs }) => {
      const expected = known.next.get(generation) ?? 0;
      if (seq !== expected) blame('journal:hole', `${known.runId} ${generation}:${seq} stands at ${expected}`);
      known.next.set(generation, seq + 1);
      const event = JSON.parse(body) as Told;
      this.understand(known, generation, event);
      const worked = known.worked.wrote(event, { activeMs, at: now() });
      if (worked !== undefined)
        blame('time:killed', `${known.runId} ${generation}:${seq} starts at ${activeMs} of ${worked} ms`);
      known.sleep.wrote(event, { at, by: known.owner?.id ?? '', now: now() });
      return event;
    });
  }

  private understand(known: Known, generation: number, event: Told): void {
    const { blame, callsOf } = this.outside;
    const toolCalls = event.budget?.toolCalls;
    if (toolCalls !== undefined && (event.type === 'run-start' || event.type === 'run-resume'))
      known.eras.push({ toolCalls, ...soFar(known, callsOf(known.runId)) });
    if (event.type === 'run-start' && event.starter?.key !== undefined) this.startedBy(known, event.starter.key);
    if (event.type === 'run-end' && event.outcome?.stop !== 'bounded') known.end = event.outcome?.stop;
    if (event.type === 'intent' && event.of !== 'undo') known.intents++;
    if (event.type === 'intent' && event.of === 'call') known.announced.add(event.key ?? '');
    if (event.type === 'complete' && event.name === 'checked') known.isOther = true;
    const wait = `${generation}:${event.id}`;
    if (event.type === 'wait-start') known.waits.set(wait, true);
    if (event.type !== 'wait-end') return;
    if (known.waits.get(wait) === false) blame('verdict:two', `${known.runId} ${wait} ended twice`);
    known.waits.set(wait, false);
    if (event.signal === undefined) return;
    if (known.heard.has(event.signal)) blame('message:twice', `${known.runId} heard ${event.signal} twice`);
    known.heard.add(event.signal);
  }

  /** However often an effect that starts a run is made again, there is one run. */
  private startedBy(known: Known, key: string): void {
    const before = this.starts.get(key);
    if (before !== undefined) this.outside.blame('start:twice', `${key} started ${before} and ${known.runId}`);
    this.starts.set(key, known.runId);
  }

  private async released(claim: Claim, rest: Rest): Promise<void> {
    const known = this.runs.get(claim.runId);
    const isInLine = rest.unlessCancelled === true && (await this.inner.get(claim.runId))?.status === 'pending';
    if (known === undefined || claim.fence !== known.fence || known.owner === undefined) return;
    const status = isInLine ? 'pending' : rest.status;
    if (rest.activeMs !== undefined) known.worked.givenBack(rest.activeMs);
    known.sleep.rests(known.owner.id, rest.status === 'suspended' ? rest.wakeAt : undefined, this.outside.now());
    Object.assign(known, { owner: undefined, status, code: !isInLine && 'code' in rest ? rest.code : undefined });
    this.outside.trace(`${claim.runId} rests as ${status}`);
    this.outside.rested(known, rest.status === 'suspended' && rest.wakeAt !== undefined);
    known.fence++; // a number of its own, so that whoever held it holds it no more
    const record = await this.inner.get(claim.runId);
    if (record?.owner !== undefined && ENDED.has(rest.status) && record.status === rest.status)
      this.outside.blame('finished:held', `${claim.runId} is ${rest.status} and ${record.owner.id} holds it`);
    if (ENDED.has(rest.status) && known.end !== rest.status)
      this.outside.blame('journal:end', `${claim.runId} rests as ${rest.status}; its journal says ${known.end}`);
  }
}
