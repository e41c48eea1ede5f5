import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { type Asking, onProcessSignals, type Person } from './person.js';
import { QuietOutput } from './quiet-output.js';

/** Lines that come closer together than anybody types were pasted. */
const PASTE_MS = 30;

interface Open {
  readonly kind: Asking['kind'];
  readonly given: string[];
  timer?: ReturnType<typeof setTimeout>;
  answer(line: string | undefined): void;
}

/** Somebody at a terminal, with a line that can be edited and a history. */
export class Keyboard implements Person {
  private readonly terminal: WriteStream;
  private readonly quiet: QuietOutput;
  private readonly lines: Interface;
  private readonly stops: (() => void)[] = [];
  /** Messages that were typed ahead. */
  private readonly ahead: string[] = [];
  /** What was being typed when a decision came between. */
  private unfinished = '';
  private open: Open | undefined;
  private isOver = false;

  constructor(input: ReadStream, terminal: WriteStream) {
    this.terminal = terminal;
    this.quiet = new QuietOutput(terminal);
    this.lines = createInterface({ input, output: this.quiet, terminal: true });
    this.lines.on('line', (line) => this.typed(line));
    this.lines.on('close', () => this.over());
  }

  ask(question: string, { kind, withdrawn }: Asking): Promise<string | undefined> {
    const early = kind === 'message' ? this.ahead.shift() : undefined;
    if (early !== undefined || this.isOver) {
      this.terminal.write(`${question}${early ?? ''}\n`);
      return Promise.resolve(early);
    }
    return new Promise((resolve) => {
      const stop = (): void => this.withdraw();
      this.open = {
        kind,
        given: [],
        answer: (line) => {
          withdrawn.removeEventListener('abort', stop);
          this.quiet.isQuiet = true;
          this.open = undefined;
          resolve(line);
        },
      };
      withdrawn.addEventListener('abort', stop);
      this.prompt(question, kind);
      if (withdrawn.aborted) this.withdraw();
    });
  }

  onInterrupt(listener: (signal: 'SIGINT' | 'SIGTERM') => void): void {
    this.lines.on('SIGINT', () => listener('SIGINT'));
    this.stops.push(onProcessSignals(listener));
  }

  close(): void {
    this.lines.close();
    this.quiet.destroy();
    for (const stop of this.stops.splice(0)) stop();
  }

  private prompt(question: string, kind: Asking['kind']): void {
    if (kind === 'decision') {
      this.unfinished += this.lines.line;
      this.lines.write(null, { ctrl: true, name: 'e' });
      this.lines.write(null, { ctrl: true, name: 'u' });
    }
    this.quiet.isQuiet = false;
    this.lines.setPrompt(question);
    this.lines.prompt(true);
    if (kind === 'message' && this.unfinished !== '') {
      this.lines.write(this.unfinished);
      this.unfinished = '';
    }
  }

  private typed(line: string): void {
    const { open } = this;
    if (open === undefined) {
      if (line.trim() !== '') this.ahead.push(line); // an impatient Enter is no message
      return;
    }
    if (open.kind === 'decision') return open.answer(line);
    open.given.push(line);
    clearTimeout(open.timer);
    open.timer = setTimeout(() => this.pasted(open), PASTE_MS);
  }

  /** Nobody types the next letter so soon: it is a paste without a line break at its end, and waits for the Enter that ends it. */
  private pasted(open: Open): void {
    if (this.lines.line !== '') return;
    open.answer(open.given.join('\n'));
  }

  private withdraw(): void {
    if (this.open === undefined) return;
    moveCursor(this.terminal, 0, -this.lines.getCursorPos().rows); // what was typed may be longer than a row
    cursorTo(this.terminal, 0);
    clearScreenDown(this.terminal);
    clearTimeout(this.open.timer);
    this.open.answer(undefined);
  }

  private over(): void {
    this.isOver = true;
    if (this.open === undefined) return;
    this.terminal.write('\n');
    clearTimeout(this.open.timer);
    this.open.answer(this.open.given.length === 0 ? undefined : this.open.given.join('\n'));
  }
}
