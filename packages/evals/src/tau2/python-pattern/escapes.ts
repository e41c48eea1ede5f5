import type { Source } from './source.js';
import { type Node, PatternError, type SetItem } from './syntax.js';

const HEX = /^[0-9a-fA-F]$/;
const OCTAL = /^[0-7]$/;
const DIGIT = /^[0-9]$/;
const LETTER = /^[a-zA-Z]$/;
const LAST_OCTAL = 0o377;

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
]);

const ANCHORS: ReadonlyMap<string, Node> = new Map([
  ['A', { kind: 'at', where: 'text-start' }],
  ['Z', { kind: 'at', where: 'text-end' }],
  ['b', { kind: 'at', where: 'boundary' }],
  ['B', { kind: 'at', where: 'not-boundary' }],
]);

const CATEGORIES: ReadonlyMap<string, SetItem> = new Map([
  ['d', { category: 'digit', negate: false }],
  ['D', { category: 'digit', negate: true }],
  ['s', { category: 'space', negate: false }],
  ['S', { category: 'space', negate: true }],
  ['w', { category: 'word', negate: false }],
  ['W', { category: 'word', negate: true }],
]);

/** Which groups a pattern has so far: `refer` throws where a group cannot be referred to. */
export interface GroupsSoFar {
  refer(group: number): void;
  readonly count: number;
}

/** An escape outside of a class. */
export function escapeNode(source: Source, token: string, groups: GroupsSoFar): Node {
  const letter = token.slice(1);
  const anchor = ANCHORS.get(letter);
  if (anchor !== undefined) return anchor;
  const category = CATEGORIES.get(letter);
  if (category !== undefined) return { kind: 'set', negate: false, items: [category] };
  if (letter === '0') return char(Number.parseInt(`0${source.take(2, OCTAL)}`, 8));
  if (DIGIT.test(letter)) return octalOrReference(source, letter, groups);
  return char(CONTROLS.get(letter) ?? numbered(source, letter) ?? plain(letter));
}

/** An escape inside a class, where `\b` is a backspace and there are no groups. */
export function escapeItem(source: Source, token: string): SetItem {
  const letter = token.slice(1);
  const category = CATEGORIES.get(letter);
  if (category !== undefined) return category;
  if (letter === 'b') return one(8);
  if (OCTAL.test(letter)) return one(octal(letter + source.take(2, OCTAL)));
  return one(CONTROLS.get(letter) ?? numbered(source, letter) ?? plain(letter));
}

export function one(code: number): SetItem {
  return { from: code, to: code };
}

function char(code: number): Node {
  return { kind: 'char', code };
}

function octal(digits: string): number {
  const code = Number.parseInt(digits, 8);
  if (code > LAST_OCTAL) throw new PatternError(`octal escape value \\${digits} outside of range`);
  return code;
}

/** Three octal digits are a character, anything shorter is a group. */
function octalOrReference(source: Source, first: string, groups: GroupsSoFar): Node {
  let digits = first;
  if (source.next !== undefined && DIGIT.test(source.next)) {
    digits += source.get() ?? '';
    const isOctal = /^[0-7]{2}$/.test(digits) && source.next !== undefined && OCTAL.test(source.next);
    if (isOctal) return char(octal(digits + (source.get() ?? '')));
  }
  const group = Number.parseInt(digits, 10);
  if (group >= groups.count) throw new PatternError(`invalid group reference ${group}`);
  groups.refer(group);
  return { kind: 'reference', group };
}

/** `\x41`, `\u0041`, `\U00000041`. A name, `\N{…}`, is refused: there is no table of character names here. */
function numbered(source: Source, letter: string): number | undefined {
  const length = { x: 2, u: 4, U: 8 }[letter];
  if (length === undefined) return undefined;
  const digits = source.take(length, HEX);
  if (digits.length !== length) throw new PatternError(`incomplete escape \\${letter}${digits}`);
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff) throw new PatternError(`bad escape \\${letter}${digits}`);
  return code;
}

function plain(letter: string): number {
  if (LETTER.test(letter) || DIGIT.test(letter)) throw new PatternError(`bad escape \\${letter}`);
  return letter.codePointAt(0) ?? 0;
}
