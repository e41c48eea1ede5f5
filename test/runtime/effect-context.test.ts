import { setFlagsFromString } from 'node:v8';
import { done, type Run } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { expect, it } from 'vitest';
import { moving } from './stage.js';

/** What two steps and two model calls of one run were given. */
async function given(): Promise<{ readonly steps: object[]; readonly calls: object[] }> {
  const steps: object[] = [];
  const calls: object[] = [];
  const model = scriptedModel({
    talker: (_request, _n, how) => {
      calls.push(how);
      return 'hello';
    },
  });
  const life = moving().open(async (run: Run) => {
    for (const n of [1, 2]) {
      await run.step('act', n, (_input, how) => steps.push(how), 'idempotent');
      await run.ask({ name: 'talker', model, setup: 'Talk.' }, 'hi');
    }
    return done(null);
  });
  expect(await life.start()).toMatchObject({ stop: 'done' });
  return { steps, calls };
}

it('a copy of what an effect is given has the signal too', async () => {
  const { steps, calls } = await given();
  for (const how of [...steps, ...calls]) expect({ ...how }).toMatchObject({ signal: expect.any(AbortSignal) });
});

/** V8 turns an object with a getter of its own into a dictionary, and keeps what the getter refers to for long. */
it('what effects are given has no getter of its own', async () => {
  const { steps, calls } = await given();
  setFlagsFromString('--allow-natives-syntax');
  const isFast = new Function('value', 'return %HasFastProperties(value)') as (value: object) => boolean;
  setFlagsFromString('--no-allow-natives-syntax');
  expect([...steps, ...calls].map((how) => isFast(how))).toEqual([true, true, true, true]);
});
