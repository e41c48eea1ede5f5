import { strict as assert } from 'node:assert';
// #region refuse
import { createRuntime, memoryEngine, type Session } from 'flyball';
import { composition } from 'flyball/catalogue';
import { selfConsistency } from 'flyball/patterns/reasoning';
import { zeroShot } from 'flyball/patterns/signal';
import { scriptedModel } from 'flyball/testing';

const clerk: Session = { name: 'clerk', model: scriptedModel({}), setup: 'You sort requests.' }; // use createModels for a real model
const agents = { sort: selfConsistency(zeroShot(clerk), {}, { samples: 7 }) };

const create = (modelCalls: number) =>
  createRuntime({ engine: memoryEngine(), agents, composition: composition({ budget: { modelCalls } }) });
// #endregion

// seven calls do not fit into a budget of three
assert.throws(() => create(3), { code: 'CONFIG_INVALID' });
await create(40).close();

// #region system
export const system = {
  agents: { sort: { owner: 'the front office' } },
  evals: { changedAt: Date.parse('2026-11-02'), passedAt: Date.parse('2026-11-04'), suites: [{ cases: 'real' }] },
} as const;
// #endregion
const evaluated = createRuntime({ engine: memoryEngine(), agents, composition: composition({ system }) });
await evaluated.close();
