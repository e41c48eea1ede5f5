import { budget, createRuntime, done, memoryEngine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { describe, expect, it } from 'vitest';

/** As somebody writes it who does not compile. */
const create = createRuntime as (given: unknown) => unknown;
const agents = { greet: async () => done('hello') };
const refusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('options that are not what they have to be', () => {
  it.each([
    ['a misspelled option', { leaseMS: 5 }, /no option "leaseMS"\. It has .*leaseMs/],
    ['a lease of no time at all', { leaseMs: 0 }, /leaseMs must be a number of at least 1, not 0/],
    ['a time that is no number', { pollMs: Number.NaN }, /pollMs must be a number/],
    ['a number in quotes', { maxResumes: '3' }, /maxResumes must be a number of at least 0, not "3"/],
    ['a role that is misspelled', { worker: 'elswhere' }, /worker is true, false, 'elsewhere'/],
    ['no role', { worker: null }, /worker is true, false, 'elsewhere'/],
    ['a misspelled option of the worker', { worker: { concurency: 3 } }, /worker has no option "concurency"/],
    ['a concurrency in quotes', { worker: { concurrency: '3' } }, /concurrency of a worker must be a number, not "3"/],
    ['one agent in the place of a list', { worker: { agents: 'greet' } }, /list of names, not "greet"/],
    ['no object', 'worker', /takes an object with options, not "worker"/],
  ])('%s is refused in a sentence [R10-OPTIONS]', (_, options, says) => {
    expect(refusal(() => create({ engine: memoryEngine(), agents, options }))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(says),
    });
  });

  it.each([
    ['nothing', undefined, /takes an object with options/],
    ['no engine', { agents }, /needs an engine/],
    ['an engine that was not awaited', { engine: Promise.resolve(memoryEngine()), agents }, /needs an engine: await/],
    ['no agents', { engine: memoryEngine() }, /needs agents/],
    ['a misspelled part', { engine: memoryEngine(), agents, dispatch: {} }, /no option "dispatch"/],
    ['a dispatcher that is none', { engine: memoryEngine(), agents, dispatcher: {} }, /no method dispatch/],
    [
      'a version that is a number',
      { engine: memoryEngine(), agents: { greet: { agent: agents.greet, version: 2 } } },
      /version of agents\.greet must be a text that is not empty, not 2/,
    ],
    [
      'a version beside what defineAgent returns',
      { engine: memoryEngine(), agents: { greet: { agent: { agent: agents.greet, version: '1' }, version: '2' } } },
      /agents\.greet has its version in the wrong place.*defineAgent\(\{ version: '2'/,
    ],
  ])('%s is refused in a sentence [R10-OPTIONS]', (_, given, says) => {
    expect(refusal(() => create(given))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(says),
    });
  });

  it('an option that is undefined has its default [R10-OPTIONS]', async () => {
    const options = { leaseMs: undefined, pollMs: undefined, worker: undefined };
    const runtime = createRuntime({ engine: memoryEngine(), agents, ...({ options } as object) });
    expect(await (await runtime.start('greet', null, { budget: budget() })).finished()).toMatchObject({ stop: 'done' });
    await runtime.close();
  });

  it('a run that is started without a budget is refused in a sentence [R10-OPTIONS]', async () => {
    const runtime = createRuntime({ engine: memoryEngine(), agents });
    const start = runtime.start as (agent: string, input: unknown) => Promise<unknown>;
    await expect(start('greet', null)).rejects.toMatchObject({ message: expect.stringContaining('budget') });
    await runtime.close();
  });

  it('a misspelled option of a SQLite file is refused before the file is made [R10-OPTIONS]', async () => {
    const open = sqliteEngine as (given: unknown) => Promise<unknown>;
    for (const given of [{ pth: '/tmp/x.db' }, { path: '/tmp/never.db', acceptLos: true }, undefined, { path: 5 }, {}])
      await expect(open(given)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
