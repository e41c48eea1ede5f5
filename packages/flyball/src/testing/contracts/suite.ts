import assert from 'node:assert/strict';
import type { ErrorCode } from '../../core/errors.js';

/** The two functions of a test framework that a contract needs: those of vitest, jest, mocha and node:test all fit. */
export interface ContractSuite {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** The call is refused with this code and a sentence for people. */
export async function refuses(call: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.equal((error as { code?: unknown }).code, code, `expected ${code}, got ${String(error)}`);
    assert.ok((error as Error).message.length > 10, 'the message says nothing');
    return true;
  });
}
