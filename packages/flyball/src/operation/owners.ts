import { FlyballError } from '../core/errors.js';
import type { EffectId, EventOf, Owner, RunEvent } from '../core/events.js';
import type { Operation } from '../core/operations.js';
import type { Engine, RunRecord, RunStatus, StoredEntry } from '../ports/engine.js';
import { everyRun } from './every-run.js';

/** An effect that somebody began and whose end is not recorded, so that it may have happened. */
export interface LeftEffect {
  readonly run: string;
  readonly status: RunStatus;
  readonly effect: EffectId;
  readonly name: string;
  /** Nobody examines it before this time, unless its owner is gone. */
  readonly deadline: number;
  /** A person has been asked whether it happened. */
  readonly asked: boolean;
}

/** A process that owns runs, or that left effects open in runs that went on without it. */
export interface KnownOwner {
  readonly owner: Owner;
  /** Runs it owns. */
  readonly runs: readonly string[];
  /** When it took the first of them, and until when it has the last. */
  readonly since?: number;
  readonly leaseUntil?: number;
  readonly left: readonly LeftEffect[];
}

export interface Owners {
  readonly owners: readonly KnownOwner[];
  /** Runs whose journals cannot be read: what was left open in them is not known. */
  readonly unreadable: readonly string[];
}

/** Stalled last: a journal that cannot be read is among them. */
const OPEN: readonly RunStatus[] = ['running', 'pending', 'suspended', 'paused', 'bounded', 'stalled'];

/** Reads the journals of runs in which an effect can be open; those that only wait for a person have none. */
export async function knownOwners(engine: Pick<Engine, 'list' | 'read'>): Promise<Owners> {
  const owners = new Map<string, Draft>();
  const unreadable: string[] = [];
  for (const status of OPEN)
    for await (const run of everyRun(engine, { status })) {
      if (!mayHaveOpenEffects(run)) continue;
      try {
        take(owners, run, await engine.read(run.id, { generation: run.generation }));
      } catch (error) {
        if (!(error instanceof FlyballError) || error.code !== 'JOURNAL_CORRUPT') throw error;
        take(owners, run, []);
        unreadable.push(run.id);
      }
    }
  return { owners: [...owners.values()], unreadable };
}

/**
 * Declares an owner gone, and wakes the runs that wait for the deadline of an effect of its: there is nobody left who could
 * still act. Answers the runs that it held, and those that were woken: a worker looks at them now.
 */
export async function declareOwnerGone(
  engine: Pick<Engine, 'declareGone' | 'requeue'>,
  operation: Operation & { readonly action: 'owner-gone' },
  left: readonly LeftEffect[],
): Promise<{ readonly held: readonly string[]; readonly woken: readonly string[] }> {
  const held = await engine.declareGone(operation);
  const woken = [...new Set(left.filter(isAwaited).map(({ run }) => run))];
  for (const run of woken) await engine.requeue(run);
  return { held, woken };
}

/** Its run sleeps until the deadline, or stands in line. One that somebody paused, or that reached a bound, a person lets go on. */
export function isAwaited({ status, asked }: LeftEffect): boolean {
  return (status === 'suspended' || status === 'pending') && !asked;
}

interface Draft {
  owner: Owner;
  runs: string[];
  since?: number;
  leaseUntil?: number;
  left: LeftEffect[];
}

function mayHaveOpenEffects({ status, wakeAt, waiting }: RunRecord): boolean {
  return status !== 'suspended' || wakeAt !== undefined || waiting.some((name) => name.startsWith('doubt:'));
}

function take(owners: Map<string, Draft>, run: RunRecord, entries: readonly StoredEntry[]): void {
  const draftOf = (owner: Owner): Draft => {
    const known = owners.get(owner.id) ?? { owner, runs: [], left: [] };
    owners.set(owner.id, known);
    return known;
  };
  const { open, since } = effectsIn(entries);
  if (run.owner !== undefined) {
    const draft = draftOf(run.owner);
    draft.runs.push(run.id);
    const took = since.get(run.owner.id);
    if (took !== undefined) draft.since = Math.min(took, draft.since ?? took);
    if (run.leaseUntil !== undefined) draft.leaseUntil = Math.max(run.leaseUntil, draft.leaseUntil ?? 0);
  }
  for (const { owner, intent, asked } of open) {
    if (owner.id === run.owner?.id) continue; // it is at work on it
    const { id: effect, name, deadline } = intent;
    draftOf(owner).left.push({ run: run.id, status: run.status, effect, name, deadline, asked });
  }
}

interface OpenEffect {
  readonly owner: Owner;
  readonly intent: EventOf<'intent'>;
  readonly asked: boolean;
}

/** Idempotent effects are made again whoever began them. */
function effectsIn(entries: readonly StoredEntry[]): {
  readonly open: readonly OpenEffect[];
  readonly since: ReadonlyMap<string, number>;
} {
  const open = new Map<EffectId, OpenEffect>();
  const since = new Map<string, number>();
  let owner: Owner | undefined;
  for (const { at, body } of entries) {
    const event = JSON.parse(body) as RunEvent;
    if (event.type === 'attempt-start') {
      owner = event.owner;
      since.set(owner.id, at);
    } else if (event.type === 'intent' && owner !== undefined && event.class !== 'idempotent')
      open.set(event.id, { owner, intent: event, asked: false });
    else if (event.type === 'complete' || event.type === 'abort') open.delete(event.id);
    else if (event.type === 'doubt') {
      const doubted = open.get(event.id);
      if (doubted !== undefined) open.set(event.id, { ...doubted, asked: true });
    }
  }
  return { open: [...open.values()], since };
}
