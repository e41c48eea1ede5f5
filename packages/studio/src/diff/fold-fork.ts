import type { Entry, ForkPoint, RunEvent } from '../../../flyball/src/core/events.js';

/** Where two runs that share a beginning went: the same, otherwise, or only one of them. */
export interface ForkRow {
  readonly kind: 'same' | 'changed' | 'gone' | 'new';
  readonly parent?: Entry;
  readonly fork?: Entry;
}

export function forkOf(entries: readonly Entry[]): ForkPoint | undefined {
  const [first] = entries;
  return first?.event.type === 'run-start' ? first.event.fork : undefined;
}

/** Entries of each that are compared; more would be no reading for anybody. */
const MOST = 2_000;

/**
 * Both runs entry by entry from the fork point on. A fork's journal holds only what it did itself, so that all of it comes
 * after the point. Effects are paired by their id, because ids follow from the code and not from the time; entries
 * without one are paired in order, by their kind.
 */
export function forkRows(parent: readonly Entry[], fork: readonly Entry[], at: ForkPoint): readonly ForkRow[] {
  const [left, right] = [compared(parent.filter((entry) => isAfter(entry, at))), compared(fork)];
  const waiting = new Map<string, Entry[]>();
  for (const entry of left) push(waiting, keyOf(entry, at.generation), entry);
  const partner = new Map<Entry, Entry>();
  const first = fork[0]?.generation ?? 0;
  for (const entry of right) {
    const found = waiting.get(keyOf(entry, first))?.shift();
    if (found !== undefined) partner.set(entry, found);
  }
  return merged(left, right, partner);
}

function isAfter(entry: Entry, { generation, seq }: ForkPoint): boolean {
  return entry.generation > generation || (entry.generation === generation && entry.seq > seq);
}

/** Who works on it, and that it began, is no difference. */
const LIFE: readonly string[] = ['run-start', 'attempt-start'];

function compared(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ event }) => !LIFE.includes(event.type)).slice(0, MOST);
}

/** In the order of the fork; what only the parent has stands where it stood among the others. */
function merged(
  left: readonly Entry[],
  right: readonly Entry[],
  partner: ReadonlyMap<Entry, Entry>,
): readonly ForkRow[] {
  const taken = new Set(partner.values());
  const rows: ForkRow[] = [];
  let next = 0;
  const goneUntil = (limit: number): void => {
    for (; next < limit; next++) {
      const entry = left[next];
      if (entry !== undefined && !taken.has(entry)) rows.push({ kind: 'gone', parent: entry });
    }
  };
  for (const entry of right) {
    const other = partner.get(entry);
    if (other === undefined) {
      rows.push({ kind: 'new', fork: entry });
      continue;
    }
    goneUntil(Math.max(next, left.indexOf(other)));
    rows.push({ kind: isSame(other.event, entry.event) ? 'same' : 'changed', parent: other, fork: entry });
  }
  goneUntil(left.length);
  return rows;
}

/** Generations count from the one that was forked. */
function keyOf({ event, generation }: Entry, first: number): string {
  const nth = generation - first;
  if ('id' in event) return `${nth} ${event.type} ${event.id}`;
  if (event.type === 'note') return `${nth} note ${event.path} ${event.event.kind}`;
  return `${nth} ${event.type}`;
}

/** Times, tokens of waits and keys are new in every run; what was asked, done and answered is compared. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  'token',
  'key',
  'deadline',
  'due',
  'ms',
  'at',
  'owner',
  'attempt',
  'activeMs',
]);

function isSame(a: RunEvent, b: RunEvent): boolean {
  return shown(a) === shown(b);
}

/** An event as it is compared, and read: without what differs by itself. */
export function shown(event: RunEvent): string {
  return JSON.stringify(event, (name, value: unknown) => (INCIDENTAL.has(name) ? undefined : value), 2);
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
