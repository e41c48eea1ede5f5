import { expect, it } from 'vitest';
import { memoryEngine } from '../adapters/engine-memory/memory-engine.js';
import type { Engine } from '../ports/engine.js';
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
    'calls those who watch after another process has posted to a run that lives here',
    'gives each run to one of several processes that take at once',
    'goes on after the newest run was removed, also when it is opened again',
    'has again what is beside the journals: messages, open waits, links, holds and operations',
    'has everything again after it was closed and opened, claims included',
    'lets one process own a run, and tells the other that its claim is stale',
    'puts a run back as it was, and not twice',
    'shows what another process has written, and lets it go on from there',
    'takes one of two answers that two processes send at once',
  ];
  expect(await broken(opened)).toEqual(untested);
  expect(await broken(() => ({ ...opened(), reopen: async () => memoryEngine() }))).toEqual(untested); // it lost everything
  expect(await broken(() => ({ ...opened(), reopen: 'in-memory' }))).toEqual([]);
});

/** Engines that are wrong in one way each, as a first attempt at one may be. */
const WRONG: Readonly<Record<string, (engine: Engine) => Partial<Engine>>> = {
  'changes nothing beside the journal either when a batch comes again': (engine) => ({
    async append(claim, batch) {
      await engine.append(claim, batch);
      await engine.append(claim, { entries: [], opened: batch.opened ?? [], closed: batch.closed ?? [] });
    },
  }),
  'names those of a tenant first that have waited longest': (engine) => ({
    due: async (query) => [...(await engine.due(query))].reverse(),
  }),
  'names open waits in the order in which they were opened': (engine) => ({
    waits: async (runId) => [...(await engine.waits(runId))].reverse(),
  }),
  'leaves a run alone that has ended: cancelled': (engine) => ({
    post: async (runId, message) =>
      (await engine.get(runId))?.status === 'cancelled' ? 'accepted' : engine.post(runId, message),
  }),
  'has no limit to how much is written and read in one go': (engine) => ({
    links: async (tenant, tip) => (await engine.links(tenant, tip)).slice(-100),
  }),
  'refuses whatever comes under a stale claim, entries or none': (engine) => ({
    append: (claim, batch) =>
      engine.append(claim, batch).catch((error: unknown) => {
        if (batch.entries.length > 0) throw error;
      }),
  }),
  'lists each run as it is got, whatever became of it': (engine) => ({
    async list(filter) {
      const page = await engine.list(filter);
      return { ...page, runs: page.runs.map(({ hold: _, ...run }) => run) };
    },
  }),
};

it.each(Object.keys(WRONG))('an engine that breaks one promise is found: %s [R10-PORT-CONTRACT]', async (title) => {
  const open = () => {
    const engine = memoryEngine();
    return {
      engine: { ...engine, ...WRONG[title]?.(engine) },
      reopen: 'in-memory',
      close: () => engine.close(),
    } as const;
  };
  expect(await broken(open)).toEqual([title]);
});
