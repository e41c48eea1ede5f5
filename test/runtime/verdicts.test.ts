import { budget, done, type Outcome, type Run, type Seams, type StandardSchema, type Tool } from 'flyball';
import { provenanceOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { answer, moving, RUN } from './stage.js';

const toSchema: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof (value as { readonly to?: unknown } | null)?.to === 'string'
        ? { value }
        : { issues: [{ message: 'to must be text' }] },
  },
};

function scene(more: Partial<Tool<{ readonly to: string }, string>> = {}) {
  const stage = moving();
  const sent: unknown[] = [];
  const mail: Tool<{ readonly to: string }, string> = {
    name: 'mail',
    description: 'Sends a mail.',
    effect: { class: 'irreversible' },
    input: toSchema,
    execute: async (args) => {
      sent.push(args);
      return 'sent';
    },
    ...more,
  };
  const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.call(mail, { to: 'ada' }));
  return { stage, sent, agent };
}

/** Refuses mail to bob, whoever asks for it. */
const notToBob: Seams = {
  'tool.pre': [
    (next) => async (value, ctx) =>
      (value.args as { readonly to: string }).to === 'bob' ? { allow: false, why: 'never to bob' } : next(value, ctx),
  ],
};

describe('a verdict at a gate', () => {
  it('that modifies sends the new arguments through schema, guards and gate again [R4-PEOPLE-MODIFY-REGATED] [R4-PEOPLE-VERDICTS]', async () => {
    const { stage, sent, agent } = scene();
    const life = stage.open(agent, { seams: notToBob });
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'modify', value: { to: 'eve' } }, { from: 'grace' });
    expect(await life.resume()).toMatchObject({
      stop: 'suspended',
      waiting: [
        {
          name: 'approve:#0.2',
          request: { input: { to: 'eve' }, history: [{ verdict: 'modify', by: 'grace' }] },
        },
      ],
    });
    expect(sent).toEqual([]); // an edit does not pass the gate that the original could not
    await answer(life.runtime, RUN, 'approve:#0.2', { verdict: 'approve' }, { from: 'grace' });
    expect(await life.resume()).toMatchObject({
      stop: 'done',
      value: { ok: true, value: 'sent', content: expect.stringMatching(/grace changed the arguments.*eve.*\nsent/s) },
    });
    expect(sent).toEqual([{ to: 'eve' }]);
    const { approvals } = provenanceOf(RUN, await stage.entries());
    expect(approvals).toMatchObject([
      { effect: '#0', by: 'grace', verdict: 'modify' },
      { effect: '#0', by: 'grace', verdict: 'approve' },
    ]);
  });

  it.each([
    ['that the schema refuses', { to: 7 }, 'INPUT_INVALID'],
    ['that a guard refuses', { to: 'bob' }, 'DENIED'],
  ])('%s ends the call [R4-PEOPLE-MODIFY-REGATED]', async (_name, value, code) => {
    const { stage, sent, agent } = scene();
    const life = stage.open(agent, { seams: notToBob });
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'modify', value });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { ok: false, failure: { code } } });
    expect(sent).toEqual([]);
  });

  it('is not lost or asked for again by a crash at any write after it [R4-PEOPLE-MODIFY-REGATED]', async () => {
    for (let at = 0; at < 8; at++) {
      const { stage, sent, agent } = scene();
      const first = stage.open(agent, { seams: notToBob });
      await first.start();
      await answer(first.runtime, RUN, 'approve:#0', { verdict: 'modify', value: { to: 'eve' } }, { from: 'grace' });
      first.die();
      let writes = 0;
      const dying = stage.open(agent, { seams: notToBob, crash: ({ when }) => when === 'after' && writes++ === at });
      await Promise.race([dying.resume().catch(() => undefined), dying.crashed]);
      dying.die();
      const life = stage.open(agent, { seams: notToBob });
      expect(await life.resume()).toMatchObject({ waiting: [{ name: 'approve:#0.2' }] });
      await answer(life.runtime, RUN, 'approve:#0.2', { verdict: 'approve' });
      expect(await life.resume()).toMatchObject({ stop: 'done', value: { ok: true } });
      expect(sent).toEqual([{ to: 'eve' }]);
      expect(await stage.events('wait-start')).toHaveLength(2);
    }
  });

  it('that rejects or escalates needs a reason [R4-PEOPLE-VERDICTS] [V1.4]', async () => {
    const { stage, sent, agent } = scene();
    const life = stage.open(agent);
    await life.start();
    for (const verdict of ['reject', 'escalate']) {
      await expect(answer(life.runtime, RUN, 'approve:#0', { verdict })).rejects.toMatchObject({
        code: 'SIGNAL_INVALID',
        message: expect.stringContaining(`${verdict} requires a reason`),
      });
      expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'approve:#0' }] });
    }
    expect([sent, await stage.events('wait-end')]).toEqual([[], []]);
  });

  it('that escalates goes to the next level, and past the last one it is refused [R4-PEOPLE-ESCALATE] [V1.6]', async () => {
    const levels = [{ to: 'the manager', scopes: ['manage'] }];
    const { stage, sent, agent } = scene({ approval: { escalation: levels } });
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'escalate', reason: 'too large for me' }, { from: 'ann' });
    expect(await life.resume()).toMatchObject({
      waiting: [
        { name: 'approve:#0.2', request: { to: 'the manager', history: [{ by: 'ann', verdict: 'escalate' }] } },
      ],
    });
    await expect(
      answer(life.runtime, RUN, 'approve:#0.2', { verdict: 'approve' }, { from: 'ann' }),
    ).rejects.toMatchObject({ code: 'DENIED', message: expect.stringContaining('scope manage') });
    const manager = { from: 'max', scopes: ['manage'] };
    await answer(life.runtime, RUN, 'approve:#0.2', { verdict: 'escalate', reason: 'not mine' }, manager);
    expect(await life.resume()).toMatchObject({
      stop: 'done',
      value: {
        ok: false,
        failure: { code: 'APPROVAL_REJECTED', message: expect.stringContaining('there is nobody left') },
      },
    });
    expect(sent).toEqual([]);
  });

  it('needs two different people where two have to agree [R4-PEOPLE-TWO]', async () => {
    const { stage, sent, agent } = scene({ approval: { people: 2 } });
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'ann' });
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'approve:#0.2' }] });
    expect(sent).toEqual([]);
    await expect(
      answer(life.runtime, RUN, 'approve:#0.2', { verdict: 'approve' }, { from: 'ann' }),
    ).rejects.toMatchObject({ code: 'DENIED', message: expect.stringContaining('another person is required') });
    await answer(life.runtime, RUN, 'approve:#0.2', { verdict: 'approve' }, { from: 'bert' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { ok: true } });
    expect(sent).toHaveLength(1);
  });

  it('is not taken from the inbox when it came before the question and its sender was never looked at [R4-PEOPLE-SCOPES]', async () => {
    const { stage, sent, agent } = scene({ approval: { scopes: ['pay'] } });
    const life = stage.open(agent, { options: { suspendAfterMs: 1000 } });
    const started = life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'mallory' }).catch(() => undefined);
    expect(await started).toMatchObject({ stop: 'suspended', waiting: [{ name: 'approve:#0' }] });
    expect(sent).toEqual([]);
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'ann', scopes: ['pay'] });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(sent).toHaveLength(1);
  });

  it('that nobody gives in time executes nothing, and one that comes late changes nothing [R4-PEOPLE-TIMEOUT] [R4-PEOPLE-TWICE]', async () => {
    const { stage, sent, agent } = scene({ approval: { timeoutMs: 60_000 } });
    const life = stage.open(
      async (run) => {
        const made = await agent(run);
        await run.wait({ name: 'more' });
        return made;
      },
      { options: { worker: true, pollMs: 1e9 } },
    );
    const waits = new Promise<void>((resolve) => {
      life.runtime.subscribe((_run, entries) => {
        if (entries.some(({ event }) => event.type === 'wait-start' && event.name === 'more')) resolve();
      });
    });
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    const finished = handle.finished(); // whoever waits for the end keeps the worker looking
    await waits;
    await expect(
      answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'ann' }),
    ).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringContaining('ended at its deadline'),
    });
    await life.runtime.signal(RUN, 'more');
    expect(await finished).toMatchObject({
      stop: 'done',
      value: { ok: false, failure: { code: 'NO_ANSWER' } },
    });
    expect(sent).toEqual([]);
  });

  it('that comes twice is told who decided, and changes nothing [R4-PEOPLE-TWICE]', async () => {
    const { stage, sent, agent } = scene();
    const life = stage.open(async (run) => {
      const made = await agent(run);
      await run.wait({ name: 'more' });
      return made;
    });
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'ann' });
    await life.resume();
    await expect(
      answer(life.runtime, RUN, 'approve:#0', { verdict: 'reject', reason: 'too late' }, { from: 'bert' }),
    ).rejects.toMatchObject({ code: 'SIGNAL_UNEXPECTED', message: expect.stringMatching(/is decided since .*by ann/) });
    expect(sent).toHaveLength(1);
  });

  it('that is sent again under its id is a duplicate, however late [R4-PEOPLE-TWICE]', async () => {
    const { stage, agent } = scene();
    const life = stage.open(async (run) => {
      await agent(run);
      await run.wait({ name: 'more' });
      return done(null);
    });
    await life.start();
    const send = () => answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'ann', id: 'm1' });
    expect(await send()).toMatchObject({ delivery: 'delivered' });
    expect(await send()).toMatchObject({ delivery: 'duplicate' });
    await life.resume();
    expect(await send()).toMatchObject({ delivery: 'duplicate' });
  });

  it('is asked for with what the tool says about its call [R4-PEOPLE-INBOX]', async () => {
    const { stage, agent } = scene({
      review: ({ to }) => ({
        expectedEffect: `${to} gets a mail`,
        undo: 'cannot be called back',
        alternatives: ['write a draft'],
        risk: 'high',
        recommendation: 'modify',
      }),
    });
    expect(await stage.open(agent).start()).toMatchObject({
      waiting: [
        {
          request: {
            action: 'mail',
            expectedEffect: 'ada gets a mail',
            undo: 'cannot be called back',
            alternatives: ['write a draft'],
            risk: 'high',
            recommendation: 'modify',
          },
        },
      ],
    });
  });

  it('cannot be put under a token before its question is asked [R4-PEOPLE-SCOPES]', async () => {
    const { stage, sent, agent } = scene({ approval: { scopes: ['cfo'] } });
    const life = stage.open(async (run) => {
      await run.wait({ name: 'go' });
      return agent(run);
    });
    await life.start();
    const early = life.runtime.signal(RUN, `${RUN}:0:#1!gate`, { verdict: 'approve' }, { from: 'mallory' });
    await expect(early).rejects.toMatchObject({ code: 'SIGNAL_UNEXPECTED' });
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    expect(sent).toEqual([]);
  });

  it('that comes second before the run has woken is refused, not lost [R4-PEOPLE-TWICE] [R4-PEOPLE-TWO]', async () => {
    const { stage, sent, agent } = scene({ approval: { people: 2 } });
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' }, { from: 'ada' });
    const no = { verdict: 'reject', reason: 'too dear' };
    await expect(answer(life.runtime, RUN, 'approve:#0', no, { from: 'bob' })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringContaining('ada has already answered'),
    });
    await life.resume();
    await answer(life.runtime, RUN, 'approve:#0.2', no, { from: 'bob' });
    expect(await life.resume()).toMatchObject({ value: { ok: false, failure: { code: 'APPROVAL_REJECTED' } } });
    expect(sent).toEqual([]);
  });

  it('that changes what a call may cost has to fit the budget [R4-PEOPLE-MODIFY-REGATED]', async () => {
    const costs = { reserve: ({ to }: { readonly to: string }) => ({ filesChanged: to.length }) };
    const { stage, sent, agent } = scene(costs);
    const life = stage.open(agent);
    await life.start(null, { filesChanged: 5 });
    const value = { to: 'somebody far away' };
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'modify', value });
    expect(await life.resume()).toMatchObject({ value: { ok: false, failure: { code: 'BOUND_REACHED' } } });
    expect(sent).toEqual([]);
    const other = scene(costs);
    const second = other.stage.open(other.agent);
    await second.start(null, { filesChanged: 5 });
    await answer(second.runtime, RUN, 'approve:#0', { verdict: 'modify', value: { to: 'peter' } });
    await second.resume();
    await answer(second.runtime, RUN, 'approve:#0.2', { verdict: 'approve' });
    expect(await second.resume()).toMatchObject({ value: { ok: true }, usage: { filesChanged: 5 } });
  });
});
