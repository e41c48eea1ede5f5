import { type ErrorCode, FlyballError } from '../core/errors.js';
import type { Run } from '../core/run.js';

/** What came of asking: an answer, or why there is none. A missing answer is never a good one. */
export type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Asking the same again would end the same: the level counts as not run. Everything else rises, to be tried again. */
const UNANSWERABLE: readonly ErrorCode[] = ['REPLY_INVALID', 'WINDOW_EXCEEDED', 'PART_UNSUPPORTED', 'MODEL_REJECTED'];
export async function answered<T>(asking: Promise<T>): Promise<Answered<T>> {
  try {
    return { ok: true, value: await asking };
  } catch (error) {
    return unanswered(error);
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

function unanswered(error: unknown): { readonly ok: false; readonly why: string } {
  if (error instanceof FlyballError && UNANSWERABLE.includes(error.code))
    return { ok: false, why: `${error.code}: ${error.message}` };
  throw error;
}
