import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, type Engine, memoryEngine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type Formula, pattern } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { session } from './bed.js';
import { takeUnpredicted } from './journals-seen.js';

const CALLS = 2;

/** Asks twice, and says of itself what it is told to say. */
function twice(calls: Formula): Agent<string, string> {
  const answerer = session(scriptedModel({ answerer: () => 'x' }), 'answerer');
  return pattern({ id: 'S1', name: 'twice', parts: { answerer }, calls }, async (run, task: string) => {
    for (let n = 1; n < CALLS; n++) await run.ask(answerer, task);
    return done((await run.ask(answerer, task)).text);
  });
}

async function played(engine: Engine, agent: Agent<string, string>): Promise<void> {
  const runtime = createRuntime({ engine, agents: { agent: agent as Agent<unknown, unknown> } });
  expect((await (await runtime.start('agent', 'Go.', { budget: budget() })).outcome()).stop).toBe('done');
  await runtime.close();
}

async function sqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-predicted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return sqliteEngine({ path: join(folder, 'runs.db') });
}

describe('the hook over all journals', () => {
  it.each([
    ['fewer calls than were made', 1, { min: 1, max: 1 }],
    ['more calls than were made', 3, { min: 3, max: 3 }],
    ['an interval that ends too early', { fact: 'asked', least: 0, most: 1 }, { min: 0, max: 1 }],
  ] as const)(
    'finds a formula that says %s, in memory and in SQLite [R11-FORMULA-JOURNALS]',
    async (_, calls, predicted) => {
      for (const engine of [memoryEngine(), await sqlite()]) {
        await played(engine, twice(calls));
        expect(takeUnpredicted()).toMatchObject([{ path: '/twice.0', predicted, modelCalls: CALLS, how: 'done' }]);
      }
    },
  );

  it.fails('fails the test that ran it [R11-FORMULA-JOURNALS]', async () => {
    await played(memoryEngine(), twice(1));
  });

  it('leaves a right one alone [R11-FORMULA-JOURNALS]', async () => {
    await played(memoryEngine(), twice(CALLS));
    expect(takeUnpredicted()).toEqual([]);
  });
});
