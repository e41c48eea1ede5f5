import { expect, it } from 'vitest';
import { memoryEngine } from '../adapters/engine-memory/memory-engine.js';
import type { Engine } from '../ports/engine.js';
import type { OpenEngine } from './contracts/engine-fixture.js';
import { engineContract } from './engine-contract.js';
import { lossy, WRONG_ENGINES } from './wrong-engines.test-data.js';

type EngineTraits = Parameters<typeof engineContract>[3];
type Opening = () => Omit<OpenEngine, 'reopen'> & Partial<OpenEngine>;

/** The promises that an engine does not keep, by title, each with what is said about it. */
async function told(open: Opening, traits?: EngineTraits): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const tests: Promise<void>[] = [];
  const suite = {
    describe: (_: string, body: () => void) => body(),
    it: (title: string, body: () => Promise<void>) =>
      tests.push(body().catch((error: Error) => void found.set(title, error.message))),
  };
  engineContract(suite, 'mine', async () => open() as OpenEngine, traits);
  await Promise.all(tests);
  return found;
}

const broken = async (open: Opening, traits?: EngineTraits): Promise<readonly string[]> =>
  [...(await told(open, traits)).keys()].sort();

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
    'loses no cancellation that another process sends while a run is given back',
    'puts a run back as it was, and not twice',
    'shows what another process has written, and lets it go on from there',
    'takes one of two answers that two processes send at once',
  ];
  expect(await broken(opened)).toEqual(untested);
  expect(await broken(() => ({ ...opened(), reopen: async () => memoryEngine() }))).toEqual(untested); // it lost everything
  expect(await broken(() => ({ ...opened(), reopen: 'in-memory' }))).toEqual([]);
});

it.each(
  WRONG_ENGINES.map(({ title, what, others = [], change }) => [what ?? title, [title, ...others], change] as const),
)(
  'an engine that breaks one promise is found: %s [R10-PORT-CONTRACT] [R19-CONTRACT-PROMISES] [R19-CONTRACT-OVERLOOKED]',
  async (_, titles, change) => {
    const open = () => {
      const { engine, lose } = lossy(memoryEngine());
      const close = () => engine.close();
      return { engine: { ...engine, ...change(engine) }, lose, reopen: 'in-memory', close } as const;
    };
    expect(await broken(open)).toEqual(titles);
  },
);

it('an engine whose leases go by the time of whoever calls does not pass for one with its own clock [R19-CONTRACT-LEASE-CLOCK]', async () => {
  const opened = () => {
    const engine = memoryEngine();
    return { engine, reopen: 'in-memory', close: () => engine.close() } as const;
  };
  const byWhoeverCalls = [
    'counts a worker as alive whose clock is an hour ahead, and for no longer than it says',
    'counts a worker as alive whose clock is an hour behind, and for no longer than it says',
    'gives a caller whose clock is an hour ahead no run of another early',
    'gives a caller whose clock is an hour behind no run of another early',
    'keeps the runs of a caller whose clock is an hour ahead, and for no longer than it asks',
    'keeps the runs of a caller whose clock is an hour behind, and for no longer than it asks',
  ];
  expect(await broken(opened, { leaseClock: 'own' })).toEqual(byWhoeverCalls);
  const waited: number[] = [];
  const passLeaseTime = async (ms: number): Promise<void> => void waited.push(ms);
  expect(await broken(() => ({ ...opened(), passLeaseTime }), { leaseClock: 'own' })).toEqual(byWhoeverCalls);
  expect(waited.length, 'whoever can let time pass is asked to').toBeGreaterThan(5);
});

it('an engine whose connections break is right in saying that it cannot tell, or that nothing was written [R10-PORT-LOST-ANSWERS]', async () => {
  const opened = () => {
    const { engine, lose } = lossy(memoryEngine());
    return { engine, lose, reopen: 'in-memory', close: () => engine.close() } as const;
  };
  expect(await broken(opened)).toEqual([]);
  const lost = () => ({ ...opened(), lose: async (_: unknown, work: () => Promise<void>) => work() }); // it loses nothing
  expect(await broken(lost)).toEqual([]);
});

