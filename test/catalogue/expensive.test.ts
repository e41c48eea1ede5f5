import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { selfConsistency, zeroShot } from 'flyball/patterns';
import { simulatedModel } from 'flyball/testing/simulated';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrate } from '../../packages/evals/src/lab/calibrate.js';
import type { ExpectedGain } from '../../packages/evals/src/lab/gain-map.js';
import type { SimulatedCall } from '../../packages/evals/src/lab/simulated.js';
import { arithmetic } from '../../packages/evals/src/lab/worlds/arithmetic.js';
import { files } from '../../packages/evals/src/lab/worlds/files.js';
import { intents } from '../../packages/evals/src/lab/worlds/intents.js';
import { root } from '../../scripts/files.mjs';
import { flyball } from '../cli/in-process.js';

/**
 * Somebody whose agent asks nine times for each answer: journals say that the samples agree, the laboratory says what five
 * of them will do, and five of them do it.
 */
const folder = mkdtempSync(join(tmpdir(), 'flyball-expensive-'));
const db = join(folder, 'runs.db');
const RUNS = 60;
const ACCURACY = 0.97;

/** A model of the user's, which is right in 97%: on their tasks and on those of the calibration. */
function reply(call: SimulatedCall): string {
  const { text, item } = call;
  const isAble = call.chance('able') < ACCURACY;
  if (text.includes('Somebody answered'))
    return isAble === text.includes(`<answer>${arithmetic.truth(item)}</answer>`) ? 'YES' : 'NO';
  if (text.includes('What is the code')) return isAble ? files.truth(item) : 'I do not know.';
  if (text.includes('what is this message about')) return isAble ? intents.truth(item) : intents.wrong(item, 0);
  return isAble ? arithmetic.truth(item) : arithmetic.wrong(item, Math.floor(call.chance('which') * 4));
}

const model = (seed: number) => simulatedModel({ seed, families: reply });
const voting = (samples: number): Agent<string, string> =>
  selfConsistency(
    zeroShot({
      name: 'clerk',
      model: model(samples),
      setup: 'You answer.',
      sampling: { temperature: 0.8 },
    }) as Agent<string, string>,
    {},
    { samples },
  );

/** Runs an agent over its tasks: share of right answers, and model calls of a run. */
async function used(name: string, agent: Agent<string, string>): Promise<{ right: number; calls: number }> {
  const runtime = createRuntime({ engine: await sqliteEngine({ path: db }), agents: { [name]: agent } });
  let [right, calls] = [0, 0];
  for (let item = 0; item < RUNS; item++) {
    const handle = await runtime.start(name, arithmetic.ask(item), { id: `${name}-${item}`, budget: budget() });
    const outcome = await handle.outcome();
    if ('value' in outcome && outcome.value === arithmetic.truth(item)) right++;
    calls += (await runtime.entries(handle.id)).filter(({ event }) => event.type === 'ask-start').length;
  }
  await runtime.close();
  return { right: right / RUNS, calls: calls / RUNS };
}

describe('an agent that is too expensive', () => {
  let before: { right: number; calls: number };
  beforeAll(async () => {
    before = await used('answers', voting(9));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('its journals lead to a change, whose effect the laboratory predicts and a second run shows [R17-EXPENSIVE]', async () => {
    expect(before.calls).toBe(9);
    const { out } = await flyball(['patterns', 'suggest', '--runs', 'answers', '--json'], { FLYBALL_DB: db });
    const { suggestions } = JSON.parse(out) as {
      suggestions: { rule: string; changes?: { samples: { from: number; to: number } } }[];
    };
    expect(suggestions).toMatchObject([{ rule: 'R17', changes: { samples: { from: 9, to: 5 } } }]);
    const samples = suggestions[0]?.changes?.samples.to ?? 0;

    const { gains } = await calibrate({ model: model(1), calls: 200 });
    const expected = (n: number): ExpectedGain => {
      const found = gains.find(({ composition }) => composition === `selfConsistency, ${n} samples`);
      if (found === undefined) throw new Error(`The laboratory says nothing about ${n} samples.`);
      return found;
    };
    expect([expected(9).calls, expected(samples).calls]).toEqual([9, 5]);
    expect(expected(9).value - expected(samples).value).toBeLessThan(0.01); // nothing is lost

    const after = await used('cheaper', voting(samples));
    expect(after.calls).toBe(expected(samples).calls);
    const deviation = Math.sqrt((expected(samples).value * (1 - expected(samples).value)) / RUNS) + 1 / RUNS;
    expect(Math.abs(after.right - expected(samples).value)).toBeLessThan(4 * deviation);
  });

  it('is told so in the words of the documentation [R17-EXPENSIVE]', async () => {
    const { out } = await flyball(['patterns', 'suggest', '--runs', 'answers'], { FLYBALL_DB: db });
    expect(readFileSync(join(root, 'docs/catalogue.md'), 'utf8')).toContain(out.trim());
  });
});
