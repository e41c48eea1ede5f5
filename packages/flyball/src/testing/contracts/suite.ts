import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { ErrorCode } from '../../core/errors.js';

/** The two functions of a test framework that a contract needs: those of vitest, jest, mocha and node:test all fit. */
export interface ContractSuite {
  readonly describe: (name: string, body: () => void) => unknown;
  /** With `timeoutMs` where a test may take longer than frameworks allow by default. Those without such an argument ignore it. */
  readonly it: (name: string, body: () => Promise<void>, timeoutMs?: number) => unknown;
}

/** Where the titles stand, they name the requirements that they show. Whoever runs a contract has not got those. */
export function publicTitle(title: string): string {
  return title.replaceAll(/ \[[A-Z][\dA-Z]*-[\dA-Z-]+\]/g, '');
}

/** The call is refused with this code and a sentence for people. */
export async function refuses(call: Promise<unknown>, code: ErrorCode): Promise<void> {
  const came = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in came)
    assert.fail(`A call had to be refused with ${code}, and it was accepted: it gave ${inspect(came.value)}`);
  const { code: given, message } = (came.error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (given !== code)
    assert.fail(`A call had to be refused with ${code}, and it was rejected with ${String(came.error)}`);
  if (typeof message !== 'string' || message.length <= 10)
    assert.fail(`A call was refused with ${code} and without a sentence that says what happened: ${inspect(message)}`);
}
