import { passOver } from '../../core/by-kind.js';
import type { ChildKind, PatternKind, RollbackKind } from '../../core/event-kinds.js';
import type { Entry, EventOf } from '../../core/events.js';
import type { ModelDelta } from '../../core/model.js';
import { duration, plural, shorten } from '../amounts.js';
import { Folding } from '../folded.js';
import { printable, printableLines } from '../printable.js';
import type { Color, Screen } from '../screen.js';
import { shownLines } from './shown-lines.js';
import { Working } from './working.js';

/** In front of every further line of a text: deeper than what is told beside a reply, so that no reply can tell it. */
const MARGIN = '    ';

/** Shows a conversation to a person as it happens: text while it comes, tool calls when they are proposed and when they end. */
export class ChatView {
  private readonly screen: Screen;
  private readonly write: (text: string) => void;
  private readonly working: Working;
  private readonly folding: Folding;
  /** Text of the reply that is being streamed; the cursor stands behind it. */
  private streamed = '';
  /** The last reply that was shown in this turn. */
  private said = '';
  /** The last failure that was shown: the loop tries again, and would tell the same three times. */
  private failure = '';
  private readonly began = new Map<string, { readonly name: string; readonly at: number }>();

  constructor(screen: Screen, write: (text: string) => void) {
    this.screen = screen;
    this.write = write;
    this.working = new Working(screen);
    this.folding = new Folding(screen.width, MARGIN);
  }

  delta(delta: ModelDelta): void {
    if (delta.type === 'restart') return this.restarted(delta.why);
    if (delta.type !== 'text') return;
    const text = delta.text.replaceAll('\r', ''); // is not shown, so it must not hide that a line begins
    if (text === '') return;
    this.working.hide();
    if (this.streamed === '') this.begin();
    else if (this.streamed.endsWith('\n')) this.put(MARGIN);
    this.streamed += text;
    this.put(withoutLast(printableLines(text, MARGIN)));
  }

  private begin(): void {
    this.write(`${this.screen.paint('green', '●')} `);
    this.folding.column = 2;
  }

  /** Broken at the edge of a terminal here, and not by the terminal, which would begin the next line at the other edge. */
  private put(text: string): void {
    this.write(this.screen.live ? this.folding.fold(text) : text);
  }

  entry({ event, at }: Entry): void {
    switch (event.type) {
      case 'ask-start':
        return this.working.show('thinking');
      case 'ask-end':
        return this.replied(event);
      case 'intent':
        this.began.set(event.id, { name: event.name, at });
        return this.working.show(event.name);
      case 'complete':
      case 'abort':
        return this.ended(event, at);
      case 'retry':
        return this.aside(
          'yellow',
          `${event.name} failed, retrying in ${duration(event.delayMs)}: ${event.failure.message}`,
        );
      case 'guard-decision':
        // the others are told by what follows: a question, or a call that was refused
        return event.verdict === 'warned' ? this.aside('yellow', `${event.guard}: ${event.why}`) : undefined;
      case 'budget-warning':
        return this.aside('yellow', `${event.axis}: ${event.spent} of ${event.limit} used`);
      case 'signal-refused':
        return this.aside('red', `✗ that answer is not valid: ${event.why}`);
      case 'redirect':
        return this.aside('cyan', `↪ new instruction from ${event.by}: ${event.text}`);
      case 'note':
        return this.noted(event);
      case 'wait-start':
      case 'run-end':
        return this.rest();
      default: // nothing that a conversation has to tell
        return passOver<
          | ChildKind
          | RollbackKind
          | PatternKind
          | 'run-start'
          | 'generation-start'
          | 'generation-end'
          | 'attempt-start'
          | 'run-resume'
          | 'run-pause'
          | 'call-start'
          | 'doubt'
          | 'wait-end'
          | 'wait-close'
          | 'sleep-start'
          | 'sleep-end'
          | 'trip'
          | 'cancel'
          | 'stuck'
          | 'pin'
          | 'post'
        >(event);
    }
  }

  /** Somebody else said it, in another process. */
  overheard(text: string, from: string): void {
    this.rest();
    this.screen.line(
      `${this.screen.paint('bold', '>')} ${printableLines(text, MARGIN)} ${this.screen.paint('dim', `(from ${printable(from)})`)}`,
    );
  }

