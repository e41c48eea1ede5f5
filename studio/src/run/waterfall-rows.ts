import type { EventOf } from '../../../src/core/events.js';
import type { Effect } from '../../../src/views/effects.js';
import type { Span, SpanKind } from '../../../src/views/trace.js';

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
}

/** What a bar is, in a word. */
export const KIND_NAMES: Readonly<Record<SpanKind, string>> = {
  run: 'Run',
  attempt: 'Attempt',
  phase: 'Phase',
  ask: 'Model call',
  call: 'Tool',
  step: 'Step',
  undo: 'Undo',
  spawn: 'Agent',
  wait: 'Wait',
  sleep: 'Sleep',
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
      for (const child of span.children) for (const row of this.rowsOf(child, depth + 1, closed)) rows.push(row);
    this.rows.set(span, rows);
    return rows;
  }
}

function rowOf(span: Span, depth: number, isClosed: boolean): Row {
  const { id, kind, startMs, endMs, status, children } = span;
  return {
    id,
    kind,
    name: plainName(span),
    depth,
    startMs,
    status,
    hasChildren: children.length > 0,
    isClosed,
    ...(endMs === undefined ? {} : { endMs }),
  };
}

const PREFIX = /^(chat|execute_tool|invoke_agent|step|undo|wait|phase) /;

/** Spans carry the names of the tracing conventions; people want the name alone, the kind stands beside it. */
export function plainName({ name, kind, attributes }: Span): string {
  const bare = name.replace(PREFIX, '');
  if (kind === 'wait') return waitName(bare, attributes['flyball.wait.kind']);
  if (kind === 'attempt') return `${bare}: ${WHY[String(attributes['flyball.attempt.why'])] ?? ''}`;
  return bare;
}

const WHY: Readonly<Record<string, string>> = {
  start: 'started',
  wake: 'woken up',
  takeover: 'taken over after a crash',
  resume: 'resumed',
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
