import { done, type Run } from 'flyball';
import { expect, it } from 'vitest';
import { answer, moving, RUN } from '../runtime/stage.js';

it('the rules of a guard lift nothing of the rules of a tool [R4-PEOPLE-SCOPES] [R4-PEOPLE-TWO]', async () => {
  const pay = {
    name: 'pay',
    description: 'p',
    effect: { class: 'irreversible', why: 'money' } as const,
    approval: { scopes: ['cfo'], people: 2 },
    execute: async () => 'paid',
  };
  const stage = moving();
  const life = stage.open(async (run: Run) => done(await run.call(pay, {})), {
    seams: {
      'tool.pre': [
        (next) => async (v, c) =>
          ({ ...(await next(v, c)), approval: 'policy', approvalRules: { people: 1, scopes: ['ops'] } }) as never,
      ],
    },
  });
  await life.start();
  const yes = { verdict: 'approve' };
  for (const scopes of [['ops'], ['cfo']])
    await expect(answer(life.runtime, RUN, 'approve:#0', yes, { from: 'x', scopes })).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('cfo, and ops'),
    });
  await expect(answer(life.runtime, RUN, 'approve:#0', yes, { from: ' ', scopes: ['*'] })).rejects.toMatchObject({
    code: 'DENIED',
  });
  await answer(life.runtime, RUN, 'approve:#0', yes, { from: 'ada', scopes: ['ops', 'cfo'] });
  await life.resume();
  await expect(
    answer(life.runtime, RUN, 'approve:#0.2', yes, { from: 'Ada ', scopes: ['ops', 'cfo'] }),
  ).rejects.toMatchObject({ code: 'DENIED' });
  await answer(life.runtime, RUN, 'approve:#0.2', yes, { from: 'bob', scopes: ['*'] });
  expect(await life.resume()).toMatchObject({ stop: 'done' });
});
