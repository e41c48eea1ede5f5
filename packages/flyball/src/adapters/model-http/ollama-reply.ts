import type { ReplyWithoutBill } from '../../core/bill.js';
import type { Message, ModelDelta, TokenLogProb, TokenUsage } from '../../core/model.js';
import { logProbFrom } from './chat-reply.js';
import { finishOf } from './finish.js';
import { argumentsOf, countOf, type Fields, fieldsOf, itemsOf, textOf } from './json-fields.js';
import { ReplyBuilder } from './reply-builder.js';

/** Puts a reply of `/api/chat` together: its one line, or the lines of its stream. */
export class OllamaReply {
  private readonly parts: ReplyBuilder;
  private readonly logProbs: TokenLogProb[] = [];
  private finish = '';
  private usage: TokenUsage | undefined;
  isFinished = false;

  constructor(asked: readonly Message[], onDelta: ((delta: ModelDelta) => void) | undefined) {
    this.parts = new ReplyBuilder(asked, onDelta);
  }

  take(value: unknown): void {
    const line = fieldsOf(value);
    const message = fieldsOf(line['message']);
    this.parts.addReasoning(textOf(message['thinking']));
    this.parts.addText(textOf(message['content']));
    for (const each of itemsOf(message['tool_calls'])) this.takeCall(fieldsOf(each));
    for (const each of itemsOf(line['logprobs'])) this.logProbs.push(logProbFrom(fieldsOf(each)));
    if (line['done'] !== true) return;
    this.isFinished = true;
    this.finish = textOf(line['done_reason']);
    const [input, output] = [countOf(line['prompt_eval_count']), countOf(line['eval_count'])];
    if (input !== undefined && output !== undefined) this.usage = { input, output };
  }

  result(): ReplyWithoutBill {
    const { text, reasoning } = this.parts;
    const toolCalls = this.parts.toolCalls();
    return {
      text,
      toolCalls,
      finish: finishOf(this.finish, { calls: toolCalls.length, text }),
      ...(this.usage === undefined ? {} : { usage: this.usage }),
      ...(reasoning === '' ? {} : { reasoning }),
      ...(this.logProbs.length === 0 ? {} : { logProbs: this.logProbs }),
    };
  }

  /** Calls come whole, so each is one of its own, whatever its index says. */
  private takeCall(call: Fields): void {
    const called = fieldsOf(call['function']);
    this.parts.addCall({
      index: undefined,
      id: textOf(call['id']),
      name: textOf(called['name']),
      arguments: argumentsOf(called['arguments']),
    });
  }
}
