import type { EventOf } from '../../../flyball/src/core/events.js';
import type { Effect } from '../../../flyball/src/views/effects.js';
import type { Span, SpanKind } from '../../../flyball/src/views/trace.js';

/** A bar of the waterfall. */
export interface Row {
  readonly id: string;
  readonly kind: SpanKind;
  readonly name: string;
  readonly depth: number;
  readonly startMs: number;
  readonly endMs?: number;
  readonly status: Span['status'];
  readonly hasChildren: boolean;
  readonly isClosed: boolean;
  /** Moments inside of it that are worth a mark and not a row: when it was woken up. */
  readonly ticks?: readonly number[];
  /** Its process was lost at its end. */
  readonly isCrash?: true;
}

/** What a bar is, in a word. */
export const KIND_NAMES: Readonly<Record<SpanKind, string>> = {
  run: 'Run',
  attempt: 'Attempt',
  phase: 'Phase',
  pattern: 'Pattern',
  ask: 'Model call',
  call: 'Tool',
  step: 'Step',
  undo: 'Undo',
  spawn: 'Agent',
  wait: 'Wait',
  sleep: 'Sleep',
  post: 'Board',
};

/**
 * The tree as rows, parents before their children; what is inside a closed row is left out. Spans that did not change
 * are the same objects, so their rows are taken from the last time: a long run is not walked for every new entry.
 */
export class RowTree {
  private rows = new WeakMap<Span, readonly Row[]>();
  private closed: ReadonlySet<string> | undefined;

  of(root: Span, closed: ReadonlySet<string>): readonly Row[] {
    if (closed !== this.closed) this.rows = new WeakMap();
    this.closed = closed;
    return this.rowsOf(root, 0, closed);
  }

  private rowsOf(span: Span, depth: number, closed: ReadonlySet<string>): readonly Row[] {
    const known = this.rows.get(span);
    if (known !== undefined) return known;
    const isClosed = closed.has(span.id);
    const rows: Row[] = [rowOf(span, depth, isClosed)];
    if (!isClosed)
      for (const child of joinedLives(span.children))
        for (const row of this.rowsOf(child, depth + 1, closed)) rows.push(row);
    this.rows.set(span, rows);
    return rows;
  }
}

/** A life of the run with the moments at which it was woken up. */
interface Life extends Span {
  readonly ticks: readonly number[];
}

const lives = new WeakMap<Span, { readonly of: readonly Span[]; readonly life: Life }>();

/**
 * A run that sleeps often has an attempt for every time it was woken up: ninety rows that say nothing. An attempt and
 * the wake-ups that follow it are one row; a process that was lost, or a person who let it go on, begins another.
 */
function joinedLives(children: readonly Span[]): readonly Span[] {
  const groups = new Map<Span, Span[]>();
  let first: Span | undefined;
  for (const child of children) {
    if (child.kind !== 'attempt') continue;
    if (first === undefined || child.attributes['flyball.attempt.why'] !== 'wake') first = child;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [child]);
    else group.push(child);
  }
  if (groups.size === 0) return children;
  return children.flatMap((child) => {
    if (child.kind !== 'attempt') return [child];
    const group = groups.get(child);
    return group === undefined ? [] : [lifeOf(child, group)];
  });
}

/** The same object for the same attempts, so that its row is made once. */
function lifeOf(first: Span, of: readonly Span[]): Life {
  const known = lives.get(first);
  if (known !== undefined && known.of.length === of.length && known.of.at(-1) === of.at(-1)) return known.life;
  const { endMs: _, ...start } = first;
  const last = of.at(-1) ?? first;
  const life: Life = {
    ...start,
    status: last.status,
    ...(last.endMs === undefined ? {} : { endMs: last.endMs }),
    ticks: of.slice(1).map(({ startMs }) => startMs),
  };
  lives.set(first, { of, life });
  return life;
}

/** When processes were lost, in order. */
export function crashesIn({ children }: Span): readonly number[] {
  return children.flatMap(({ kind, status, endMs }) =>
    kind === 'attempt' && status === 'error' && endMs !== undefined ? [endMs] : [],
  );
}

function rowOf(span: Span, depth: number, isClosed: boolean): Row {
  const { id, kind, startMs, endMs, status, children } = span;
  const { ticks = [] } = span as Partial<Life>;
  return {
    id,
    kind,
    name: `${plainName(span)}${wokenText(ticks.length)}`,
    depth,
    startMs,
    status,
    hasChildren: children.length > 0,
    isClosed,
    ...(endMs === undefined ? {} : { endMs }),
    ...(ticks.length === 0 ? {} : { ticks }),
    ...(kind === 'attempt' && status === 'error' ? { isCrash: true } : {}),
  };
}

function wokenText(times: number): string {
  if (times === 0) return '';
  return times === 1 ? ', resumed once' : `, resumed ${times} times`;
}

const PREFIX = /^(chat|execute_tool|invoke_agent|step|undo|wait|phase) /;

/** Spans carry the names of the tracing conventions; people want the name alone, the kind stands beside it. */
export function plainName({ name, kind, attributes }: Span): string {
  const bare = name.replace(PREFIX, '');
  if (kind === 'wait') return waitName(bare, attributes['flyball.wait.kind']);
  if (kind === 'attempt') return `${bare}${WHY[String(attributes['flyball.attempt.why'])] ?? ''}`;
  return bare;
}

const WHY: Readonly<Record<string, string>> = {
  wake: ': resumed',
  takeover: ': resumed after a crash',
  resume: ': resumed',
};

function waitName(name: string, kind: unknown): string {
  switch (kind) {
    case 'approval':
      return `approval of ${name.replace(/^approve:/, '')}`;
    case 'question':
      return `answer to ${name}`;
    case 'doubt':
      return `word on ${name}`;
    default:
      return name;
  }
}

/** What bars are called where their spans know only a model, or the effect that waits. */
export function barNames(effects: readonly Effect[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { generation, id, start } of effects) {
    const name =
      start?.type === 'ask-start' ? start.session : start?.type === 'wait-start' ? subjectOf(start) : undefined;
    if (name !== undefined && name !== '') names.set(`${generation}:${id}`, name);
  }
  return names;
}

function subjectOf({ kind, request }: EventOf<'wait-start'>): string | undefined {
  const { action, prompt } = (request ?? {}) as { readonly action?: unknown; readonly prompt?: unknown };
  if (kind === 'question') return typeof prompt === 'string' ? `answer to “${prompt}”` : undefined;
  if (kind !== 'approval' && kind !== 'doubt') return undefined;
  return typeof action === 'string' ? `${kind} of ${action}` : undefined;
}
