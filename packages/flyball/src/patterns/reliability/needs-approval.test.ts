import { type Agent, done, type Run, type Runtime, type Tool } from 'flyball';
import { needsApproval, useOf } from 'flyball/patterns';
import { describe, expect, it } from 'vitest';
import { answer, eventsOf, moving, RUN } from '../../../../../test/runtime/stage.js';

interface Money {
  readonly cents: number;
}

/** A refund that can be repeated: by itself nobody would be asked. */
function stageFor(
  guard: (refund: Tool<Money, string>) => ReturnType<typeof needsApproval>,
  effect: 'idempotent' | 'irreversible' = 'idempotent',
) {
  const paid: number[] = [];
  const refund: Tool<Money, string> = {
    name: 'refund',
    description: 'Pays money back. Not for vouchers.',
    effect: effect === 'idempotent' ? effect : { class: effect },
    review: ({ cents }) => ({
      expectedEffect: `${cents} cents are paid back`,
      undo: 'by hand',
      alternatives: ['a voucher'],
    }),
    execute: async ({ cents }) => {
      paid.push(cents);
      return `paid ${cents}`;
    },
  };
  const agent: Agent<Money, unknown> = async (run: Run, input) => {
    const result = await run.guarded(guard(refund)).call(refund, input);
    return done(result.ok ? result.value : `${result.failure.code}: ${result.content}`);
  };
  const stage = moving();
  return { stage, agent, paid, life: stage.open(agent as never) };
}

const overFifty = (refund: Tool<Money, string>) =>
  needsApproval({ tool: refund, when: ({ cents }) => cents > 5_000 }, { timeoutMs: 60_000 });

/** Somebody decides about what is asked last. */
async function verdict(runtime: Runtime, payload: unknown): Promise<void> {
  const asked = eventsOf(await runtime.entries(RUN), 'wait-start').at(-1);
  await answer(runtime, RUN, asked?.name ?? '', payload);
}

describe('needsApproval', () => {
  it('lets pass what it is not about, and waits before the rest', async () => {
    const small = stageFor(overFifty);
    expect(await small.life.start({ cents: 100 })).toMatchObject({ stop: 'done', value: 'paid 100' });
    const large = stageFor(overFifty);
    expect(await large.life.start({ cents: 9_000 })).toMatchObject({ stop: 'suspended' });
    expect(large.paid).toEqual([]);
    await verdict(large.life.runtime, { verdict: 'approve' });
    expect(await large.life.resume()).toMatchObject({ stop: 'done', value: 'paid 9000' });
    expect(large.paid).toEqual([9_000]);
  });

  it('only adds approvals: what cannot be undone is asked about whatever `when` says [V1.1]', async () => {
    const { life, paid } = stageFor(
      (refund) => needsApproval({ tool: refund, when: () => false }, { timeoutMs: 60_000 }),
      'irreversible',
    );
    expect(await life.start({ cents: 1 })).toMatchObject({ stop: 'suspended' });
    expect(paid).toEqual([]);
  });

  it('has a call approved that it cannot judge', async () => {
    const { life, paid } = stageFor((refund) =>
      needsApproval(
        {
          tool: refund,
          when: () => {
            throw new Error('no');
          },
        },
        { timeoutMs: 60_000 },
      ),
    );
    expect(await life.start({ cents: 1 })).toMatchObject({ stop: 'suspended' });
    expect(paid).toEqual([]);
  });

  it('shows what is to be done, why, what comes of it, how it is undone and what else there is [V1.2]', async () => {
    const { life, stage } = stageFor(overFifty);
    await life.start({ cents: 9_000 });
    const [asked] = await stage.events('wait-start');
    expect(asked?.request).toMatchObject({
      action: 'refund',
      why: expect.stringContaining('This call of refund needs approval.') as string,
      expectedEffect: '9000 cents are paid back',
      undo: 'by hand',
      alternatives: ['a voucher'],
    });
    const said = (asked?.request ?? {}) as Readonly<Record<string, string>>;
    for (const words of ['action', 'why', 'expectedEffect', 'undo']) expect(said[words]).not.toMatch(/[{}"]/);
  });

  it('is a no after its time, and nothing is done [V1.3]', async () => {
    const { agent, stage, paid } = stageFor(overFifty);
    const life = stage.open(agent as never, { options: { suspendAfterMs: 1e9 } });
    expect(await life.start({ cents: 9_000 })).toMatchObject({
      stop: 'done',
      value: expect.stringContaining('nobody decided about it in time') as string,
    });
    expect(paid).toEqual([]);
  });

  it('judges changed arguments again: an edit cannot skip it [V1.5]', async () => {
    const { life, paid } = stageFor(overFifty);
    await life.start({ cents: 9_000 });
    await verdict(life.runtime, { verdict: 'modify', value: { cents: 8_000 } });
    expect(await life.resume()).toMatchObject({ stop: 'suspended' });
    expect(paid).toEqual([]);
    await verdict(life.runtime, { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'paid 8000' });
  });

  it('needs a time, and says what it holds back [R11-PATTERN-USE]', () => {
    const tool = { name: 'refund' } as Tool<Money>;
    expect(() => needsApproval({ tool }, { timeoutMs: 0 })).toThrow('needsApproval (V1) needs timeoutMs');
    expect(useOf(needsApproval({ tool }, { timeoutMs: 5 }))).toMatchObject({
      id: 'V1',
      params: { tool: 'refund' },
      predicted: { min: 0, max: 0 },
    });
  });
});
