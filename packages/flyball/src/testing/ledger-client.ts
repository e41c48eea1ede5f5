import { FlyballError } from '../core/errors.js';
import type { LedgerLine } from './effect-ledger.js';

/** Talks to a ledger server from any process: from the agent that is going to be killed, or from the test that reads it. */
export interface LedgerClient {
  readonly url: string;
  /**
   * Records one effect; answers whether it is new. With `dedupe` a key that is known already is not recorded again,
   * as a service does that honors idempotency keys.
   */
  record(
    key: string,
    what: unknown,
    how?: { readonly dedupe?: boolean; readonly signal?: AbortSignal },
  ): Promise<{ readonly recorded: boolean }>;
  effects(): Promise<readonly LedgerLine[]>;
  /** The first effect with this key; undefined when it did not happen. For `verify`. */
  effect(key: string): Promise<LedgerLine | undefined>;
}

/** A client for a ledger server. */
export function ledgerClient(url: string): LedgerClient {
  return {
    url,
    async record(key, what, { dedupe, signal } = {}) {
      const body = JSON.stringify({ key, what, dedupe });
      const response = await fetch(`${url}/effect`, {
        method: 'POST',
        body,
        ...(signal === undefined ? {} : { signal }),
      });
      return (await jsonOf(response)) as { recorded: boolean };
    },
    effects: async () => (await jsonOf(await fetch(`${url}/effects`))) as readonly LedgerLine[],
    async effect(key) {
      const response = await fetch(`${url}/effect/${encodeURIComponent(key)}`);
      if (response.status !== 404) return (await jsonOf(response)) as LedgerLine;
      await response.body?.cancel();
      return undefined;
    },
  };
}

async function jsonOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  throw new FlyballError('EFFECT_FAILED', `The ledger server answered ${response.status}: ${await response.text()}`);
}
