import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { reAct } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { flyball } from '../cli/in-process.js';
import { session } from '../patterns/bed.js';

/** `flyball patterns` over the runs of a real SQLite file. */
const folder = mkdtempSync(join(tmpdir(), 'flyball-pattern-runs-'));
const db = join(folder, 'runs.db');
const file = join(folder, 'agent.mjs');
const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ key: z.string() }),
  effect: 'pure',
  execute: async ({ key }) => `value-of-${key}`,
});
const call = (key: string) => ({ toolCalls: [{ id: key, name: 'look', arguments: JSON.stringify({ key }) }] });
const KEYS = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee', 'ffff'];
const FOUND = 'The minutes of the meeting say that the pier is closed until May.';

const looker: Agent<string, unknown> = async (run, input) => {
  const model = scriptedModel({ worker: [...KEYS.map(call), 'done'] });
  return reAct({ worker: session(model, 'worker', { setup: 'You look.' }), tools: [look] })(run, input);
};
/** Hands its worker more than the brief, and says nothing about a model that failed. */
const chief: Agent<string, string> = async (run, input) => {
  const model = scriptedModel({
    chief: () => FOUND,
    worker: () => 'ok',
    away: () => {
      throw new Error('nobody is there');
    },
  });
  const { text } = await run.ask(session(model, 'chief'), input);
  const worker: Agent<string, string> = async (inside, task) =>
    done((await inside.ask(session(model, 'worker'), `${task}\n${text}`)).text);
  await run.spawn(worker, 'Check the pier.', { modelCalls: 1 });
  await run.ask(session(model, 'away'), 'Are you there?').catch(() => undefined);
  return done('All is well.');
};

describe('flyball patterns over stored runs', () => {
  const ids = { looker: [] as string[], chief: [] as string[] };

  beforeAll(async () => {
    const agents = { looker, chief } as Readonly<Record<string, Agent<unknown, unknown>>>;
    const runtime = createRuntime({ engine: await sqliteEngine({ path: db }), agents });
    for (const name of ['looker', 'looker', 'looker', 'looker', 'looker', 'chief'] as const) {
      const handle = await runtime.start(name, `Look at ${KEYS.join(', ')}.`, { budget: budget() });
      expect((await handle.outcome()).stop).toBe('done');
      ids[name].push(handle.id);
    }
    await runtime.close();
    writeFileSync(file, "export const agents = { looker: async () => ({ stop: 'done', value: '' }) };\n");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const json = async (...words: readonly string[]) => {
    const { out, code } = await flyball(['patterns', ...words, '--json'], { FLYBALL_DB: db });
    return { code, value: JSON.parse(out) as { findings: Found[]; suggestions: Found[] } };
  };
  interface Found {
    readonly rule: string;
    readonly level: string;
    readonly at: string;
    readonly measured: Readonly<Record<string, number>>;
  }

  it('check --run: says what happened in a run, and where [R17-TRACE]', async () => {
    const [first = ''] = ids.looker;
    const { code, value } = await json('check', file, '--run', first, '--window', '100');
    const found = value.findings.map(({ rule, at }) => [rule, at.replace(first, 'run')]);
    expect(found).toEqual(
      expect.arrayContaining([
        ['CE3', 'run:/reAct.0'],
        ['A7', expect.stringContaining('run:/reAct.0')],
      ]),
    );
    expect(code).toBe(0);
    const { out } = await flyball(['patterns', 'check', file, '--run', first], { FLYBALL_DB: db });
    expect(out).toContain('no call used what an earlier one had returned');
    expect(out).not.toContain('[A7]'); // nobody said how large the window is
  });

  it('check --run: reads prompts, and errors in a run end the command with 1 [R17-TRACE]', async () => {
    const [run = ''] = ids.chief;
    const { code, value } = await json('check', file, '--run', run);
    expect(
      value.findings
        .filter(({ level }) => level === 'error')
        .map(({ rule }) => rule)
        .sort(),
    ).toEqual(['A10', 'CE5']);
    expect(code).toBe(1);
  });

  it('check --run: refuses a run that is not there', async () => {
    const { code, error } = await flyball(['patterns', 'check', file, '--run', 'run_0'], { FLYBALL_DB: db });
    expect(code).not.toBe(0);
    expect(error).toContain('run_0');
  });

  it('suggest --runs: measures the journals of an agent [R17-TRACE] [R17-SUGGEST]', async () => {
    const { code, value } = await json('suggest', '--runs', 'looker');
    expect(code).toBe(0);
    expect(value.suggestions).toContainEqual(
      expect.objectContaining({
        rule: 'CE3',
        measured: { 'calls that used no earlier result': 1, 'model calls a run': 7 },
      }),
    );
    const few = await flyball(['patterns', 'suggest', '--runs', 'chief'], { FLYBALL_DB: db });
    expect(few.out).toContain('and 5 are needed');
  });
});
