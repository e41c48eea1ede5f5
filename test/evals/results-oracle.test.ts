import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { referenceMetrics } from '../../packages/evals/src/metrics/reference-metrics.js';
import { readResults, writeResults } from '../../packages/evals/src/results/results-text.js';
import { dumpJson, parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { tau2, withTau2 } from './tau2-data.js';

withTau2('the recorded results file', () => {
  const text = readFileSync(`${tau2().oracle}/sample_results.json`, 'utf8');

  it('loads, and its metrics come out as recorded [R5-RESULTS-FORMAT]', () => {
    const results = readResults(text);
    expect(results.info).toMatchObject({
      domain: 'banking_knowledge',
      trials: 1,
      seed: 300,
      retrieval: 'golden_retrieval',
    });
    expect(results.simulations[0]).toMatchObject({ taskId: 'task_001', seed: 626729, agentCost: 0.5, userCost: 1.5 });
    const metrics = referenceMetrics(results);
    expect(metrics).toMatchObject({
      avgReward: 1,
      avgAgentCost: 0.5,
      writes: { total: 1, correct: 1 },
      db: { match: 1, mismatch: 0, notChecked: 0 },
    });
    expect([...metrics.passHatK]).toEqual([[1, 1]]);
  });

  it('is written back with every value, unknown fields included [R5-RESULTS-FORMAT]', () => {
    const known = parseJson(text) as Map<string, never>;
    const again = parseJson(writeResults(readResults(text)));
    expect(dumpJson(again)).toBe(dumpJson(known));
    const odd = text
      .replace('"git_commit"', '"extra_of_info": 1.0, "git_commit"')
      .replace('"trial": 0', '"extra": 2, "trial": 0');
    const rewritten = writeResults(readResults(odd));
    expect(rewritten).toContain('"extra_of_info": 1.0');
    expect(rewritten).toContain('"extra": 2');
  });

  it('keeps the reference structure when a simulation is ours [R5-RESULTS-FORMAT]', () => {
    const read = readResults(text);
    const simulations = read.simulations.map(({ rest: _, ...own }) => own);
    const { rest: _, ...results } = read;
    const ours = writeResults({ ...results, info: { ...read.info, rest: null }, simulations });
    expect(shapeOf(parseJson(ours))).toEqual(shapeOf(parseJson(text)));
  });
});

/** Field names in order, all the way down; values only where they are no structure. */
function shapeOf(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, inner]) => [key, shapeOf(inner)]);
  if (Array.isArray(value)) return value.map(shapeOf);
  return value === null ? 'null' : typeof value;
}
