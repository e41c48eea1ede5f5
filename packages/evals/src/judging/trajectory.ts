import { sha256 } from 'flyball/internal';
import type { Course } from '../simulation/party.js';
import { dumpJson } from '../tau2/python/json.js';
import type { SimMessage } from '../world/message.js';

/** One thing that happened in a conversation: something said, a call, or what a call answered. */
export interface TrajectorySpan {
  /** `s1`, `s2`, … in the order in which it happened. */
  readonly id: string;
  /** Messages of the user up to here: which turn it belongs to. */
  readonly turn: number;
  readonly by: 'agent' | 'user' | 'world';
  readonly kind: 'words' | 'call' | 'result';
  readonly text: string;
  readonly failed?: true;
}

/** A conversation as one list. Times are not in it: the same course is the same list, byte for byte. */
export interface Trajectory {
  readonly spans: readonly TrajectorySpan[];
  readonly termination: Course['termination'];
}

/** The trajectory of a simulated conversation, as a judge reads it. */
export function trajectoryOf(course: Pick<Course, 'messages' | 'termination'>): Trajectory {
  const spans: TrajectorySpan[] = [];
  let turn = 0;
  for (const message of course.messages) {
    if (message.role === 'user') turn++;
    for (const part of partsOf(message)) spans.push({ id: `s${spans.length + 1}`, turn, ...part });
  }
  return { spans, termination: course.termination };
}

function partsOf(message: SimMessage): readonly Omit<TrajectorySpan, 'id' | 'turn'>[] {
  if (message.role === 'tool')
    return [
      { by: 'world', kind: 'result', text: message.content, ...(message.error ? { failed: true as const } : {}) },
    ];
  const by = message.role === 'user' ? 'user' : 'agent';
  return [
    ...(message.content === null || message.content === ''
      ? []
      : [{ by, kind: 'words', text: message.content } as const]),
    ...message.calls.map((call) => ({ by, kind: 'call', text: `${call.name} ${dumpJson(call.arguments)}` }) as const),
  ];
}

/** Equal for equal courses, whenever they ran. */
export function trajectoryHash({ spans, termination }: Trajectory): string {
  return sha256(JSON.stringify([termination, ...spans]));
}

/**
 * Parts that fit into `room` characters each. Nothing is left out, because what happened in the middle counts like the
 * end: a span that is too long for one part is in several, under the same id.
 */
export function windowsOf(spans: readonly TrajectorySpan[], room: number): readonly (readonly TrajectorySpan[])[] {
  const windows: TrajectorySpan[][] = [];
  let left = 0;
  for (const piece of spans.flatMap((span) => piecesOf(span, Math.max(1, room - SPAN_HEAD)))) {
    const size = piece.text.length + SPAN_HEAD;
    const last = windows.at(-1);
    if (last === undefined || size > left || last.at(-1)?.id === piece.id) {
      windows.push([piece]);
      left = room - size;
    } else {
      last.push(piece);
      left -= size;
    }
  }
  return windows;
}

/** What a line says beside its text. */
const SPAN_HEAD = 60;

function piecesOf(span: TrajectorySpan, room: number): readonly TrajectorySpan[] {
  if (span.text.length <= room) return [span];
  const count = Math.ceil(span.text.length / room);
  return Array.from({ length: count }, (_, index) => ({
    ...span,
    text: span.text.slice(index * room, (index + 1) * room),
  }));
}

/** Further lines are indented: no text can pass for a span of its own. */
export function spanText({ id, turn, by, kind, text, failed }: TrajectorySpan): string {
  return `${id} turn ${turn} ${by} ${kind}${failed === true ? ' failed' : ''}: ${text.replace(/\r\n|[\n\r\u2028\u2029]/g, '\n    ')}`;
}
