import type { Entry, EventOf } from '../../core/events.js';
import type { ModelDelta } from '../../core/model.js';
import { duration, plural, shorten } from '../amounts.js';
import type { Screen } from '../screen.js';

/** Shows a conversation as it happens: text while it comes, tool calls when they are proposed and when they end. */
export class ChatView {
  private readonly screen: Screen;
  private readonly write: (text: string) => void;
  /** Text of the reply that is being streamed. */
  private streamed = '';
  private readonly names = new Map<string, { readonly name: string; readonly at: number }>();

  constructor(screen: Screen, write: (text: string) => void) {
    this.screen = screen;
    this.write = write;
  }

  delta(delta: ModelDelta): void {
    if (this.screen.json) return this.screen.data({ kind: 'delta', delta });
    if (delta.type === 'restart') return this.restarted(delta.why);
    if (delta.type !== 'text') return;
    if (this.streamed === '') this.write(this.screen.paint('green', '● '));
    this.streamed += delta.text;
    this.write(delta.text);
  }

  private restarted(why: string): void {
    if (this.streamed === '') return;
    this.streamed = '';
    this.screen.line(`\n${this.screen.paint('yellow', `… asked again: ${why}`)}`);
  }

  entry(runId: string, entry: Entry): void {
    const { generation, seq, at, event } = entry;
    this.screen.data({ kind: 'entry', run: runId, generation, seq, at, event });
    switch (event.type) {
      case 'ask-end':
        return this.replied(event);
      case 'intent':
        this.names.set(event.id, { name: event.name, at });
        return;
      case 'complete':
      case 'abort':
        return this.ended(event, at);
      case 'retry':
        return this.aside(
          'yellow',
          `${event.name} failed (${event.failure.message}); tried again in ${duration(event.delayMs)}`,
        );
      case 'guard-decision':
        return event.verdict === 'allowed'
          ? undefined
          : this.aside('yellow', `${event.guard}: ${event.verdict}, ${event.why}`);
      case 'budget-warning':
        return this.aside('yellow', `${event.axis}: ${event.spent} of ${event.limit} used`);
      case 'note':
        return this.noted(event);
      default:
        return;
    }
  }

  private replied({ reply, failure }: EventOf<'ask-end'>): void {
    if (failure !== undefined) this.aside('red', `the model could not be asked: ${failure.message}`);
    if (reply === undefined) return;
    if (this.streamed !== '') this.screen.line();
    else if (reply.text !== '') this.screen.line(`${this.screen.paint('green', '●')} ${reply.text}`);
    this.streamed = '';
    for (const call of reply.toolCalls ?? [])
      this.aside('cyan', `→ ${call.name} ${shorten(call.arguments, this.screen.width - call.name.length - 8)}`);
  }

  private ended(event: EventOf<'complete'> | EventOf<'abort'>, at: number): void {
    const known = this.names.get(event.id);
    const name = event.of === 'call' ? event.name : known?.name;
    if (name === undefined || (event.of !== 'call' && known === undefined)) return;
    const took = known === undefined ? '' : `, ${duration(at - known.at)}`;
    if (event.failure !== undefined)
      return this.aside('red', `✗ ${name}: ${shorten(event.failure.message, this.screen.width - 20)}`);
    if (event.type === 'complete')
      this.aside('dim', `✓ ${name}${took}: ${preview(event.result, this.screen.width - 30)}`);
  }

  private noted({ event }: EventOf<'note'>): void {
    if (event.kind === 'turn-end' && event['stop'] !== 'done') this.aside('yellow', String(event['answer']));
    if (event.kind === 'context-compacted')
      this.aside('dim', `${plural(Number(event['messages']), 'old message')} summarised to make room`);
    if (event.kind === 'context-cleared')
      this.aside('dim', `${plural(Number(event['results']), 'old result')} cleared to make room`);
  }

  private aside(colour: 'dim' | 'cyan' | 'yellow' | 'red', text: string): void {
    if (this.streamed !== '') this.screen.line();
    this.screen.line(`  ${this.screen.paint(colour, text)}`);
  }
}

function preview(result: unknown, width: number): string {
  const text = (result as { readonly text?: unknown } | null)?.text;
  const words = typeof text === 'string' ? text : (JSON.stringify(result) ?? '');
  return shorten(words.replaceAll(/\s+/g, ' ').trim() || 'nothing', Math.max(20, width));
}
