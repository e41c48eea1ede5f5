import { dispatcherContract } from 'flyball/testing';
import { expect, it, vi } from 'vitest';
import { Broker } from '../../examples/own-dispatcher.js';
import { WRONG_DISPATCHERS } from './wrong-dispatchers.js';

// the example declares its own tests where it is loaded
vi.mock('node:test', () => ({ describe: () => undefined, it: () => undefined }));

type Open = Parameters<typeof dispatcherContract>[2];

/** What the contract says of a dispatching system, by title. Only these titles are tested. */
async function told(open: Open, titles?: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const tests: Promise<void>[] = [];
  const suite = {
    describe: (_: string, body: () => void) => body(),
    it: (title: string, body: () => Promise<void>) => {
      if (titles !== undefined && !titles.includes(title)) return;
      tests.push(body().catch((error: Error) => void found.set(title, error.message)));
    },
  };
  dispatcherContract(suite, 'mine', open, { withinMs: 2_000 });
  await Promise.all(tests);
  return found;
}

it.concurrent.each(WRONG_DISPATCHERS.map((wrong) => [wrong.what, wrong] as const))(
  'a dispatcher that breaks a promise is found: %s [R10-DISPATCHER-CONTRACT]',
  async (_, { titles, open }) => {
    const opened = async () => {
      const broker = new Broker();
      const change = open();
      return { process: async () => change(broker.join()), close: async () => broker.close() };
    };
    const found = await told(opened, titles);
    expect([...found.keys()].sort()).toEqual([...titles].sort());
    for (const sentence of found.values()) {
      expect(sentence).toMatch(/^Required: the dispatcher .*[.!?]$/);
      expect(sentence).not.toMatch(/Missing expected|Expected values to be|falsy value|\n/);
    }
  },
);
