import { strict as assert } from 'node:assert';
import {
  type Agent,
  askUntil,
  budget,
  createRuntime,
  done,
  memoryEngine,
  type Read,
  type Reply,
  type Session,
} from 'flyball';
import { scriptedModel } from 'flyball/testing';

/** A reply in a form of your own, asked for again until it fits. */

const CITIES = ['Bern', 'Basel', 'Chur'];
const model = scriptedModel({ guide: ['Somewhere in Switzerland.', 'Bern'] });
const session: Session = { name: 'guide', model, setup: `Answer with one of ${CITIES.join(', ')}.` };

// #region ask
const city: Agent<string, string> = async (run, question) => {
  const read = ({ text }: Reply<string>): Read<string> =>
    CITIES.includes(text.trim())
      ? { ok: true, value: text.trim() }
      : { ok: false, problem: `"${text}" is not one of ${CITIES.join(', ')}.` };
  const asked = await askUntil(run, session, question, read, 2);
  if (!asked.ok) throw asked.error; // REPLY_INVALID
  return done(asked.value);
};
// #endregion ask

const runtime = createRuntime({ engine: memoryEngine(), agents: { city } });
const outcome = await (await runtime.start('city', 'What is the capital?', { budget: budget() })).outcome();
assert.deepEqual([outcome.stop, outcome.stop === 'done' && outcome.value], ['done', 'Bern']);
assert.equal(model.requests.length, 2);
await runtime.close();
console.log('ask-until: Bern, in two replies');