  /** The last exchange, for somebody who comes back. */
  recall(message: string | undefined, answer: string | undefined): void {
    const most = this.screen.width * 3;
    if (message !== undefined) this.screen.line(this.screen.paint('dim', `> ${shorten(message, most)}`));
    if (answer !== undefined) this.screen.line(this.screen.paint('dim', `● ${shorten(answer, most)}`));
  }

  /** Nothing is being written: a prompt may be shown. */
  rest(): void {
    this.working.hide();
    this.endLine();
  }

  private restarted(why: string): void {
    if (this.streamed === '') return;
    this.aside('yellow', `… interrupted, asking again: ${why}`);
  }

  private replied({ reply, failure }: EventOf<'ask-end'>): void {
    if (failure !== undefined && failure.message !== this.failure) {
      this.failure = failure.message;
      this.aside('red', `✗ the model did not answer: ${failure.message}`);
    }
    if (reply === undefined) return;
    this.failure = '';
    const isStreamed = this.streamed !== '';
    this.rest();
    if (!isStreamed) this.reply(reply.text);
    if (reply.text.trim() !== '') this.said = reply.text;
    for (const call of reply.toolCalls ?? [])
      this.aside('cyan', `→ ${call.name} ${shorten(call.arguments, this.screen.width - call.name.length - 8)}`);
    const names = (reply.toolCalls ?? []).map(({ name }) => name);
    if (names.length > 0) this.working.show(names.join(', '));
  }

  private reply(text: string): void {
    if (text.trim() !== '')
      this.screen.line(`${this.screen.paint('green', '●')} ${printableLines(text.trimEnd(), MARGIN)}`);
  }

  private ended(event: EventOf<'complete'> | EventOf<'abort'>, at: number): void {
    const begun = this.began.get(event.id);
    const name = event.of === 'call' ? event.name : begun?.name;
    if (name === undefined) return; // a step of the agent's own code
    this.began.delete(event.id);
    const took = begun === undefined ? '' : `, ${duration(at - begun.at)}`;
    const room = Math.max(20, this.screen.width - name.length - took.length - 8);
    if (event.failure !== undefined)
      return this.aside('red', `✗ ${name}${took}: ${shorten(event.failure.message, room * 3)}`);
    if (event.type !== 'complete') return;
    const shown = shownLines(name, event.result, this.screen.width - MARGIN.length - 2);
    if (shown.length > 0) return this.show(shown);
    this.aside('dim', `✓ ${name}${took}: ${preview(event.result, room)}`);
  }

  /** What the agent shows is for reading, not for the margin. */
  private show(lines: readonly string[]): void {
    this.rest();
    for (const line of lines) this.screen.line(`${MARGIN}${line}`);
  }

  private noted({ event }: EventOf<'note'>): void {
    switch (event.kind) {
      case 'turn-end':
        return this.turnEnded(event as unknown as TurnEnd);
      case 'context-compacted':
        return this.aside('dim', `${plural(Number(event['messages']), 'old message')} summarized to make room`);
      case 'context-cleared':
        return this.aside('dim', `${plural(Number(event['results']), 'old result')} cleared to make room`);
      default:
        return;
    }
  }

  private turnEnded({ answer, because }: TurnEnd): void {
    this.rest();
    if (answer !== undefined && answer.trim() !== this.said.trim()) this.reply(answer);
    if (because !== undefined) {
      const isKnown = because === this.failure; // told when it happened
      this.aside(
        'yellow',
        isKnown
          ? 'This turn failed. Send the message again, or another one. flyball doctor checks which models are available.'
          : `Stopped: ${because}`,
      );
    }
    this.said = '';
    this.failure = '';
  }

  private aside(color: Color, text: string): void {
    this.endLine();
    this.screen.line(`  ${this.screen.paint(color, printable(text))}`);
  }

  private endLine(): void {
    if (this.streamed === '') return;
    if (!this.streamed.endsWith('\n')) this.write('\n');
    this.streamed = '';
  }
}

/** The margin of a line that has not begun yet is written when it does. */
function withoutLast(text: string): string {
  return text.endsWith(`\n${MARGIN}`) ? text.slice(0, -MARGIN.length) : text;
}

interface TurnEnd {
  readonly answer?: string;
  readonly because?: string;
}

function preview(result: unknown, width: number): string {
  const text = (result as { readonly text?: unknown } | null)?.text;
  const words = typeof text === 'string' ? text : (JSON.stringify(result) ?? '');
  return shorten(words, width) || 'nothing';
}
