import { escapeNode } from './escapes.js';
import { parseFlags } from './parse-flags.js';
import { parseSet } from './parse-set.js';
import { Source } from './source.js';
import {
  type Flag,
  type FlagChange,
  NO_CHANGE,
  type Node,
  PatternError,
  type RepeatMode,
  type Sequence,
  UNBOUNDED,
} from './syntax.js';
import { type Width, widthOf } from './width.js';

export interface Parsed {
  readonly body: Sequence;
  /** Those that the pattern itself turns on for all of it. */
  readonly flags: ReadonlySet<Flag>;
  /** Group 0 included. */
  readonly groups: number;
}

/** Reads a pattern as Python 3.11 and 3.12 do; throws PatternError for what they refuse. */
export function parsePattern(pattern: string): Parsed {
  const parser = new Parser(pattern);
  return parser.whole();
}

const BLANK = /^[ \t\n\r\v\f]$/;
const DIGIT = /^[0-9]$/;
const IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
const MANY_GROUPS = 1_000_000;
/** Where Python gives up as well, or nearly so: its own recursion ends there. */
const DEEPEST = 300;

class Parser {
  private readonly source: Source;
  private readonly flags = new Set<Flag>();
  private readonly names = new Map<string, number>();
  /** Of closed groups; an open one is undefined. */
  private readonly widths: (Width | undefined)[] = [[0, 0]];
  /** The first group that belongs to the look-behind being read. */
  private behindFrom: number | undefined;
  private highestTested = 0;
  private depth = 0;

  constructor(pattern: string) {
    this.source = new Source(pattern);
  }

  get count(): number {
    return this.widths.length;
  }

  whole(): Parsed {
    const body = this.alternatives(false, true);
    if (this.source.next !== undefined) throw new PatternError('unbalanced parenthesis');
    if (this.highestTested >= this.count) throw new PatternError(`invalid group reference ${this.highestTested}`);
    if (this.flags.has('a') && this.flags.has('u')) throw new PatternError('a and u are incompatible');
    return { body, flags: this.flags, groups: this.count };
  }

  /** A group can be referred to when it is closed, and from a look-behind only when it began before it. */
  refer(group: number): void {
    if (this.widths[group] === undefined) throw new PatternError('cannot refer to an open group');
    this.checkBehind(group);
  }

  private checkBehind(group: number): void {
    if (this.behindFrom === undefined) return;
    if (this.widths[group] === undefined) throw new PatternError('cannot refer to an open group');
    if (group >= this.behindFrom) throw new PatternError('cannot refer to a group of the same look-behind');
  }

  private alternatives(verbose: boolean, top = false): Sequence {
    const options: Sequence[] = [];
    let isVerbose = verbose;
    do {
      options.push(this.sequence(isVerbose, top && options.length === 0));
      if (top) isVerbose = this.flags.has('x');
    } while (this.source.match('|'));
    return options.length === 1 ? (options[0] ?? []) : [{ kind: 'branch', options }];
  }

  /** `first`: nothing stands before it, so that flags for the whole pattern may. */
  private sequence(verbose: boolean, first = false): Sequence {
    const nodes: Node[] = [];
    let isVerbose = verbose;
    for (
      let token = this.source.next;
      token !== undefined && token !== '|' && token !== ')';
      token = this.source.next
    ) {
      this.source.get();
      if (isVerbose && this.isSkipped(token)) continue;
      if (token === '(') {
        const node = this.parenthesis(isVerbose, first && nodes.length === 0);
        if (node === 'flags') isVerbose = this.flags.has('x');
        else if (node !== 'comment') nodes.push(node);
      } else if ('*+?{'.includes(token)) this.repeat(token, nodes);
      else nodes.push(this.single(token));
    }
    return nodes;
  }

  /** Blanks and comments of a verbose pattern. */
  private isSkipped(token: string): boolean {
    if (BLANK.test(token)) return true;
    if (token !== '#') return false;
    for (let read = this.source.get(); read !== undefined && read !== '\n'; ) read = this.source.get();
    return true;
  }

  private single(token: string): Node {
    switch (token) {
      case '[':
        return parseSet(this.source);
      case '.':
        return { kind: 'any' };
      case '^':
        return { kind: 'at', where: 'line-start' };
      case '$':
        return { kind: 'at', where: 'line-end' };
      default:
        if (token.startsWith('\\')) return escapeNode(this.source, token, this);
        return { kind: 'char', code: token.codePointAt(0) ?? 0 };
    }
  }

  private repeat(token: string, nodes: Node[]): void {
    const bounds = token === '{' ? this.bounds() : { min: token === '+' ? 1 : 0, max: token === '?' ? 1 : UNBOUNDED };
    if (bounds === undefined) {
      nodes.push({ kind: 'char', code: 0x7b });
      return;
    }
    const last = nodes.pop();
    if (last === undefined || last.kind === 'at') throw new PatternError('nothing to repeat');
    if (last.kind === 'repeat') throw new PatternError('multiple repeat');
    const mode: RepeatMode = this.source.match('?') ? 'lazy' : this.source.match('+') ? 'possessive' : 'greedy';
    nodes.push({ kind: 'repeat', ...bounds, mode, body: [last] });
  }

