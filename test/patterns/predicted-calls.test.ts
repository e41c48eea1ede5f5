import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, type Engine, memoryEngine, type Session } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type Formula, pattern, selfConsistency } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { session } from './bed.js';
import { heldExactly, takeUnpredicted } from './journals-seen.js';

const CALLS = 2;

/** Asks twice, and says of itself what it is told to say. */
function twice(calls: Formula, learned: Readonly<Record<string, number>> = {}): Agent<string, string> {
  const answerer = session(scriptedModel({ answerer: () => 'x' }), 'answerer');
  return pattern({ id: 'S1', name: 'twice', parts: { answerer }, calls }, async (run, task: string) => {
    run.learned(learned);
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

  it('finds a formula that is inside its interval and not exact, in a pattern inside another one too [R17-FORMULAS]', async () => {
    const loose = twice({ fact: 'asked', least: 0, most: 3 }); // it never tells how often it asked
    await played(memoryEngine(), loose);
    expect(takeUnpredicted()).toMatchObject([{ path: '/twice.0', formula: { gives: Number.NaN, made: CALLS } }]);
    const wrong = twice({ sum: [{ part: 'answerer' }, { fact: 'more', least: 0, most: 4 }] }, { more: 0 });
    const outer = selfConsistency(wrong, {}, { samples: 2 });
    const before = heldExactly();
    await played(memoryEngine(), outer);
    expect(takeUnpredicted().map(({ path, formula }) => [path, formula])).toEqual([
      ['/selfConsistency.0/all.0.0/twice.0', { gives: 1, made: CALLS }],
      ['/selfConsistency.0/all.0.1/twice.0', { gives: 1, made: CALLS }],
    ]);
    expect(heldExactly() - before).toBe(3);
  });

  it('counts a session that asks again by itself as its formula does: once [R17-FORMULAS]', async () => {
    const model = scriptedModel({ answerer: ['no', '"yes"', 'no', '"yes"'] });
    const answerer = { ...session(model, 'answerer'), output: z.string() } as Session<string>;
    const agent = pattern(
      { id: 'S1', name: 'asks', parts: { answerer }, calls: { times: [2, { part: 'answerer' }] } },
      async (run, task: string) => {
        await run.ask(answerer, task);
        return done((await run.ask(answerer, task)).value);
      },
    );
    await played(memoryEngine(), agent);
    expect(takeUnpredicted()).toEqual([]);
  });

  it.fails('fails the test that ran it [R11-FORMULA-JOURNALS]', async () => {
    await played(memoryEngine(), twice(1));
  });

  it('leaves a right one alone [R11-FORMULA-JOURNALS]', async () => {
    await played(memoryEngine(), twice(CALLS));
    expect(takeUnpredicted()).toEqual([]);
  });
});
