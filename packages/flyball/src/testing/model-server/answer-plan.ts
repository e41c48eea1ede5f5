import { estimateInput, estimateOutput } from '../token-estimate.js';
import { type Fields, fieldsOf } from './json-fields.js';
import { refusalOf } from './refusals.js';
import type { Misbehavior, ServerReplyParts } from './server-script.js';
import type { FullReply, ServedRequest, Wire, WireRefusal } from './wire.js';

/** An answer as bytes, decided before any is sent. */
export interface AnswerPlan {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Buffer)[];
  /** `cut` breaks the connection after the last piece, `none` leaves it hanging. */
  readonly ending: 'end' | 'cut' | 'none';
  /** The pieces go out one by one, with time between them. */
  readonly paced: boolean;
}

const SLOW_BYTES = 16;
const HTML = '<!doctype html><html><body><h1>Sign in to continue</h1></body></html>';
/** What a reply says that is given only to be spoilt. */
const FILLER = 'This reply is long enough to be spoilt somewhere in its middle.';

export function planOf(parts: ServerReplyParts, to: ServedRequest, wire: Wire): AnswerPlan {
  const refusal = refusalOf(parts, wire.format);
  if (refusal !== undefined) return refusalPlan(refusal, wire, parts.retryAfter);
  if (parts.misbehave === 'hang') return { ...OPEN, pieces: [], ending: 'none' };
  if (parts.misbehave === 'drop') return { ...OPEN, pieces: [], ending: 'cut' };
  if (parts.misbehave === 'wrong-content-type') {
    return { ...OPEN, headers: { 'content-type': 'text/html; charset=utf-8' }, pieces: [HTML] };
  }
  const reply = fullReply(parts, to);
  return to.stream
    ? streamPlan(reply, to, { wire, how: parts.misbehave })
    : wholePlan(reply, to, { wire, how: parts.misbehave });
}

export function refusalPlan(refusal: WireRefusal, wire: Wire, retryAfter?: number | Date | string): AnswerPlan {
  const body = JSON.stringify(wire.refusal(refusal));
  const wait = retryAfter instanceof Date ? retryAfter.toUTCString() : retryAfter;
  return {
    ...OPEN,
    status: refusal.status,
    headers: { ...JSON_TYPE, ...(wait === undefined ? {} : { 'retry-after': String(wait) }) },
    pieces: [body],
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const OPEN: AnswerPlan = { status: 200, headers: JSON_TYPE, pieces: [], ending: 'end', paced: false };

interface Manner {
  readonly wire: Wire;
  readonly how: Misbehavior | undefined;
}

function wholePlan(reply: FullReply, to: ServedRequest, { wire, how }: Manner): AnswerPlan {
  const value = wire.whole(reply, to);
  const body = Buffer.from(JSON.stringify(how === 'unknown-fields' ? withUnknownFields(value) : value));
  const headers = { ...JSON_TYPE, 'content-length': String(body.length) };
  const half = body.subarray(0, Math.ceil(body.length / 2));
  switch (how) {
    case 'cut':
      return { ...OPEN, headers, pieces: [half], ending: 'cut' };
    case 'malformed-json':
    case 'ends-early':
      return { ...OPEN, pieces: [half] };
    case 'slow':
      return { ...OPEN, headers, pieces: slices(body), paced: true };
    default:
      return { ...OPEN, headers, pieces: [body] };
  }
}

function streamPlan(reply: FullReply, to: ServedRequest, { wire, how }: Manner): AnswerPlan {
  const headers = { 'content-type': wire.streamType, 'cache-control': 'no-cache' };
  const values = wire.parts(reply, to);
  const frames = values.map(wire.frame);
  const middle = Math.floor(frames.length / 2);
  const torn = (frames[middle] ?? '').trimEnd();
  switch (how) {
    case 'cut':
      return { ...OPEN, headers, pieces: [...frames.slice(0, middle), torn.slice(0, -8)], ending: 'cut' };
    case 'ends-early':
      return { ...OPEN, headers, pieces: frames.slice(0, middle) };
    case 'malformed-json':
      return { ...OPEN, headers, pieces: [...frames.with(middle, `${torn.slice(0, -8)}\n\n`), wire.end] };
    case 'slow':
      return { ...OPEN, headers, pieces: slices(Buffer.from(frames.join('') + wire.end)), paced: true };
    case 'unknown-fields': {
      const comment = wire.streamType.startsWith('text/event-stream') ? [': keep-alive\n\n'] : [];
      const unknown = values.map((value) => wire.frame(withUnknownFields(value)));
      return { ...OPEN, headers, pieces: [...comment, ...unknown, wire.end] };
    }
    default:
      return { ...OPEN, headers, pieces: [...frames, wire.end] };
  }
}

/** Cuts through characters too: a client that decodes piece by piece garbles them. */
function slices(bytes: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += SLOW_BYTES) pieces.push(bytes.subarray(at, at + SLOW_BYTES));
  return pieces;
}

function fullReply(parts: ServerReplyParts, to: ServedRequest): FullReply {
  const { toolCalls = [], reasoning, opaqueReasoning, logProbs } = parts;
  const text = parts.text ?? (parts.misbehave === undefined || toolCalls.length > 0 ? '' : FILLER);
  const said = { text, toolCalls, ...(reasoning === undefined ? {} : { reasoning }) };
  return {
    ...said,
    ...(opaqueReasoning === undefined ? {} : { opaqueReasoning }),
    ...(logProbs === undefined ? {} : { logProbs }),
    finish: parts.finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: parts.usage ?? { input: estimateInput(to.messages), output: estimateOutput(said) },
  };
}

/** Arguments of calls belong to the tools: a field there would change what is called. */
const LEFT_ALONE = new Set(['args', 'arguments', 'input']);

function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields: Fields = fieldsOf(value);
  const known = Object.entries(fields).map(([name, each]) => [
    name,
    LEFT_ALONE.has(name) ? each : withUnknownFields(each),
  ]);
  return { ...Object.fromEntries(known), x_unknown: { since: 'tomorrow', values: [1, null, 'two'] } };
}
