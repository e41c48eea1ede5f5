import type { SimCall, SimMessage, ToolMessage } from '../world/message.js';

/** A call of a trajectory with what came of it. */
export interface MadeCall {
  readonly call: SimCall;
  readonly result: ToolMessage | undefined;
  /** Index of the message that made it. */
  readonly at: number;
}

/** The calls of a trajectory in order, both sides', each with its result. */
export function madeCalls(messages: readonly SimMessage[]): readonly MadeCall[] {
  const made: MadeCall[] = [];
  messages.forEach((message, at) => {
    if (message.role === 'tool') return;
    message.calls.forEach((call, offset) => {
      made.push({ call, result: resultOf(messages, at + 1 + offset, call.id), at });
    });
  });
  return made;
}

/** Results follow their calls in order, so position decides; ids may repeat over a long conversation. */
function resultOf(messages: readonly SimMessage[], at: number, id: string): ToolMessage | undefined {
  const message = messages[at];
  return message?.role === 'tool' && message.id === id ? message : undefined;
}

/** An exception, or a text that says so: the benchmark's own tools return their refusals as text. */
export function isFailed({ result }: MadeCall): boolean {
  return result === undefined || result.error || /^error\b/i.test(result.content);
}
