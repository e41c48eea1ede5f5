import { type ErrorCode, FlyballError } from '../core/errors.js';
import type { Run, Settled } from '../core/run.js';

/** What came of asking: an answer, or why there is none. A missing answer is never a good one. */
export type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Asking the same again would end the same: the level counts as not run. Everything else rises, to be tried again. */
const UNANSWERABLE: readonly ErrorCode[] = ['REPLY_INVALID', 'WINDOW_EXCEEDED', 'PART_UNSUPPORTED', 'MODEL_REJECTED'];
/** One of several critics or samples may be lost to these without taking the others along. */
const LOST: readonly ErrorCode[] = [
  ...UNANSWERABLE,
  'MODEL_UNAVAILABLE',
  'EFFECT_TIMEOUT',
  'EFFECT_FAILED',
  'CIRCUIT_OPEN',
];

export async function answered<T>(asking: Promise<T>, also: readonly ErrorCode[] = []): Promise<Answered<T>> {
  try {
    return { ok: true, value: await asking };
  } catch (error) {
    return unanswered(error, [...UNANSWERABLE, ...also]);
  }
}

/** Asks side by side. All of them are needed: the first failure, in their order, stands for the rest. */
export async function sideBySide<T>(
  run: Run,
  branches: readonly ((run: Run) => Promise<T>)[],
  width: number,
): Promise<readonly T[]> {
  return (await run.all(branches, width)).map((end) => {
    if (end.ok) return end.value;
    throw end.error;
  });
}

/** Asks several that stand in for each other: each may be lost, unless all of them are. */
export async function independently<T>(
  run: Run,
  branches: readonly ((run: Run) => Promise<T>)[],
  width: number,
): Promise<readonly Answered<T>[]> {
  const ends = await run.all(branches, width);
  const answers = ends.map((end) => answerIn(end, LOST));
  const failed = ends.flatMap((end) => (end.ok ? [] : [end.error]));
  // nobody is left to answer: what can be tried again is tried by whoever asked
  const again = failed.find((error) => error instanceof FlyballError && error.retryable);
  if (failed.length === ends.length && again !== undefined) throw again;
  return answers;
}

function answerIn<T>(end: Settled<T>, tolerated: readonly ErrorCode[]): Answered<T> {
  return end.ok ? end : unanswered(end.error, tolerated);
}

function unanswered(error: unknown, tolerated: readonly ErrorCode[]): { readonly ok: false; readonly why: string } {
  if (error instanceof FlyballError && tolerated.includes(error.code))
    return { ok: false, why: `${error.code}: ${error.message}` };
  throw error;
}
