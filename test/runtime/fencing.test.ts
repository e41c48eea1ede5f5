import type { Agent } from 'flyball';
import { expect, it } from 'vitest';
import { at, moving } from './stage.js';

it('an effect is given a number that rises whenever the run changes hands, also to undo [R8-OPS-FENCE]', async () => {
  const stage = moving();
  const seen: (readonly [string, number | undefined])[] = [];
  const agent: Agent<unknown, string> = async (run) => {
    await run.step('first', null, async (_input, { fence }) => void seen.push(['first', fence]), {
      class: 'undoable',
      compensate: async (_input, _result, { fence }) => void seen.push(['undo', fence]),
    });
    await run.step('second', null, async (_input, { fence }) => void seen.push(['second', fence]), 'idempotent');
    return { stop: 'failed', because: 'no', failure: { code: 'EFFECT_FAILED', message: 'no', retryable: false } };
  };
  await stage.crashed(agent, at('after', 'complete', 1));
  expect(await stage.open(agent).resume()).toMatchObject({ stop: 'failed' });
  const fences = Object.fromEntries(seen);
  expect(seen.map(([name]) => name)).toEqual(['first', 'second', 'undo']);
  expect(fences['second']).toBeGreaterThan(fences['first'] ?? 0);
  expect(fences['undo']).toBe(fences['second']);
});
