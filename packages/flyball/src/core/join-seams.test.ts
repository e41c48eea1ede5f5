import type { Seams } from 'flyball';
import { expect, it } from 'vitest';
import { proposed, toolOf } from '../../../../test/governance/context.js';
import { joinSeams } from './join-seams.js';
import type { SeamMiddleware } from './seams.js';

it('joins sets of seams in the order given, seam by seam', async () => {
  const order: string[] = [];
  const mark =
    (name: string): SeamMiddleware<'tool.pre'> =>
    (next) =>
    async (value, ctx) => {
      order.push(name);
      return next(value, ctx);
    };
  const loaded: Seams = { 'tools.load': [(next) => next] };
  const joined = joinSeams(
    { 'tool.pre': [mark('a'), mark('b')] },
    {},
    loaded,
    { 'tool.pre': [mark('c')] },
    { output: [] },
  );
  await proposed(joined, toolOf({ name: 'x' }));
  expect(order).toEqual(['a', 'b', 'c']);
  expect(Object.keys(joined)).toEqual(['tool.pre', 'tools.load']);
  expect(joined['tools.load']).toEqual(loaded['tools.load']);
});
