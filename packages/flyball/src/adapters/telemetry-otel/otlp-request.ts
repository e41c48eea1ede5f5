import { createHash } from 'node:crypto';
import type { Entry, EventOf } from '../../core/events.js';
import { type Span, spansIn, traceOf } from '../../views/trace.js';

/** A span of OTLP in its JSON encoding: ids in hex, whole numbers and times as text. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

type Value =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly Value[] } };

const KIND = { internal: 1, client: 3 } as const;
const STATUS = { unset: 0, ok: 1, error: 2 } as const;

/**
 * The body of one export request. Ids are made from the run and the place of a span in it, so they are the same in every
 * process: a run that another one started names the span of that start as its parent without ever having seen it.
 */
export function otlpRequest(service: string, runId: string, entries: readonly Entry[]) {
  const first = entries[0]?.event;
  const starter = first?.type === 'run-start' ? first.starter : undefined;
  const spans = spansOf({ runId, starter, lastAt: entries.at(-1)?.at ?? 0 }, traceOf(runId, entries));
  const resource = { attributes: [attribute('service.name', service)] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'flyball' }, spans }] }] };
}

interface Of {
  readonly runId: string;
  readonly starter: EventOf<'run-start'>['starter'];
  readonly lastAt: number;
}

function spansOf(of: Of, root: Span): readonly OtlpSpan[] {
  const traceId = hex(`trace ${of.starter?.root ?? of.runId}`, 32);
  const parents = new Map(spansIn(root).flatMap((span) => span.children.map((child) => [child, span] as const)));
  return spansIn(root).map((span) => {
    const parent = parents.get(span);
    const above = parent === undefined ? of.starter?.key : keyOf(of.runId, root, parent);
    return {
      traceId,
      spanId: spanIdOf(keyOf(of.runId, root, span)),
      ...(above === undefined ? {} : { parentSpanId: spanIdOf(above) }),
      name: span.name,
      kind: span.kind === 'ask' ? KIND.client : KIND.internal,
      startTimeUnixNano: nanos(span.startMs),
      endTimeUnixNano: nanos(span.endMs ?? of.lastAt), // what is open ends where the journal ends
      attributes: attributesOf(span),
      status: statusOf(span),
    };
  });
}

/** The id of an effect's span is its generation and its id, so this is the key of the effect. */
function keyOf(runId: string, root: Span, span: Span): string {
  return span === root ? runId : `${runId}:${span.id}`;
}

function spanIdOf(key: string): string {
  return hex(`span ${key}`, 16);
}

function hex(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

function nanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}

function statusOf({ status, attributes }: Span): OtlpSpan['status'] {
  if (status === 'open') return { code: STATUS.unset };
  return status === 'ok'
    ? { code: STATUS.ok }
    : { code: STATUS.error, message: String(attributes['error.type'] ?? 'error') };
}

function attributesOf(span: Span): readonly Attribute[] {
  const own = Object.entries(span.attributes).map(([key, value]) => attribute(key, value));
  const open = span.status === 'open' ? [attribute('flyball.open', true)] : [];
  return [attribute('flyball.kind', span.kind), ...own, ...open];
}

function attribute(key: string, value: string | number | boolean | readonly string[]): Attribute {
  return { key, value: encoded(value) };
}

function encoded(value: string | number | boolean | readonly string[]): Value {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'object') return { arrayValue: { values: value.map(encoded) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
