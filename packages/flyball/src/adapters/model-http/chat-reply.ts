import type { ReplyWithoutBill } from '../../core/bill.js';
import type { Message, ModelDelta, TokenLogProb, TokenUsage } from '../../core/model.js';
import type { ChatReasoning } from './chat-request.js';
import { finishOf } from './finish.js';
import { argumentsOf, countOf, type Fields, fieldsOf, itemsOf, textOf } from './json-fields.js';
import { ReplyBuilder } from './reply-builder.js';

/** Puts a chat completion together: from its one message, or from the deltas of its stream. The parts look alike. */
export class ChatReply {
  private readonly parts: ReplyBuilder;
  private readonly logProbs: TokenLogProb[] = [];
  private readonly details: Fields[] = [];
  /** Where the first detail of each index stands. */
  private readonly detailAt = new Map<unknown, number>();
  private field: ChatReasoning['field'] = 'reasoning_content';
  private finish = '';
  private usage: TokenUsage | undefined;

  constructor(asked: readonly Message[], onDelta: ((delta: ModelDelta) => void) | undefined) {
    this.parts = new ReplyBuilder(asked, onDelta);
  }

  /** The provider has said why it stopped: what came is all there is. */
  get isFinished(): boolean {
    return this.finish !== '';
  }

  /** A whole completion, or one chunk of its stream. */
  take(value: unknown): void {
    const fields = fieldsOf(value);
    const choice = fieldsOf(itemsOf(fields['choices'])[0]);
    this.takeMessage(fieldsOf(choice['message'] ?? choice['delta']));
    for (const each of itemsOf(fieldsOf(choice['logprobs'])['content']))
      this.logProbs.push(logProbFrom(fieldsOf(each)));
    this.finish = textOf(choice['finish_reason']) || this.finish;
    this.usage = usageFrom(fields['usage']) ?? this.usage;
  }

  result(): ReplyWithoutBill {
    const { text, reasoning } = this.parts;
    const toolCalls = this.parts.toolCalls();
    const opaque: ChatReasoning = { field: this.field, ...(this.details.length > 0 ? { details: this.details } : {}) };
    return {
      text,
      toolCalls,
      finish: finishOf(this.finish, { calls: toolCalls.length, text }),
      ...(this.usage === undefined ? {} : { usage: this.usage }),
      ...(reasoning === '' ? {} : { reasoning }),
      ...(reasoning === '' && this.details.length === 0 ? {} : { opaqueReasoning: opaque }),
      ...(this.logProbs.length === 0 ? {} : { logProbs: this.logProbs }),
    };
  }

  private takeMessage(message: Fields): void {
    if (typeof message['reasoning'] === 'string') this.field = 'reasoning';
    this.parts.addReasoning(textOf(message['reasoning_content'] ?? message['reasoning']));
    for (const detail of itemsOf(message['reasoning_details'])) this.takeDetail(fieldsOf(detail));
    this.parts.addText(contentOf(message['content']) || textOf(message['refusal']));
    for (const each of itemsOf(message['tool_calls'])) {
      const call = fieldsOf(each);
      const called = fieldsOf(call['function']);
      this.parts.addCall({
        index: countOf(call['index']),
        id: textOf(call['id']),
        name: textOf(called['name']),
        arguments: argumentsOf(called['arguments']),
      });
    }
  }

  /** Details stream in pieces of one index: their texts belong together, everything else is said once. */
  private takeDetail(piece: Fields): void {
    const at = this.detailAt.get(piece['index']) ?? -1;
    const known = this.details[at];
    if (known === undefined && piece['index'] !== undefined) this.detailAt.set(piece['index'], this.details.length);
    if (known === undefined || known['type'] !== piece['type']) {
      this.details.push(piece);
      return;
    }
    const joined = ['text', 'summary', 'data']
      .filter((name) => typeof known[name] === 'string' && typeof piece[name] === 'string')
      .map((name) => [name, textOf(known[name]) + textOf(piece[name])]);
    this.details[at] = { ...known, ...piece, ...Object.fromEntries(joined) };
  }
}

/** Text, or a list of parts of which some are text. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return itemsOf(content)
    .map((part) => textOf(fieldsOf(part)['text']))
    .join('');
}

export function logProbFrom(given: Fields): TokenLogProb {
  const alternatives = itemsOf(given['top_logprobs']).map((each) => {
    const { token, logprob } = fieldsOf(each) as { token?: unknown; logprob?: unknown };
    return { token: textOf(token), logProb: Number(logprob) };
  });
  return {
    token: textOf(given['token']),
    logProb: Number(given['logprob']),
    ...(alternatives.length === 0 ? {} : { alternatives }),
  };
}

function usageFrom(given: unknown): TokenUsage | undefined {
  const usage = fieldsOf(given);
  const [input, output] = [countOf(usage['prompt_tokens']), countOf(usage['completion_tokens'])];
  if (input === undefined || output === undefined) return undefined;
  const details = fieldsOf(usage['prompt_tokens_details']);
  const cacheRead =
    countOf(details['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']) ?? countOf(usage['cached_tokens']);
  const cacheWrite = countOf(details['cache_write_tokens']) ?? countOf(usage['cache_creation_input_tokens']);
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}
