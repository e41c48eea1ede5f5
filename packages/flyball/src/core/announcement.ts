import type { Owner } from './events.js';

/** A worker with the agents it can run. */
export interface Announcement {
  /** One process may have several workers. */
  readonly id: string;
  readonly owner: Owner;
  /** Where it can be asked what it works on, where a dispatcher calls it. */
  readonly address?: string;
  /** Versions by agent: of those whose runs it takes. */
  readonly agents: Readonly<Record<string, string>>;
  /** When it began, by its own clock. */
  readonly since?: number;
  /** How much it takes at once compared with the others, and how many runs may live there. */
  readonly weight?: number;
  readonly concurrency?: number;
  /** Runs that lived there when it said so. */
  readonly runs?: number;
  /** It takes nothing more, and is about to go. */
  readonly draining?: boolean;
  /** It takes no runs, and lets others know how many requests it has let through in all, by what limits are counted by. */
  readonly requests?: Readonly<Record<string, number>>;
}

/** A worker that has announced itself, and until when. */
export interface AnnouncedWorker extends Announcement {
  readonly until: number;
}

/** Workers announce themselves every few seconds: one whose clock is wrong counts as alive for no longer than this. */
export const LONGEST_ANNOUNCEMENT_MS = 86_400_000;

/**
 * What a stored announcement says, until when it holds. Undefined for one that no worker has written, whatever else is in
 * its place: all workers read all announcements, so that one bad row would stop them all. `now` is the clock of leases.
 */
export function readAnnouncement(
  stored: unknown,
  { until, now }: { readonly until: unknown; readonly now: number },
): AnnouncedWorker | undefined {
  if (!isTime(until) || until <= now || until > now + LONGEST_ANNOUNCEMENT_MS) return undefined;
  return isAnnouncement(stored) ? { ...stored, until } : undefined;
}

function isAnnouncement(value: unknown): value is Announcement {
  if (!isRecord(value)) return false;
  const { id, owner, address, agents, since, weight, concurrency, runs, draining, requests } = value;
  return (
    [id, ...Object.values(isRecord(agents) ? agents : { none: undefined })].every(isText) &&
    isOwner(owner) &&
    (address === undefined || isText(address)) &&
    (draining === undefined || typeof draining === 'boolean') &&
    (since === undefined || isTime(since)) &&
    [weight, concurrency, runs].every((amount) => amount === undefined || isAmount(amount)) &&
    (requests === undefined || (isRecord(requests) && Object.values(requests).every(isAmount)))
  );
}

function isOwner(value: unknown): value is Owner {
  if (!isRecord(value)) return false;
  const { id, host, bootId, pid, startTime, pidNamespace } = value;
  return (
    [id, host, bootId, startTime].every(isText) &&
    Number.isSafeInteger(pid) &&
    (pidNamespace === undefined || isText(pidNamespace))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isAmount = (value: unknown): value is number => isTime(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