  /** What follows an opening brace; undefined where the brace is only a character. */
  private bounds(): { readonly min: number; readonly max: number } | undefined {
    if (this.source.next === '}') return undefined;
    const here = this.source.position;
    const low = this.source.take(Number.POSITIVE_INFINITY, DIGIT);
    const high = this.source.match(',') ? this.source.take(Number.POSITIVE_INFINITY, DIGIT) : low;
    if (!this.source.match('}')) {
      this.source.seek(here);
      return undefined;
    }
    const min = low === '' ? 0 : Number(low);
    const max = high === '' ? UNBOUNDED : Number(high);
    if (min >= UNBOUNDED || (high !== '' && max >= UNBOUNDED)) throw new PatternError('repetition number too large');
    if (max < min) throw new PatternError('min repeat greater than max repeat');
    return { min, max };
  }

  private parenthesis(verbose: boolean, first: boolean): Node | 'flags' | 'comment' {
    if (!this.source.match('?')) return this.capture(undefined, verbose);
    const token = this.source.get();
    switch (token) {
      case undefined:
        throw new PatternError('unexpected end of pattern');
      case 'P':
        return this.named(verbose);
      case ':':
        return { kind: 'group', flags: NO_CHANGE, body: this.inside(verbose) };
      case '>':
        return { kind: 'atomic', body: this.inside(verbose) };
      case '#':
        for (let read = this.source.get(); read !== ')'; read = this.source.get())
          if (read === undefined) throw new PatternError('unterminated comment');
        return 'comment';
      case '=':
      case '!':
        return { kind: 'look', back: 0, negative: token === '!', body: this.inside(verbose) };
      case '<':
        return this.behind(verbose);
      case '(':
        return this.condition(verbose);
      default:
        return this.flagged(token, verbose, first);
    }
  }

  private capture(name: string | undefined, verbose: boolean): Node {
    const group = this.count;
    this.widths.push(undefined);
    if (name !== undefined) {
      if (this.names.has(name)) throw new PatternError(`redefinition of group name ${name}`);
      this.names.set(name, group);
    }
    const body = this.inside(verbose);
    this.widths[group] = widthOf(body, this.widths);
    return { kind: 'group', group, flags: NO_CHANGE, body };
  }

  /** The contents up to the closing parenthesis. */
  private inside(verbose: boolean): Sequence {
    if (++this.depth > DEEPEST) throw new PatternError('too many parentheses inside each other');
    const body = this.alternatives(verbose);
    this.depth--;
    this.close();
    return body;
  }

  private close(): void {
    if (!this.source.match(')')) throw new PatternError('missing ), unterminated subpattern');
  }

  private named(verbose: boolean): Node {
    if (this.source.match('<')) return this.capture(identifier(this.source.until('>', 'group name')), verbose);
    if (!this.source.match('=')) throw new PatternError(`unknown extension ?P${this.source.next ?? ''}`);
    const group = this.groupNamed(identifier(this.source.until(')', 'group name')));
    this.refer(group);
    return { kind: 'reference', group };
  }

  private groupNamed(name: string): number {
    const group = this.names.get(name);
    if (group === undefined) throw new PatternError(`unknown group name ${name}`);
    return group;
  }

  private behind(verbose: boolean): Node {
    const sign = this.source.get();
    if (sign !== '=' && sign !== '!') throw new PatternError(`unknown extension ?<${sign ?? ''}`);
    const outer = this.behindFrom;
    this.behindFrom = outer ?? this.count;
    const body = this.inside(verbose);
    this.behindFrom = outer;
    const [least, most] = widthOf(body, this.widths);
    if (least !== most) throw new PatternError('look-behind requires fixed-width pattern');
    return { kind: 'look', back: least, negative: sign === '!', body };
  }

  private condition(verbose: boolean): Node {
    const group = this.tested(this.source.until(')', 'group name'));
    this.checkBehind(group);
    const yes = this.sequence(verbose);
    const no = this.source.match('|') ? this.sequence(verbose) : undefined;
    if (this.source.next === '|') throw new PatternError('conditional backref with more than two branches');
    this.close();
    return { kind: 'condition', group, yes, no };
  }

  /** A group that a condition names; a number may be that of a group that comes later. */
  private tested(name: string): number {
    if (IDENTIFIER.test(name)) return this.groupNamed(name);
    if (!/^\s*\+?\d+(_\d+)*\s*$/.test(name)) throw new PatternError(`bad character in group name ${name}`);
    const group = Number(name.replaceAll('_', ''));
    if (group === 0 || group >= MANY_GROUPS) throw new PatternError(`invalid group reference ${group}`);
    this.highestTested = Math.max(this.highestTested, group);
    return group;
  }

  private flagged(token: string, verbose: boolean, first: boolean): Node | 'flags' {
    if (!/^[imsxauL-]$/.test(token)) throw new PatternError(`unknown extension ?${token}`);
    const change = parseFlags(this.source, token);
    if (change.global) {
      if (!first) throw new PatternError('global flags not at the start of the expression');
      for (const flag of change.on) this.flags.add(flag);
      return 'flags';
    }
    const flags: FlagChange = { on: change.on, off: change.off };
    const isVerbose = (verbose || change.on.has('x')) && !change.off.has('x');
    return { kind: 'group', flags, body: this.inside(isVerbose) };
  }
}

function identifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new PatternError(`bad character in group name ${name}`);
  return name;
}
