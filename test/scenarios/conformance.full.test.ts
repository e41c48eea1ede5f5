import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryEngine } from 'flyball';
import { conformance } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentLike } from '../../packages/flyball/src/core/run.js';
import { conformanceOf } from '../../packages/flyball/src/testing/conformance/conformance.js';
import { keeperOf, twinOf } from './keepers.js';
import { shipped } from './shipped.js';

const SEEDS = Array.from({ length: 50 }, (_, n) => n + 1);

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

describe('conformance', () => {
  it('catches each of 50 agents that keep state outside the journal, and says where [R11-N1-CONFORMANCE]', async () => {
    const missed: string[] = [];
    for (const seed of SEEDS) {
      const { name, agent } = keeperOf(seed);
      const found = await conformance(agent, null, { engine: memoryEngine });
      if (found.ok) missed.push(`${seed}: ${name}`);
      else expect(found.because, name).toMatch(/instead of|REPLAY_DIVERGED/);
    }
    expect(missed).toEqual([]);
  });

  it('raises no alarm over 50 agents that keep the same in the journal [R11-N1-CONFORMANCE]', async () => {
    for (const seed of SEEDS) {
      const { name, agent } = twinOf(seed);
      const found = await conformance(agent, null, { engine: memoryEngine });
      expect(found, `${seed}: ${name}`).toMatchObject({ ok: true });
    }
  });

  it.each(shipped.map((scenario) => [scenario.name, scenario] as const))(
    'raises no alarm over %s [R11-N1-CONFORMANCE]',
    async (_name, scenario) => {
      expect(await conformanceOf(scenario, memoryEngine)).toMatchObject({ ok: true });
    },
  );
});

describe('conformance over the agents of the examples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-conformance-'));
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

  const names = ['harbor-desk', 'refund-desk', 'night-watch', 'month-end', 'voyage-plan', 'notice-writer'];
  it.each(names)('raises no alarm over %s [R11-N1-CONFORMANCE]', async (agent) => {
    const { agents } = await import('../../examples/studio/agents.js');
    const input = agent === 'night-watch' ? { berths: 2 } : {};
    const found = await conformance(agents[agent as keyof typeof agents] as AgentLike<object, unknown>, input, {
      engine: memoryEngine,
      budget: { iterations: 400, modelCalls: 400, toolCalls: 400, costUsd: 100 },
      compare: (value) => ({ ...(value as object), tokens: 0 }), // tokens count ids and times in prompts
      people: ({ kind }) =>
        kind === 'approval' ? { payload: { verdict: 'approve', reason: 'It is fine.' } } : undefined,
    });
    expect(found).toMatchObject({ ok: true });
  });
});
