import type { Run } from '../core/run.js';
import { callingNoModel } from '../core/use.js';
import { asPart } from './pattern.js';

/** What a test says of a value. A score lets the best of several failed values be kept. */
export type Tested =
  | { readonly ok: true; readonly score?: number }
  | { readonly ok: false; readonly because: string; readonly score?: number };

/** Judges a value: by code, or by a model in a session of its own. */
export type Test<I, O> = (run: Run, value: O, input: I) => Tested | Promise<Tested>;

/**
 * A test in code. It is not given the run, so it calls no model: a pattern with it predicts how many model calls it makes
 * at most. Any other function that is used as a test may ask a model, and leaves that open.
 */
export function codeTest<I, O>(check: (value: O, input: I) => Tested | Promise<Tested>): Test<I, O> {
  const test: Test<I, O> = (_run, value, input) => check(value, input);
  return callingNoModel(Object.defineProperty(test, 'name', { value: check.name || 'codeTest' }));
}

/** Runs a test, in a scope of its own where it does not make one: what it asks is not the pattern's own. */
export async function runTest<I, O>(run: Run, test: Test<I, O>, value: O, input: I): Promise<Tested> {
  const part = asPart(test);
  if (part !== undefined) return part(run, value, input);
  return run.enter({ pattern: 'test', params: { test: test.name } }, async (inside) => test(inside, value, input));
}

/** A value with what its test said. */
export interface Attempted<O> {
  readonly value: O;
  readonly tested: Tested;
}

/** The better of two: what passed before what failed, then the higher score, then the later one. */
export function betterOf<O>(before: Attempted<O> | undefined, now: Attempted<O>): Attempted<O> {
  if (before === undefined) return now;
  if (before.tested.ok !== now.tested.ok) return before.tested.ok ? before : now;
  return scoreOf(before) > scoreOf(now) ? before : now;
}

const scoreOf = ({ tested: { score = 0 } }: Attempted<unknown>): number => score;
