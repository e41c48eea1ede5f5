import { DEFAULT_FEATURES, featureAdvice, type ShellFeature } from './commands-features.js';
import { Refusal, type Word, WordParser } from './commands-words.js';

export interface SimpleCommand {
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirections: readonly { readonly writes: boolean; readonly target: Word }[];
}

/** Every command in the line, those inside substitutions and groups included. */
export type ParsedLine =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[]; readonly features: ReadonlySet<ShellFeature> }
  | { readonly ok: false; readonly why: string };

const MAX_LENGTH = 16_384;
const MAX_DEPTH = 8;

/**
 * Reads a command line the way a shell would, so that nothing in it goes unseen. Where this grammar and a shell could
 * disagree it refuses: a line that is let through has one reading only.
 */
export function parseCommandLine(line: string, allowed: readonly ShellFeature[] = DEFAULT_FEATURES): ParsedLine {
  if (line.length > MAX_LENGTH) return { ok: false, why: `The command line is longer than ${MAX_LENGTH} characters.` };
  const parser = new LineParser(line.trim(), new Set(allowed));
  try {
    parser.list(undefined);
    return { ok: true, commands: parser.commands, features: parser.features };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, why: error.message };
    throw error;
  }
}

class LineParser extends WordParser {
  readonly commands: SimpleCommand[];
  private readonly documents: string[] = [];
  private depth: number;

  constructor(text: string, allowed: ReadonlySet<ShellFeature>, outer?: LineParser) {
    super(text, allowed, outer?.features ?? new Set());
    this.commands = outer?.commands ?? [];
    this.depth = outer?.depth ?? 0;
  }

  protected nested(text: string): void {
    new LineParser(text, this.allowed, this).list(undefined);
  }

  /** Pipelines up to `close`, or to the end. */
  list(close: ')' | '}' | undefined): void {
    if (++this.depth > MAX_DEPTH) throw new Refusal('The command line is nested too deeply to be checked.');
    for (let ended = false; !ended; ) {
      this.pipeline(close);
      ended = this.afterPipeline(close);
    }
    this.depth--;
  }

  private pipeline(close: string | undefined): void {
    this.command(close);
    for (this.blanks(); this.peek() === '|' && this.peek(1) !== '|'; this.blanks()) {
      this.at++;
      this.need('pipe');
      if (this.peek() === '&') this.need('redirection', 1);
      this.command(close);
    }
  }

  /** True when the list ends here. */
  private afterPipeline(close: string | undefined): boolean {
    if (this.take('&&') || this.take('||')) return this.chained('and-or');
    if (this.take(';;')) throw new Refusal('“;;” is not part of a command.');
    let separated = false;
    if (this.take(';')) separated = !this.chained('sequence');
    else if (this.take('&')) separated = !this.chained('background');
    else if (this.take('\n')) separated = !this.lineBreak();
    this.blanks();
    while (separated && this.take('\n')) this.blanks();
    if (close !== undefined && this.take(close)) return true;
    if (this.at < this.text.length) {
      if (separated) return false;
      throw new Refusal(`“${this.peek()}” does not belong at character ${this.at + 1} of the command line.`);
    }
    if (close !== undefined) throw new Refusal(`A “${close}” is missing in the command line.`);
    return true;
  }

  private chained(feature: ShellFeature): false {
    this.need(feature);
    return false;
  }

  /** The line break after the start of a here-document only begins its text. */
  private lineBreak(): false {
    const begins = this.documents.length > 0;
    for (const delimiter of this.documents.splice(0)) this.skipDocument(delimiter);
    if (!begins || this.at < this.text.length) this.need('sequence');
    return false;
  }

  private skipDocument(delimiter: string): void {
    for (;;) {
      const end = this.text.indexOf('\n', this.at);
      const line = this.text.slice(this.at, end < 0 ? undefined : end);
      this.at = end < 0 ? this.text.length : end + 1;
      if (line === delimiter) return;
      if (end < 0) throw new Refusal(`The here-document is not ended by ${delimiter}.`);
    }
  }

  private command(close: string | undefined): void {
    this.blanks();
    if (this.peek() === '(' || (this.peek() === '{' && /\s/.test(this.peek(1)))) return this.group();
    const found: { assignments: Word[]; words: Word[]; redirections: SimpleCommand['redirections'][number][] } = {
      assignments: [],
      words: [],
      redirections: [],
    };
    for (this.blanks(); !this.atCommandEnd(close, found.words.length === 0); this.blanks()) {
      if (this.take('#')) this.comment();
      else if (this.atRedirection()) this.redirect(found);
      else this.wordInto(found);
    }
    if (found.words.length + found.assignments.length + found.redirections.length === 0)
      throw new Refusal('A command is missing in the command line.');
    this.commands.push(found);
  }

  private group(): void {
    // bash computes what stands in (( )) and expands it even inside quotes; other shells take it for two groups
    if (this.text.startsWith('((', this.at)) throw new Refusal('Arithmetic (( )) is not allowed. Write the number.');
    this.need('subshell');
    this.list(this.text[this.at++] === '(' ? ')' : '}');
    const found = { assignments: [], words: [], redirections: [] };
    for (this.blanks(); this.atRedirection(); this.blanks()) this.redirect(found);
    if (found.redirections.length + found.words.length > 0) this.commands.push(found);
  }

  private atRedirection(): boolean {
    return /^(?:\d*[<>]|&>)/.test(this.text.slice(this.at, this.at + 12));
  }

  private atCommandEnd(close: string | undefined, first: boolean): boolean {
    const next = this.peek();
    if (next === '' || next === '\n' || next === '|' || next === ';') return true;
    if (next === '&') return this.peek(1) !== '>';
    if (next === '(') throw new Refusal(featureAdvice('subshell'));
    if (next === ')') return true;
    return next === '}' && close === '}' && first;
  }

  private wordInto(found: { assignments: Word[]; words: Word[] }): void {
    const start = this.at;
    const word = this.word();
    const written = this.text.slice(start, this.at);
    if (found.words.length === 0 && written === '!') throw new Refusal(featureAdvice('history'));
    const isAssignment = found.words.length === 0 && /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(written);
    if (isAssignment) this.need('assignment');
    (isAssignment ? found.assignments : found.words).push(word);
  }

  private redirect(found: { words: Word[]; redirections: SimpleCommand['redirections'][number][] }): void {
    if (/^[<>]\(/.test(this.text.slice(this.at))) {
      this.need('process-substitution', 2);
      this.list(')');
      found.words.push({ text: '/dev/fd/63', opaque: false }); // what a shell puts there: a path, never a flag
      return;
    }
    const operator = /^(?:\d*(?:<<<|<<-?|<>|>>|>\||[<>]&|[<>])|&>>?)/.exec(this.text.slice(this.at))?.[0] ?? '';
    this.need(operator.includes('<<') ? 'here-document' : 'redirection', operator.length);
    this.blanks();
    const quoted = this.peek() === "'" || this.peek() === '"';
    const target = this.word();
    if (target.text === '' && !target.opaque) throw new Refusal('A redirection leads nowhere.');
    if (!/<<-?$/.test(operator)) {
      // a copy of another descriptor is no file
      if (!(operator.endsWith('&') && /^\d+$|^-$/.test(target.text)))
        found.redirections.push({ writes: operator.includes('>'), target });
      return;
    }
    if (!quoted) throw new Refusal("A here-document is expanded unless its delimiter is quoted. Write <<'EOF'.");
    this.documents.push(target.text);
  }

  private comment(): void {
    this.need('comment');
    while (this.at < this.text.length && this.peek() !== '\n') this.at++;
  }
}
