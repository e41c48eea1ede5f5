import { type Agent, done, type Tool } from 'flyball';
import { errorDigest, guarded, needsApproval, policyGuard, useOf, withBudget } from 'flyball/patterns';
import { parsePolicy } from 'flyball/tools';
import { expect, it } from 'vitest';
import { moving } from '../../../../test/runtime/stage.js';

const refund: Tool<{ cents: number }, string> = {
  name: 'refund',
  description: 'Pays money back. Not for vouchers.',
  effect: 'idempotent',
  execute: async ({ cents }) => `paid ${cents}`,
};
const clock = { now: () => 0 };
const rules = [
  {
    id: 'small',
    effect: 'allow',
    tools: 'refund',
    when: { args: [{ path: 'cents', below: 10_000 }] },
    because: 'our work',
  },
];
const policy = parsePolicy({ version: '1', reviewedBy: 'ada', rules }, { now: 0 });
const clerk: Agent<number, string> = async (run, cents) => done((await run.call(refund, { cents })).content);
const careful = guarded(
  withBudget(clerk, { toolCalls: 3 }),
  needsApproval({ tool: refund, when: ({ cents }) => cents > 5_000 }, { timeoutMs: 1_000 }),
  policyGuard(policy, { clock }),
);

it('puts guards around an agent: one may ask, another refuse, and the rest passes [R11-PATTERN-GUARDED]', async () => {
  expect(
    await moving()
      .open(careful as never)
      .start(100),
  ).toMatchObject({ stop: 'done', value: 'paid 100' });
  expect(
    await moving()
      .open(careful as never)
      .start(7_000),
  ).toMatchObject({ stop: 'suspended' });
  expect(
    await moving()
      .open(careful as never)
      .start(70_000),
  ).toMatchObject({
    stop: 'done',
    value: expect.stringContaining('not permitted') as string,
  });
});

it('says which guards it has in the description of the agent [R11-PATTERN-GUARDED]', () => {
  expect(useOf(careful)).toMatchObject({
    id: 'V9',
    provides: expect.arrayContaining(['V1', 'V7']) as readonly string[],
  });
  expect(useOf(guarded(clerk))).toBeUndefined();
});

it('puts guards around it that go by what the run has done: the fourth try in vain is asked about [R11-PATTERN-GUARDED] [V11.5]', async () => {
  const broken: Tool<null, string> = {
    name: 'dial',
    description: 'Connects. Not for addresses.',
    effect: 'idempotent',
    retry: { retries: 0 },
    execute: async () => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { retryable: false });
    },
  };
  const dialing: Agent<number, number> = async (run, times) => {
    for (let n = 0; n < times; n++) await run.call(broken, null);
    return done(times);
  };
  const patient = guarded(withBudget(dialing, { toolCalls: 9 }), errorDigest({ maxConsecutive: 3 }));
  const played = (times: number) =>
    moving()
      .open(patient as never)
      .start(times);
  expect(await played(3)).toMatchObject({ stop: 'done', value: 3 });
  expect(await played(4)).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
  expect(useOf(patient)?.provides).toContain('V11');
});
