import { tool } from 'flyball/tools';
import { expect, it } from 'vitest';
import { proposes, runLoop } from './stage-loop.js';

it('works through', async () => {
  const add = tool({
    name: 'add_one',
    description: 'Adds one.',
    effect: 'pure',
    input: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    execute: async ({ x }) => Number(x) + 1,
  });
  const { outcome, model } = await runLoop(
    [proposes('add_one', { x: 1 }), proposes('add_one', { x: 2 }), 'It is 3.', 'It is 3, checked.'],
    { tools: [add] },
  );
  console.log(JSON.stringify(outcome, null, 1), model.requests.at(-1)?.messages);
  expect(outcome.stop).toBe('done');
});
