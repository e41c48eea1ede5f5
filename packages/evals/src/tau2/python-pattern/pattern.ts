import { compile } from './compile.js';
import { type Fuel, Machine } from './machine.js';
import { parsePattern } from './parse.js';
import type { Program } from './program.js';
import { PatternError } from './syntax.js';

/** A text as the machine reads it: one number for each character. */
export function codePoints(text: string): Uint32Array {
  const codes = new Uint32Array(text.length);
  let length = 0;
  for (const character of text) codes[length++] = character.codePointAt(0) ?? 0;
  return codes.subarray(0, length);
}

/** A pattern of Python's `re`, ready to be counted. */
export interface Pattern {
  /** False where Python refuses the pattern, which then stands for its own characters. */
  readonly valid: boolean;
  /** How many matches `findall` would list. Takes from `fuel`, and throws EFFECT_FAILED when it runs out. */
  count(text: Uint32Array, fuel: Fuel): number;
}

export function pythonPattern(pattern: string, options: { readonly ignoreCase: boolean }): Pattern {
  const { program, valid } = programOf(pattern, options);
  const machine = new Machine(program);
  return { valid, count: (text, fuel) => machine.count(text, fuel) };
}

function programOf(
  pattern: string,
  options: { readonly ignoreCase: boolean },
): { readonly program: Program; readonly valid: boolean } {
  try {
    return { program: compile(parsePattern(pattern), options), valid: true };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const body = Array.from(codePoints(pattern), (code) => ({ kind: 'char', code }) as const);
    return { program: compile({ body, flags: new Set(), groups: 1 }, options), valid: false };
  }
}
