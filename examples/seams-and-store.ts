import { strict as assert } from 'node:assert';
import {
  type Agent,
  budget,
  createRuntime,
  done,
  governedStore,
  memoryEngine,
  memoryStore,
  type Seams,
  type Tool,
} from 'flyball';

/** Rules that no prompt can talk its way around, and records that outlive runs. */

const fetched: string[] = [];
const fetchPage: Tool<{ readonly url: string }, string> = {
  name: 'fetch-page',
  description: 'Fetches a page.',
  effect: 'idempotent',
  async execute({ url }) {
    fetched.push(url);
    return `contents of ${url}`;
  },
};

// #region seams
const seams: Seams = {
  // before INTENT: allow, change the arguments, or refuse
  'tool.pre': [
    (next) => async (call, ctx) => {
      const { url } = call.args as { url: string };
      if (!url.startsWith('https://')) return { allow: false, why: `${url} is not encrypted` };
      return next(call, ctx);
    },
  ],
  // before a value is written to a store
  'state.write': [
    (next) => async (write, ctx) => {
      if (JSON.stringify(write.value).includes('secret')) throw new Error(`${write.key} holds a secret`);
      return next(write, ctx);
    },
  ],
};
// #endregion

// #region agent
const browse: Agent<readonly string[], readonly string[]> = async (run, urls) => {
  const seen: string[] = [];
  for (const url of urls) {
    const page = await run.call(fetchPage, { url });
    seen.push(page.ok ? page.value : `refused: ${page.failure.message}`); // a refusal is an observation
  }
  return done(seen);
};
// #endregion

const runtime = createRuntime({ engine: memoryEngine(), agents: { browse }, seams });
const urls = ['http://plain.example', 'https://safe.example'];
const outcome = await (await runtime.start('browse', urls, { budget: budget() })).outcome();
assert(outcome.stop === 'done');
assert.deepEqual(outcome.value, ['refused: http://plain.example is not encrypted', 'contents of https://safe.example']);
assert.deepEqual(fetched, ['https://safe.example']);

// #region store
const rules: Seams = {
  'state.write': [
    (next) => async (write, ctx) => {
      if (JSON.stringify(write.value).includes('secret')) throw new Error(`${write.key} holds a secret`);
      return next(write, ctx);
    },
  ],
};
const store = governedStore(memoryStore(), rules, { runId: 'r1', tenant: 'acme', subject: 'ada' });
const at = { tenant: 'acme', owner: 'ada', collection: 'preferences', key: 'language' };

await store.propose(at, { id: 'p1', over: 0, value: { language: 'nb' }, now: Date.now() });
assert.equal(await store.get(at), undefined); // reads never return a proposal
await store.commit(at, 'p1', Date.now());
assert.deepEqual((await store.get(at))?.value, { language: 'nb' });
assert.equal(await store.get({ ...at, owner: 'eve' }), undefined); // owners cannot read each other's records
// #endregion
await assert.rejects(store.propose(at, { id: 'p2', over: 1, value: { pin: 'secret 123' }, now: Date.now() }));

await runtime.close();
console.log('seams-and-store: one fetch refused, one made; a proposal became a record, a secret did not');
