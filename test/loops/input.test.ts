import type { Agent } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { expect, it } from 'vitest';
import { moving } from '../runtime/stage.js';

it.each([[null], [7]])('a loop that is given %j says what it takes', async (input) => {
  const loop = toolLoop({
    session: { name: 'clerk', model: scriptedModel({ clerk: 'Hello.' }), setup: '' },
    tools: [],
  });
  const outcome = await moving()
    .open(async (run) => run.spawn(loop as unknown as Agent<unknown, unknown>, input, { share: 0.5 }))
    .start();
  expect(outcome).toMatchObject({
    stop: 'failed',
    failure: { code: 'INPUT_INVALID', message: expect.stringContaining('clerk is asked with text, a list of parts') },
  });
});
