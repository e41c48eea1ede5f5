import { done, memoryStore, type Outcome, type Run } from 'flyball';
import { approvalInbox, requestApproval } from 'flyball/people';
import { describe, expect, it } from 'vitest';
import { inputFrom } from '../../packages/server/src/triggers/webhook-input.js';
import { answer, moving, RUN } from '../runtime/stage.js';
import '@cfworker/json-schema'; // loaded now: with a clock that moves by itself, loading takes hours

const request = { action: 'commit', why: 'safety is low', expectedEffect: 'It is given out.', undo: 'Nothing.' };

async function asked(more: object = {}) {
  const stage = moving();
  const agent = async (run: Run): Promise<Outcome<unknown>> =>
    done((await requestApproval(run, { ...request, ...more } as never, {}, 'review')).verdict);
  const life = stage.open(agent);
  await life.start();
  const inbox = approvalInbox({ runtime: life.runtime, store: memoryStore(), clock: stage.clock });
  await inbox.sync();
  const [item] = (await inbox.list()).items;
  return { inbox, life, id: item?.id ?? '' };
}

describe('a person is told in a sentence', () => {
  const ada = { by: 'ada', scopes: ['*'] };

  it.each([undefined, '', '  \n'])(
    'that a closed gate is approved with a reason only: %j [R8-TRUTH-REASON]',
    async (reason) => {
      const { inbox, life, id } = await asked({ overrides: ['safety 0.5 of 0.98'] });
      const verdict = { verdict: 'approve', ...(reason === undefined ? {} : { reason }) } as const;
      await expect(inbox.decide(id, verdict, ada)).rejects.toMatchObject({
        code: 'SIGNAL_INVALID',
        message: expect.stringMatching(/approving something below its thresholds requires a reason/),
      });
      await expect(answer(life.runtime, RUN, 'review', verdict, { from: 'ada' })).rejects.toThrow(/requires a reason/);
      expect((await inbox.list()).items).toHaveLength(1); // still open, and asked once
    },
  );

  it('that a blank reason rejects nothing [R8-TRUTH-REASON]', async () => {
    const { life } = await asked();
    const verdict = { verdict: 'reject', reason: '   ' };
    await expect(answer(life.runtime, RUN, 'review', verdict, { from: 'ada' })).rejects.toThrow(
      /reject requires a reason/,
    );
  });

  it.each([undefined, {}, { by: 7, scopes: [] }, { by: 'ada' }])(
    'that whoever decides has to be named: %j [R8-TRUTH-BY]',
    async (who) => {
      const { inbox, id } = await asked();
      const refusal = {
        code: 'INPUT_INVALID',
        message: expect.stringMatching(/Set who decides: \{ by: "ada", scopes/),
      };
      await expect(inbox.decide(id, { verdict: 'approve' }, who as never)).rejects.toMatchObject(refusal);
      await expect(inbox.answer(id, true, who as never)).rejects.toMatchObject(refusal);
    },
  );

  it('that a hook was sent JSON that is too deep [R8-TRUTH-DEEP]', () => {
    const deep = new TextEncoder().encode(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
    expect(() => inputFrom(undefined, deep, new Headers())).toThrow(
      expect.objectContaining({ status: 400, code: 'REQUEST_INVALID' }),
    );
    expect(inputFrom(undefined, new TextEncoder().encode('{"a":1}'), new Headers())).toEqual({ a: 1 });
  });
});

describe('a compensation that hangs', () => {
  it('is given up after the time that the runtime was given, in each of its tries [R8-TRUTH-UNDO]', async () => {
    const stage = moving();
    let tries = 0;
    const book = {
      name: 'book',
      description: 'Books.',
      effect: { class: 'undoable' as const, compensate: () => new Promise<void>(() => void tries++) },
      execute: async () => 'booked',
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(book, {});
      throw new Error('no');
    };
    const options = { compensationAttempts: 2, compensationTimeoutMs: 1000 };
    const began = stage.clock.now();
    const outcome = await stage.open(agent, { options }).start();
    expect(outcome).toMatchObject({
      stop: 'failed',
      rollback: {
        entries: [{ status: 'COMPENSATION_FAILED', note: expect.stringContaining('no end within 1000 ms') }],
      },
    });
    expect(tries).toBe(2);
    expect(stage.clock.now() - began).toBeLessThan(10_000);
  });
});
