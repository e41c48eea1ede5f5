import type { Checked } from '../core/schema.js';

/** Longer than any plan of the most steps there may be; what is longer is not searched. */
const MAX_TEXT = 400_000;
/** Brackets in prose that may turn out not to begin JSON. */
const MAX_STARTS = 64;
const SHOWN = 60;
/** Deeper than any plan; what walks a plan later may then call itself. */
const MAX_DEPTH = 64;

/**
 * The one JSON value in a text that `fits`: the whole text, a fenced block, or a value with prose around it. Two that fit
 * are refused, since which of them was meant would be a guess; so is a part of a value that is broken as a whole.
 */
export function findJson(text: string, fits: (value: unknown) => boolean): Checked<unknown> {
  if (text.length > MAX_TEXT) return { ok: false, problem: `It is ${text.length} characters long; write it shorter` };
  const whole = parsed(text);
  if (whole !== undefined) return { ok: true, value: whole.value };
  const fenced = fencedValues(text).filter(fits);
  const inProse = fenced.length > 0 ? { values: fenced } : outermost(text);
  const found = new Map(inProse.values.filter(fits).map((value) => [JSON.stringify(value), value]));
  const [first] = found.values();
  if (found.size === 1) return { ok: true, value: first };
  if (found.size > 1) return { ok: false, problem: `It holds ${found.size} plans; write one` };
  return { ok: false, problem: `It holds no plan in valid JSON${inProse.broken ?? ''}` };
}

// an engine's words about bad JSON differ between its versions, and a resumed run must say the same again
function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isTooDeep(value) ? undefined : { value };
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
function outermost(text: string): { readonly values: readonly unknown[]; readonly broken?: string } {
  const values: unknown[] = [];
  const starts = /[[{]/g;
  let broken: string | undefined;
  for (let tries = 0; tries < MAX_STARTS; tries++) {
    const start = starts.exec(text);
    if (start === null) break;
    const end = closing(text, start.index);
    const value = parsed(text.slice(start.index, end));
    if (value !== undefined) values.push(value.value);
    else
      broken ??= `: what begins with ${shown(text, start.index)} ${end === undefined ? 'is never closed' : 'is broken'}`;
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
