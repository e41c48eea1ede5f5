import { EffectError, failureOf } from '../../../core/errors.js';

/**
 * The same failure in other words: its code, and whether the call may be made again, stay. Without the error that it
 * was, because whoever prints an error prints its cause too.
 */
export function reworded(
  error: unknown,
  message: string,
  rest: { readonly detail?: unknown; readonly originalCode?: string } = {},
): EffectError {
  const { code, retryable } = failureOf(error);
  return new EffectError({ code, message, retryable, ...rest });
}
