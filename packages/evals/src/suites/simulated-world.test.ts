import { expect, it } from 'vitest';
import type { TrajectoryVerdict } from '../judging/trajectory-verdict.js';
import { parseJson } from '../tau2/python/json.js';
import type { PyDict } from '../tau2/python/value.js';
import type { SimCall } from '../world/message.js';
import { scoreScenario } from './score-scenario.js';
import { simulatedWorld } from './simulated-world.js';

const call = (args: string): SimCall => ({
  id: '1',
  name: 'refund',
  arguments: parseJson(args) as PyDict,
  requestor: 'assistant',
});

it('gives a simulated tool plain numbers, however the model spelled them [R5-SIM-FAULTS]', async () => {
  const seen: unknown[] = [];
  const world = simulatedWorld({
    name: 'shop',
    version: '1',
    policy: 'Be kind.',
    state: () => ({}),
    tools: [{ name: 'refund', description: 'Refunds.', parameters: {}, run: (_state, args) => seen.push(args) }],
  });
  for (const args of ['{"amount": 33}', '{"amount": 33.0}', '{"of": {"amounts": [1.0, 2.5]}}']) {
    expect(await world.open('s', 1).respond(call(args))).toMatchObject({ error: false });
  }
  expect(seen).toEqual([{ amount: 33 }, { amount: 33 }, { of: { amounts: [1, 2.5] } }]);
});

it('finds an expected call by the values of its arguments, not by their spelling [R5-SIM-FAULTS]', () => {
  const passed = {
    kind: 'scored',
    passed: true,
    violations: [],
    failed: [],
    blockedBy: [],
  } as unknown as TrajectoryVerdict;
  const problems = (args: string, expected: Readonly<Record<string, unknown>>): readonly string[] =>
    scoreScenario(
      { outcome: 'It is refunded.', calls: [{ name: 'refund', with: expected }] },
      {
        messages: [{ role: 'assistant', content: null, calls: [call(args)], cost: 0, at: 0 }],
        termination: 'user_stop',
        steps: 1,
        errors: 0,
        agentCost: 0,
        userCost: 0,
      },
      passed,
    ).because;
  expect(problems('{"amount": 33.0, "note": "x"}', { amount: 33 })).toEqual([]);
  expect(problems('{"lines": [{"n": 2.0}]}', { lines: [{ n: 2 }] })).toEqual([]);
  expect(problems('{"amount": "33"}', { amount: 33 })).toEqual(['the expected call of refund was not made']);
  expect(problems('{}', { amount: null })).toEqual(['the expected call of refund was not made']);
});
