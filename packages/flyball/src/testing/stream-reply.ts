import type { ModelCallContext, ModelReply } from '../core/model.js';

/** Says a finished reply as a vendor streams it: reasoning first, then the text, a word at a time, then the calls. An abort cuts it short. */
export function streamReply(
  reply: ModelReply,
  to: { readonly signal: AbortSignal; readonly onDelta: NonNullable<ModelCallContext['onDelta']> },
): void {
  const say = (type: 'text' | 'reasoning', words: string): void => {
    for (const text of words.match(/\s*\S+\s*|\s+/g) ?? []) {
      to.signal.throwIfAborted();
      to.onDelta({ type, text });
    }
  };
  say('reasoning', reply.reasoning ?? '');
  say('text', reply.text);
  for (const call of reply.toolCalls) to.onDelta({ type: 'tool-call', ...call });
  to.signal.throwIfAborted();
}
