import { expect, it } from 'vitest';
import { memoryEngine } from '../adapters/engine-memory/memory-engine.js';
import type { OpenEngine } from './contracts/engine-fixture.js';
import { engineContract } from './engine-contract.js';

/** The titles of the promises that an engine does not keep. */
async function broken(open: () => Omit<OpenEngine, 'reopen'> & Partial<OpenEngine>): Promise<readonly string[]> {
  const found: string[] = [];
  const tests: Promise<void>[] = [];
  const suite = {
    describe: (_: string, body: () => void) => body(),
    it: (title: string, body: () => Promise<void>) => tests.push(body().catch(() => void found.push(title))),
  };
  engineContract(suite, 'mine', async () => open() as OpenEngine);
  await Promise.all(tests);
  return found.sort();
}

it('an engine is not tested for storing anything without being asked to, and does not pass in silence [R9-KIT-REOPEN]', async () => {
  const opened = () => {
    const engine = memoryEngine();
    return { engine, close: () => engine.close() };
  };
  const untested = [
    'goes on after the newest run was removed, also when it is opened again',
    'has again what is beside the journals: messages, open waits, links, holds and operations',
    'has everything again after it was closed and opened, claims included',
    'puts a run back as it was, and not twice',
  ];
  expect(await broken(opened)).toEqual(untested);
  expect(await broken(() => ({ ...opened(), reopen: async () => memoryEngine() }))).toEqual(untested); // it lost everything
  expect(await broken(() => ({ ...opened(), reopen: 'in-memory' }))).toEqual([]);
});
