import { type Checked, check, type StandardSchema } from './schema.js';

/** Longer than any plan of the most steps there may be; what is longer, and not JSON as a whole, is not searched. */
const MAX_TEXT = 400_000;
/** Brackets in prose that may turn out not to begin JSON. */
const MAX_STARTS = 64;
const MAX_CLAIM_STARTS = 512;
const SHOWN = 60;
const NOTHING = ': it contains no object and no list';
/** Deeper than what anybody asks a model for; what walks a value later may then call itself. */
const MAX_DEPTH = 64;

/** What a text holds: the whole of it, or its fenced blocks, or the values with prose around them. */
interface Found {
  readonly values: readonly unknown[];
  /** What is wrong with the first value that is broken, or with the text. */
  readonly broken?: string;
}

/**
 * The one JSON value in a text that `fits`: the whole text, a fenced block, or a value with prose around it. Two that fit
 * are refused, since which of them was meant would be a guess; so is a part of a value that is broken as a whole. `noun`
 * is what the value is called in the problem.
 */
export function findJson(text: string, fits: (value: unknown) => boolean, noun: string): Checked<unknown> {
  const whole = parsed(text);
  if (whole !== undefined) return { ok: true, value: whole.value };
  const { values, broken = '' } = valuesIn(text, fits);
  return (
    only(values.filter(fits), `${noun}s`) ?? { ok: false, problem: `It contains no ${noun} in valid JSON${broken}` }
  );
}

/**
 * The value that a model was asked for, checked by a schema, out of its reply: the one reader for every reply that has to
 * be JSON. `parsed` is the value as it stood there.
 */
export async function readJson<T>(
  text: string,
  schema: StandardSchema<unknown, T>,
): Promise<Checked<T> & { readonly parsed?: unknown }> {
  const whole = parsed(text);
  const { values, broken = '' } = whole === undefined ? valuesIn(text, () => true) : { values: [whole.value] };
  if (values.length === 0) return { ok: false, problem: `It is not JSON${broken === '' ? NOTHING : broken}` };
  const checks = await Promise.all(values.map(async (value) => ({ value, checked: await check(schema, value) })));
  const fitting = checks.flatMap(({ value, checked }) => (checked.ok ? [{ parsed: value, value: checked.value }] : []));
  const one = only(
    fitting.map((found) => found.parsed),
    'values that fit',
  );
  if (one?.ok === false) return one;
  const [first] = fitting;
  if (first !== undefined) return { ok: true, ...first };
  return checks[0]?.checked ?? { ok: false, problem: `It is not JSON${NOTHING}` };
}

/** Undefined where there is none. The same value twice is one. */
function only(values: readonly unknown[], nouns: string): Checked<unknown> | undefined {
  const found = new Map(values.map((value) => [JSON.stringify(value), value]));
  const [first] = found.values();
  if (found.size === 0) return undefined;
  return found.size === 1
    ? { ok: true, value: first }
    : { ok: false, problem: `It contains ${found.size} ${nouns}; write one` };
}

/** Fenced blocks go before what stands in prose, if any of them is what is looked for. */
function valuesIn(text: string, fits: (value: unknown) => boolean): Found {
  if (text.length > MAX_TEXT) return { values: [], broken: `: it is ${text.length} characters long; write it shorter` };
  const fenced = fencedValues(text).filter(fits);
  return fenced.length > 0 ? { values: fenced } : outermost(text);
}

/** Every object and list in a text, those in broken ones too: for whoever looks for what must not be said. */
export function jsonIn(text: string): readonly unknown[] {
  const whole = parsed(text);
  return whole === undefined ? outermost(text, { tries: MAX_CLAIM_STARTS, goesInside: true }).values : [whole.value];
}

/** A value in a wrapper: the value itself may be undefined or null. */
type Parsed = { readonly value: unknown } | undefined;

/** Of a text that is JSON as a whole, in a fence or not: for whoever takes prose around a value for a part of the answer. */
export function wholeJson(text: string): Parsed {
  const lines = text.trim().split('\n');
  const last = lines.at(-1)?.trimEnd() ?? '';
  if (lines.length < 2 || !/^```[\w-]*\s*$/.test(lines[0] ?? '') || !last.endsWith('```')) return parsed(text);
  return parsed([...lines.slice(1, -1), last.slice(0, -3)].join('\n'));
}

/** Of the arguments that a model wrote for a call. Several providers send nothing at all for a tool without any. */
export function argumentsIn(text: string): Parsed {
  return text.trim() === '' ? { value: {} } : plain(text);
}

/** As `argumentsIn`, where only an object will do. */
export function argumentObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = argumentsIn(text)?.value;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** The whole text is JSON, nothing around it. */
export function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}

function parsed(text: string): Parsed {
  const read = plain(text);
  return read !== undefined && isTooDeep(read.value) ? undefined : read;
}

// an engine's words about bad JSON differ between its versions, and a resumed run must say the same again
function plain(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Level by level, since a walk that calls itself is what deep values break. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((member) => (typeof member === 'object' && member !== null ? Object.values(member) : []));
  }
  return false;
}

/** What stands in closed code fences. Line by line, since a pattern over the whole text takes ages on hostile ones. */
function fencedValues(text: string): readonly unknown[] {
  const values: unknown[] = [];
  let block: string[] | undefined;
  for (const line of text.split('\n')) {
    if (!line.trimStart().startsWith('```')) block?.push(line);
    else if (block === undefined) block = [];
    else {
      const value = parsed(block.join('\n'));
      if (value !== undefined) values.push(value.value);
      block = undefined;
    }
  }
  return values;
}

/** The JSON objects and lists in a text that are in no other one, and what is wrong with the first that is broken. */
function outermost(text: string, { tries, goesInside } = { tries: MAX_STARTS, goesInside: false }): Found {
  const values: unknown[] = [];
  const starts = /[[{]/g;
  let broken: string | undefined;
  for (let tried = 0; tried < tries; tried++) {
    const start = starts.exec(text);
    if (start === null) break;
    const end = closing(text, start.index);
    const value = parsed(text.slice(start.index, end));
    if (value !== undefined) values.push(value.value);
    else
      broken ??= `: what begins with ${shown(text, start.index)} ${end === undefined ? 'is never closed' : 'is broken'}`;
    if (value === undefined && goesInside) continue;
    // nothing that lies inside is looked at: a list out of a broken plan would pass for the whole of it
    if (end === undefined) break;
    starts.lastIndex = end;
  }
  return broken === undefined ? { values } : { values, broken };
}

function shown(text: string, at: number): string {
  return text.slice(at, at + SHOWN).replaceAll(/\s+/g, ' ');
}

/** Where the bracket at `start` is closed again, strings left aside. */
function closing(text: string, start: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isQuoted) {
      if (char === '\\') at++;
      else if (char === '"') isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
