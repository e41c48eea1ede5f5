import { callIds } from '../../core/call-ids.js';
import type { FinishReason, Message, ModelDelta, ModelReply, TokenUsage, ToolCall } from '../../core/model.js';
import type { ChatResponse } from './library.js';

export interface ResponseChunk {
  readonly type: 'segment' | undefined;
  readonly text: string;
}

export interface ParamsChunk {
  readonly callIndex: number;
  readonly functionName: string;
  readonly paramsChunk: string;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  arguments: string;
  told: number;
}

/** Puts a reply together as the model writes it, and tells each part to whoever listens. */
export class LlamaReply {
  private text = '';
  private reasoning = '';
  private readonly calls: OpenCall[] = [];
  private readonly freshId: () => string;
  private readonly tell: (delta: ModelDelta) => void;

  constructor(asked: readonly Message[], tell: (delta: ModelDelta) => void) {
    this.freshId = callIds(asked);
    this.tell = tell;
  }

  addText({ type, text }: ResponseChunk): void {
    if (text === '') return;
    if (type === undefined) this.text += text;
    else this.reasoning += text;
    this.tell({ type: type === undefined ? 'text' : 'reasoning', text });
  }

  /** The grammar ends arguments with blank lines, which are held back until something follows them. */
  addArguments({ callIndex, functionName, paramsChunk }: ParamsChunk): void {
    const isNew = this.calls[callIndex] === undefined;
    const call = this.callAt(callIndex, functionName);
    call.arguments += paramsChunk;
    const written = call.arguments.trimEnd();
    if (!isNew && written.length <= call.told) return;
    const delta = written.slice(call.told);
    call.told = written.length;
    this.tell({ type: 'tool-call', id: call.id, ...(isNew ? { name: call.name } : {}), arguments: delta });
  }

  finished({ functionCalls = [], metadata }: ChatResponse, usage: TokenUsage): ModelReply {
    for (const [nth, { functionName }] of functionCalls.entries())
      if (this.calls[nth] === undefined) this.addArguments({ callIndex: nth, functionName, paramsChunk: '{}' }); // a tool without arguments has none written
    return {
      text: this.text,
      toolCalls: this.calls.map(toolCall),
      finish: finishOf(metadata.stopReason, this.calls.length),
      usage,
      ...(this.reasoning === '' ? {} : { reasoning: this.reasoning }),
    };
  }

  private callAt(nth: number, name: string): OpenCall {
    const call = this.calls[nth] ?? { id: this.freshId(), name, arguments: '', told: 0 };
    this.calls[nth] = call;
    return call;
  }
}

function toolCall({ id, name, arguments: given }: OpenCall): ToolCall {
  return { id, name, arguments: given.trimEnd() };
}

function finishOf(stopReason: string, calls: number): FinishReason {
  if (stopReason === 'maxTokens') return 'length';
  return calls > 0 ? 'tool_calls' : 'stop';
}
