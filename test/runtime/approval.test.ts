import { done, type Outcome, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/json-schema-check.js';
import { answer, moving, RUN } from './stage.js';

function scene(input: unknown = { to: 'ada' }) {
  const stage = moving();
  const sent: unknown[] = [];
  const mail: Tool<unknown, string> = {
    name: 'mail',
    description: 'Sends a mail.',
    effect: { class: 'irreversible', why: 'a mail cannot be called back' },
    execute: async (args) => {
      sent.push(args);
      return 'sent';
    },
  };
  const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.call(mail, input));
  return { stage, sent, agent };
}

describe('an irreversible effect', () => {
  it('waits for an approval before its INTENT, and tells what it wants to do [R2-APPROVAL-GATE] [R2-CLASSES]', async () => {
    const { stage, sent, agent } = scene();
    const life = stage.open(agent);
    expect(await life.start()).toMatchObject({
      stop: 'suspended',
      waiting: [
        {
          kind: 'approval',
          name: 'approve:#0',
          token: 'run:0:#0!gate',
          request: {
            action: 'mail',
            input: { to: 'ada' },
            effect: 'irreversible',
            why: 'a mail cannot be called back',
          },
        },
      ],
    });
    expect(sent).toEqual([]);
    expect(await stage.events('intent')).toEqual([]);

    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'grace' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { ok: true, content: 'sent' } });
    expect(sent).toEqual([{ to: 'ada' }]);
    const types = (await stage.entries()).map(({ event }) => event.type);
    expect(types.indexOf('wait-end')).toBeLessThan(types.indexOf('intent'));
    expect(await stage.events('wait-end')).toMatchObject([
      { id: '#0!gate', from: 'grace', payload: { verdict: 'approve' } },
    ]); // who approved
  });

  it('that is rejected is not made: the call is an observation with the reason [R2-APPROVAL-GATE]', async () => {
    const { stage, sent, agent } = scene();
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'reject', reason: 'wrong person' });
    expect(await life.resume()).toMatchObject({
      stop: 'done',
      value: { ok: false, content: expect.stringContaining('wrong person'), failure: { code: 'APPROVAL_REJECTED' } },
    });
    expect(sent).toEqual([]);
    expect(await stage.events('intent')).toEqual([]);
  });

  it('that is rejected is a typed error for a step [R2-APPROVAL-GATE]', async () => {
    const stage = moving();
    let made = 0;
    const life = stage.open(async (run: Run) =>
      done(
        await run
          .step('launch', null, () => ++made, { class: 'irreversible' })
          .catch((error: { readonly code: string }) => error.code),
      ),
    );
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'reject', reason: 'no' }, { from: 'grace' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'APPROVAL_REJECTED' });
    expect(await stage.events('abort')).toMatchObject([
      { failure: { message: expect.stringContaining('grace rejected it') } },
    ]);
    expect(made).toBe(0);
  });

  it('is not approved by an answer that is none; nothing is lost [R2-APPROVAL-GATE] [R2-BAD-SIGNAL]', async () => {
    const { stage, sent, agent } = scene();
    const life = stage.open(agent);
    await life.start();
    await expect(answer(life.runtime, RUN, 'approve:#0', { verdict: 'yes please' })).rejects.toMatchObject({
      code: 'SIGNAL_INVALID',
      message: expect.stringContaining('a verdict is one of'),
    });
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    expect(sent).toEqual([]);
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(sent).toHaveLength(1);
  });

  it('tells a sender at once when its verdict does not fit [R2-APPROVAL-GATE] [R2-BAD-SIGNAL]', async () => {
    const { stage, agent } = scene();
    const life = stage.open(agent, { checkJson: jsonSchemaCheck() });
    await life.start();
    await expect(answer(life.runtime, RUN, 'approve:#0', { verdict: 'maybe' })).rejects.toMatchObject({
      code: 'SIGNAL_INVALID',
      message: expect.stringMatching(/does not match.*verdict.*Nothing was delivered/),
    });
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    expect(await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' })).toMatchObject({
      delivery: 'delivered',
    });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
  });

  it('keeps its approval over a crash: nobody is asked twice', async () => {
    const { stage, sent, agent } = scene();
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    life.die();
    const dying = stage.open(agent, {
      crash: (point) => point.when === 'after' && point.entries?.includes('wait-end') === true,
    });
    void dying.resume().catch(() => undefined);
    await dying.crashed;
    dying.die();
    expect(sent).toEqual([]);
    const outcome = await stage.open(agent).resume();
    // the INTENT may have been in the same commit as the approval: then the person is asked about the doubt, not the deed
    if (outcome.stop === 'done') expect(sent).toHaveLength(1);
    else expect(outcome).toMatchObject({ waiting: [{ kind: expect.stringMatching(/doubt|sleep/) }] });
    expect((await stage.events('wait-start')).filter(({ kind }) => kind === 'approval')).toHaveLength(1);
  });

  it('two at once are approved one by one, by name or by token', async () => {
    const stage = moving();
    const made: string[] = [];
    const life = stage.open(async (run: Run) => {
      const launch =
        (name: string) =>
        (on: Run): Promise<unknown> =>
          on.step(name, null, () => made.push(name), { class: 'irreversible' }).catch((error: Error) => error.message);
      await run.all([launch('a'), launch('b')], 2);
      return done(null);
    });
    const outcome = await life.start();
    expect(outcome).toMatchObject({ waiting: [{ name: 'approve:/all.0.0#0' }, { name: 'approve:/all.0.1#0' }] });
    await life.runtime.signal(RUN, 'run:0:/all.0.1#0!gate', { verdict: 'approve' }, { from: 'rita' });
    await answer(life.runtime, RUN, 'approve:/all.0.0#0', { verdict: 'reject', reason: 'no' });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(made).toEqual(['b']);
  });
});
