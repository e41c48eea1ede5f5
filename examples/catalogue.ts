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
