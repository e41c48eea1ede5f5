import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, Scalar, type YAMLMap } from 'yaml';
import { splitSkill } from './front-matter.js';
import type { SkillProblem } from './skill.js';

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A value of the front matter as it is written, with its place. */
export type WrittenValue = Position & {
  /** The text as it stands in the file. */
  readonly source: string;
} & (
    | { readonly kind: 'text'; readonly value: string }
    | { readonly kind: 'list'; readonly items: readonly WrittenValue[] }
    | { readonly kind: 'map'; readonly entries: readonly WrittenEntry[] }
    /** A number, a truth value, nothing, a date: whatever YAML makes of a word that is not in quotes. */
    | { readonly kind: 'other'; readonly type: string }
  );

export interface WrittenEntry extends Position {
  readonly key: string;
  readonly value: WrittenValue;
}

/** A SKILL.md file as it was parsed. */
export interface ParsedSkill {
  /** Undefined where there is no front matter that can be read. */
  readonly fields: readonly WrittenEntry[] | undefined;
  readonly body: string;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly problems: readonly SkillProblem[];
}

const BOM = '\uFEFF';

/** Reads SKILL.md into values with places. Says what is wrong with its form; what it means is for `checkSkill`. */
export function parseSkill(given: string, file: string): ParsedSkill {
  const problems: SkillProblem[] = [];
  const say = (level: SkillProblem['level'], at: Position, message: string): void =>
    void problems.push({ level, file, line: at.line, column: at.column, message });
  const text = given.startsWith(BOM) ? given.slice(1) : given;
  if (text !== given)
    say('error', { line: 1, column: 1 }, 'The file begins with a byte order mark. Save it as UTF-8 without one.');
  const carriage = text.indexOf('\r\n');
  if (carriage >= 0)
    say('warning', placeIn(text, carriage), 'Lines end with CR LF. Save the file with LF alone, as scripts need it.');
  const cut = splitSkill(text);
  if (!cut.ok) {
    say('error', { line: cut.line, column: 1 }, `${capital(cut.problem)}.`);
    return { fields: undefined, body: '', bodyLine: cut.line, problems };
  }
  const reader = new YamlReader(cut.yaml, (at, message) => say('error', at, message));
  const fields = reader.read();
  return { fields, body: cut.body.replaceAll('\r\n', '\n'), bodyLine: cut.bodyLine, problems };
}

/** Lines of YAML begin on the second line of the file, after the fence. */
const FENCE_LINES = 1;

class YamlReader {
  private readonly yaml: string;
  private readonly wrong: (at: Position, message: string) => void;
  private readonly lines = new LineCounter();

  constructor(yaml: string, wrong: (at: Position, message: string) => void) {
    this.yaml = yaml;
    this.wrong = wrong;
  }

  read(): readonly WrittenEntry[] | undefined {
    // keys that come twice are told here, in words of our own, and the rest is still checked
    const document = parseDocument(this.yaml, { lineCounter: this.lines, prettyErrors: false, uniqueKeys: false });
    for (const { pos, message, code } of [...document.errors, ...document.warnings])
      this.wrong(this.at(pos[0]), `${capital(message.replace(/\.$/, ''))}. ${ADVICE[code] ?? ''}`.trimEnd());
    if (document.errors.length > 0) return undefined;
    const { contents } = document;
    if (isMap(contents)) return this.entries(contents as YAMLMap<unknown, unknown>);
    const at = contents === null ? { line: FENCE_LINES + 1, column: 1 } : this.at(startOf(contents as Node));
    this.wrong(at, 'The front matter has no fields. Write name: and description:, each on a separate line.');
    return undefined;
  }

  private entries(map: YAMLMap<unknown, unknown>): readonly WrittenEntry[] {
    const found = new Map<string, WrittenEntry>();
    for (const pair of map.items) {
      const at = this.at(startOf(pair.key as Node));
      if (!isScalar(pair.key) || typeof pair.key.value !== 'string') {
        this.wrong(at, 'A key is not text. Write a word, or put it in quotes.');
        continue;
      }
      const key = pair.key.value;
      const first = found.get(key);
      if (first !== undefined) {
        this.wrong(at, `"${key}" is written twice, first on line ${first.line}. Keep one of them.`);
        continue;
      }
      found.set(key, { key, ...at, value: this.value(pair.value as Node | null, at) });
    }
    return [...found.values()];
  }

  private value(node: Node | null, near: Position): WrittenValue {
    const place = node?.range ? this.at(node.range[0]) : near;
    const source = node?.range ? this.yaml.slice(node.range[0], node.range[1]) : '';
    if (isAlias(node)) {
      this.wrong(place, 'An alias (*) is not read by all tools. Write the value itself.');
      return { ...place, source, kind: 'other', type: 'an alias' };
    }
    if (isMap(node)) return { ...place, source, kind: 'map', entries: this.entries(node as YAMLMap<unknown, unknown>) };
    if (isSeq(node))
      return { ...place, source, kind: 'list', items: node.items.map((item) => this.value(item as Node, place)) };
    const { value } = (node ?? new Scalar(null)) as Scalar;
    if (typeof value === 'string') return { ...place, source, kind: 'text', value };
    return { ...place, source, kind: 'other', type: typeIn(value) };
  }

  private at(offset: number): Position {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line) + FENCE_LINES, column: Math.max(1, col) };
  }
}

/** What to do about the mistakes of YAML that are made most. */
const ADVICE: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that holds ": " in quotes.',
  UNEXPECTED_TOKEN: 'Put a text with signs of YAML in quotes.',
  BAD_SCALAR_START: 'Put a text that begins with a sign of YAML in quotes.',
  TAB_AS_INDENT: 'Indent with spaces.',
  MISSING_CHAR: 'Close the quotes or brackets that were opened.',
  BAD_INDENT: 'Let all keys of one mapping begin in the same column.',
  MULTILINE_IMPLICIT_KEY: 'Write "key: value" on one line, or "key: >" with the text indented below it.',
  TAG_RESOLVE_FAILED: 'Leave the tag (!) out.',
};

function typeIn(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'number' || typeof value === 'bigint' ? 'a number' : 'no text';
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

function placeIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
