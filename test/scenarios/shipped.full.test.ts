import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, memoryEngine } from 'flyball';
import { assertSame, exercise, type Scenario } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { shipped } from './shipped.js';

/** Tokens count ids and times in prompts, which are another fork's own. */
const withoutTokens = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'tokens' in value ? { ...value, tokens: 0 } : value;
/** All plays share the store of the module, in which a task is done once. */
const artefactsOf = (value: unknown): unknown => (value as { readonly outputs?: unknown }).outputs;
/** Two steps of this plan wait for nothing but each other's turn: which of them ends first is nobody's promise. */
const recordsOf = (value: unknown): unknown => {
  const { records, output } = value as { readonly records: readonly StepRecord[]; readonly output: unknown };
  const told = records.map((record) => ({
    ...record,
    actualToolCalls: record.actualToolCalls.map(({ effect: _effect, ...call }) => call),
  }));
  return { records: told.sort((a, b) => a.id.localeCompare(b.id)), output };
};
interface StepRecord {
  readonly id: string;
  readonly actualToolCalls: readonly { readonly effect?: string }[];
}
const COMPARED: Readonly<Record<string, (value: unknown) => unknown>> = {
  'notice-writer': artefactsOf,
  'voyage-plan': recordsOf,
};

/** Points of each kind in a run at which something happens to it: all of them with `FLYBALL_POINTS=1000`. */
const most = Number(process.env['FLYBALL_POINTS'] ?? 5);

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

describe('a shipped agent', () => {
  for (const scenario of shipped) {
    it(`${scenario.name} comes out the same in every way [R7-DRIVER-AGENTS]`, async () => {
      const report = await exercise(scenario, { engine: memoryEngine, most });
      expect(report.stop).toBe('done');
      assertSame(report);
    });
  }
});

describe('an agent of the examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-scenarios-'));
  beforeAll(() => {
    vi.stubEnv('FLYBALL_DEMONSTRATION', '1');
    vi.stubEnv('FLYBALL_HARBOUR', folder);
    // the examples take their time for whoever watches; here nobody does, and the clock of the runs is a virtual one
    vi.stubGlobal('setTimeout', (callback: () => void) => setImmediate(callback));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    rmSync(folder, { recursive: true, force: true });
  });

  // `morning-round` finds its agents through the server's directory; a workflow is among the shipped agents above
  const names = ['harbor-desk', 'refund-desk', 'night-watch', 'month-end', 'voyage-plan', 'notice-writer'];
  it.each(names)('%s comes out the same in every way [R7-DRIVER-AGENTS]', async (agent) => {
    const { agents } = await import('../../examples/studio/agents.js');
    const scenario: Scenario = {
      name: agent,
      agent,
      input: agent === 'night-watch' ? { berths: 2 } : {},
      budget: { iterations: 400, modelCalls: 400, toolCalls: 400, costUsd: 100 },
      heedsInstructions: true,
      compare: COMPARED[agent] ?? withoutTokens,
      // a gate that did not pass is overridden only with a reason
      people: ({ kind }) =>
        kind === 'approval' ? { payload: { verdict: 'approve', reason: 'It is fine.' } } : undefined,
      open: (life) => createRuntime({ ...life, agents }),
    };
    const report = await exercise(scenario, { engine: memoryEngine, most });
    expect(report.stop).toBe('done');
    assertSame(report);
  });
});
