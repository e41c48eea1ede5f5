import type { ReplyWithoutBill } from '../../core/bill.js';
import type { ModelDelta, TokenLogProb, ToolCall } from '../../core/model.js';
import type { SdkContent, SdkEnd, SdkMetadata } from './language-model.js';
import { merged, type ReplyMetadata } from './metadata.js';
import { finishFrom, usageFrom } from './usage.js';

/** Puts a reply together from whole parts or from the pieces of a stream, and tells each to whoever listens. */
export class ReplyParts {
  private text = '';
  private textMetadata: SdkMetadata | undefined;
  private readonly thoughts = new Map<string, { text: string; metadata?: SdkMetadata }>();
  private readonly calls: ToolCall[] = [];
  private readonly callMetadata: Record<string, SdkMetadata> = {};
  /** Calls whose parts were told already. */
  private readonly told = new Set<string>();
  private readonly onDelta: ((delta: ModelDelta) => void) | undefined;

  constructor(onDelta: ((delta: ModelDelta) => void) | undefined) {
    this.onDelta = onDelta;
  }

  addText(text: string, metadata?: SdkMetadata): void {
    this.textMetadata = merged(this.textMetadata, metadata);
    if (text === '') return;
    this.text += text;
    this.onDelta?.({ type: 'text', text });
  }

  addThought(id: string, text: string, metadata?: SdkMetadata): void {
    const known = this.thoughts.get(id);
    const both = merged(known?.metadata, metadata);
    this.thoughts.set(id, { text: (known?.text ?? '') + text, ...(both === undefined ? {} : { metadata: both }) });
    if (text !== '') this.onDelta?.({ type: 'reasoning', text });
  }

  beginCall(id: string, name: string): void {
    this.told.add(id);
    this.onDelta?.({ type: 'tool-call', id, name, arguments: '' });
  }

  addCallPart(id: string, part: string): void {
    if (part !== '') this.onDelta?.({ type: 'tool-call', id, arguments: part });
  }

  /** A proposed call, complete. Those that the provider made itself are none of ours to make. */
  addCall(call: Extract<SdkContent, { type: 'tool-call' }>): void {
    if (call.providerExecuted === true) return;
    const { toolCallId: id, toolName: name, input: given, providerMetadata } = call;
    this.calls.push({ id, name, arguments: given });
    if (providerMetadata !== undefined) this.callMetadata[id] = providerMetadata;
    if (!this.told.has(id)) this.onDelta?.({ type: 'tool-call', id, name, arguments: given });
  }

  result(end: SdkEnd): ReplyWithoutBill {
    const thoughts = [...this.thoughts.values()];
    const reasoning = thoughts.map(({ text }) => text).join('');
    const usage = usageFrom(end.usage, end.providerMetadata);
    const opaque = this.metadata(thoughts);
    const logProbs = logProbsFrom(end.providerMetadata);
    return {
      text: this.text,
      toolCalls: this.calls,
      finish: finishFrom(end.finishReason, { calls: this.calls.length, text: this.text }),
      ...(usage === undefined ? {} : { usage }),
      ...(reasoning === '' ? {} : { reasoning }),
      ...(opaque === undefined ? {} : { opaqueReasoning: opaque }),
      ...(logProbs.length === 0 ? {} : { logProbs }),
    };
  }

  private metadata(thoughts: NonNullable<ReplyMetadata['reasoning']>): ReplyMetadata | undefined {
    const signed = thoughts.some(({ metadata }) => metadata !== undefined);
    const withCalls = Object.keys(this.callMetadata).length > 0;
    if (!signed && this.textMetadata === undefined && !withCalls) return undefined;
    return {
      ...(thoughts.length === 0 ? {} : { reasoning: thoughts }),
      ...(this.textMetadata === undefined ? {} : { text: this.textMetadata }),
      ...(withCalls ? { calls: this.callMetadata } : {}),
    };
  }
}

/** OpenAI's, a list for each part of the text. No other provider hands them on. */
function logProbsFrom(metadata: SdkMetadata | undefined): readonly TokenLogProb[] {
  const lists = Object.values(metadata ?? {}).flatMap((own) => (Array.isArray(own['logprobs']) ? own['logprobs'] : []));
  return lists.flat().flatMap((given) => {
    const { token, logprob, top_logprobs: top } = (given ?? {}) as Record<string, unknown>;
    if (typeof token !== 'string' || typeof logprob !== 'number') return [];
    const alternatives = (Array.isArray(top) ? top : []).map((each: Record<string, unknown>) => ({
      token: String(each['token']),
      logProb: Number(each['logprob']),
    }));
    return [{ token, logProb: logprob, ...(alternatives.length === 0 ? {} : { alternatives }) }];
  });
}
