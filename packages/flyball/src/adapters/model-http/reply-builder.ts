import { callIds } from '../../core/call-ids.js';
import type { Message, ModelDelta, ToolCall } from '../../core/model.js';

export interface CallPart {
  /** Which call it belongs to, where the vendor counts them. */
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface OpenCall {
  readonly index: number | undefined;
  readonly vendorId: string;
  readonly id: string;
  name: string;
  arguments: string;
}

/** Puts a reply together from its parts, and tells each of them to whoever listens. */
export class ReplyBuilder {
  text = '';
  reasoning = '';
  private readonly calls: OpenCall[] = [];
  /** The calls again, by index (undefined: all of them), so that a reply of very many is not searched for each of its parts. */
  private readonly last = new Map<number | undefined, OpenCall>();
  private readonly first = new Map<number | undefined, Map<string, OpenCall>>();
  private readonly freshId: () => string;
  private readonly onDelta: ((delta: ModelDelta) => void) | undefined;

  constructor(asked: readonly Message[], onDelta: ((delta: ModelDelta) => void) | undefined) {
    this.freshId = callIds(asked);
    this.onDelta = onDelta;
  }

  addText(text: string): void {
    if (text === '') return;
    this.text += text;
    this.onDelta?.({ type: 'text', text });
  }

  addReasoning(text: string): void {
    if (text === '') return;
    this.reasoning += text;
    this.onDelta?.({ type: 'reasoning', text });
  }

  addCall(part: CallPart): void {
    const known = this.callFor(part);
    const call = known ?? this.openCall(part);
    if (known !== undefined && call.name === '') call.name = part.name; // some vendors repeat the name in every part
    call.arguments += part.arguments;
    if (known !== undefined && part.arguments === '') return;
    const name = known === undefined ? { name: call.name } : {};
    this.onDelta?.({ type: 'tool-call', id: call.id, ...name, arguments: part.arguments });
  }

  /** Arguments as they came: whether none at all are none by intent, or were cut off, only the finish can tell. */
  toolCalls(): readonly ToolCall[] {
    return this.calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  }

  /** A part without an index and with a new id, or with a taken index and another id, begins a call of its own. */
  private callFor({ index, id, name }: CallPart): OpenCall | undefined {
    const last = this.last.get(index);
    if (last === undefined || id === '' || id === last.vendorId)
      return index === undefined && id === '' && name !== '' ? undefined : last;
    return this.first.get(index)?.get(id);
  }

  private openCall({ index, id, name }: CallPart): OpenCall {
    const call = { index, vendorId: id, id: id === '' ? this.freshId() : id, name, arguments: '' };
    this.calls.push(call);
    this.keep(undefined, call); // whatever its index is, a part without one may go on with it
    if (index !== undefined) this.keep(index, call);
    return call;
  }

  private keep(index: number | undefined, call: OpenCall): void {
    this.last.set(index, call);
    const known = this.first.get(index) ?? new Map<string, OpenCall>();
    this.first.set(index, known);
    if (!known.has(call.vendorId)) known.set(call.vendorId, call);
  }
}
