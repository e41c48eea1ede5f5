import { hasWords } from '../simulation/message-shape.js';
import { lower } from '../tau2/python/text.js';
import type { SimMessage } from '../world/message.js';
import type { RewardInfo } from './reward.js';

/** Each string has to occur in some text of the agent; case does not matter, and commas in the text are left out. */
export function checkCommunicated(
  wanted: readonly string[],
  messages: readonly SimMessage[],
): NonNullable<RewardInfo['communicate']> {
  const texts = messages.flatMap((message) =>
    message.role === 'assistant' && hasWords(message) ? [message.content ?? ''] : [],
  );
  return wanted.map((info) => {
    const found = texts.find((text) => lower(text).replaceAll(',', '').includes(lower(info)));
    return {
      info,
      met: found !== undefined,
      because: found === undefined ? `The agent never said '${info}'.` : `The agent said '${info}' in: ${found}`,
    };
  });
}