it('what is no engine is told in one line, whichever test runs first [R10-PORT-SENTENCES]', async () => {
  const { create: _, claim: __, ...others } = memoryEngine();
  const close = async (): Promise<void> => undefined;
  const said = async (opened: unknown) => [...(await told(() => opened as OpenEngine)).values()];
  const nothing = await said({ engine: {}, close });
  expect(nothing).toHaveLength(1);
  expect(nothing[0]).toMatch(
    /^The engine has no create, claim, take, append, [a-zA-Z, ]+, close\. Nothing was tested\./,
  );
  expect(await said({ engine: others, close })).toEqual([
    'The engine has no create, claim. Nothing was tested. `Engine` says what each does; one that is not finished may throw.',
  ]);
  expect(await said({})).toEqual(['open() gives no `engine`. Resolve to { engine, close, reopen }.']);
  expect(await said({ engine: memoryEngine() })).toEqual([
    'open() gives no `close`. It ends the engine after each test.',
  ]);
});

it.each<readonly [string, (engine: Engine) => Partial<Engine>, string]>([
  [
    'is rejected with something else',
    (engine) => ({
      append: (claim, batch) =>
        engine.append(claim, batch).catch(() => {
          throw new RangeError('Invalid time value');
        }),
    }),
    'refuses a batch that comes again with another time in it. A call had to be refused with JOURNAL_CONFLICT, and it was rejected with RangeError: Invalid time value.',
  ],
  [
    'is accepted',
    (engine) => ({ append: (claim, batch) => engine.append(claim, batch).catch(() => undefined) }),
    'refuses a batch that comes again with another time in it. A call had to be refused with JOURNAL_CONFLICT, and it was accepted: it gave undefined.',
  ],
  [
    'gives something else',
    (engine) => ({ due: async (query) => (await engine.due(query)).slice(0, 1) }),
    "names those of a tenant first that have waited longest. Expected [ 'd', 'a', 'c', 'b' ]; it gave [ 'd' ].",
  ],
  [
    'fails',
    () => ({ queue: () => Promise.reject(new Error('not yet')) }),
    'counts what stands in line by tenant, agent and version, and since when. A call failed that has to succeed, or gave what the port does not have: Error: not yet.',
  ],
])('an engine whose answer %s is told of in a sentence [R10-PORT-SENTENCES]', async (_, change, sentence) => {
  const sentences = await told(() => {
    const engine = memoryEngine();
    return { engine: { ...engine, ...change(engine) }, reopen: 'in-memory', close: () => engine.close() };
  });
  expect([...sentences.values()]).toContain(`Required: the engine ${sentence}`);
});

it('no failure is told in the words of the assertion alone [R10-PORT-SENTENCES]', async () => {
  const silent = Object.fromEntries(Object.keys(memoryEngine()).map((name) => [name, async () => undefined]));
  const engines = [silent, ...WRONG_ENGINES.map(({ change }) => change(memoryEngine()))].map((change) => {
    const engine = memoryEngine();
    return told(() => ({ engine: { ...engine, ...change }, reopen: 'in-memory', close: () => engine.close() }));
  });
  const sentences = (await Promise.all(engines)).flatMap((each) => [...each.values()]);
  expect(sentences.length).toBeGreaterThan(100);
  for (const text of sentences) {
    expect(text).toMatch(/^Required: the engine .*[.!?…]$/s);
    expect(text).not.toMatch(/Missing expected|Expected values to be|falsy value|\n/);
  }
});

it('the titles that somebody else sees name no requirement of ours [R19-CONTRACT-TITLES]', () => {
  const titles: string[] = [];
  const suite = {
    describe: (_: string, body: () => void) => body(),
    it: (title: string) => titles.push(title),
  };
  engineContract(
    suite,
    'mine',
    async () => ({ engine: memoryEngine(), reopen: 'in-memory' as const, close: async () => undefined }),
    {
      damages: true,
    },
  );
  expect(titles).toContain('takes one answer to an open wait, and refuses those to waits that are answered or closed');
  expect(titles.filter((title) => /[[\]]|\b[FR]\d*-/.test(title))).toEqual([]);
});
