import { budget, done, type Run, type Seams, type StandardSchema, type Tool } from 'flyball';
import { provenanceOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/json-schema-check.js';
import { answer, moving, RUN, still } from './stage.js';

const yesOrNo: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (typeof value === 'boolean' ? { value } : { issues: [{ message: 'yes or no' }] }),
  },
};

function confirm(
  more: { readonly timeoutMs?: number; readonly scopes?: readonly string[] } = {},
): Tool<{ readonly what: string }, boolean> {
  return {
    name: 'confirm',
    description: 'Asks a person.',
    effect: 'pure',
    asks: ({ what }) => ({
      widget: 'confirm',
      prompt: what,
      answer: yesOrNo,
      answerJsonSchema: { type: 'boolean' },
      ...more,
    }),
    execute: async () => {
      throw new Error('a question is never executed');
    },
  };
}

describe('a tool that asks a person', () => {
  it('suspends the run; the answer is its result, and nothing is executed [R4-PEOPLE-SUSPENDS] [R4-PEOPLE-ANSWER-IS-RESULT]', async () => {
    const stage = moving();
    const agent = async (run: Run) => done(await run.call(confirm(), { what: 'Really?' }));
    const life = stage.open(agent);
    expect(await life.start()).toMatchObject({
      stop: 'suspended',
      waiting: [
        { kind: 'question', name: 'answer:#0', request: { tool: 'confirm', widget: 'confirm', prompt: 'Really?' } },
      ],
    });
    life.die();
    const later = stage.open(agent);
    await answer(later.runtime, RUN, 'answer:#0', true, { from: 'ann' });
    expect(await later.resume()).toMatchObject({ stop: 'done', value: { ok: true, value: true, content: 'true' } });
    const effects = provenanceOf(RUN, await stage.entries()).effects;
    expect(effects).toMatchObject([
      { id: '#0', standIn: 'person' },
      { id: '#0!ask', from: 'ann' },
    ]);
  });

  it('refuses an answer that does not fit, at once and at the inbox, and the question stands [R4-PEOPLE-ANSWER-CHECKED]', async () => {
    const stage = moving();
    const agent = async (run: Run) => done(await run.call(confirm(), { what: 'Really?' }));
    const life = stage.open(agent, { checkJson: jsonSchemaCheck() });
    await life.start();
    await expect(answer(life.runtime, RUN, 'answer:#0', 'maybe')).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
    life.die();
    const unchecked = stage.open(agent);
    await answer(unchecked.runtime, RUN, 'answer:#0', 'maybe');
    expect(await unchecked.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'answer:#0' }] });
    expect(await stage.events('signal-refused')).toMatchObject([{ why: expect.stringContaining('yes or no') }]);
    await answer(unchecked.runtime, RUN, 'answer:#0', false);
    expect(await unchecked.resume()).toMatchObject({ value: { ok: true, value: false } });
  });

  it('asks the same thing once: the recorded answer is given again, other arguments ask anew [R4-PEOPLE-ASKED-ONCE]', async () => {
    const stage = moving();
    const agent = async (run: Run) => {
      const answers = [];
      for (const what of ['a', 'a', 'b']) answers.push((await run.call(confirm(), { what })).content);
      return done(answers);
    };
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'answer:#0', true);
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'answer:#2' }] });
    life.die();
    const later = stage.open(agent);
    await answer(later.runtime, RUN, 'answer:#2', false);
    expect(await later.resume()).toMatchObject({ stop: 'done', value: ['true', 'true', 'false'] });
    expect(await stage.events('wait-start')).toHaveLength(2);
  });

  it('is not judged again by guards once it was asked: an answer counts [R4-PEOPLE-ANSWER-IS-RESULT]', async () => {
    const stage = moving();
    let judged = 0;
    const once: Seams = {
      'tool.pre': [(next) => async (value, ctx) => (judged++ > 0 ? { allow: false, why: 'once' } : next(value, ctx))],
    };
    const agent = async (run: Run) => done(await run.call(confirm(), { what: 'Really?' }));
    const life = stage.open(agent, { seams: once });
    await life.start();
    await answer(life.runtime, RUN, 'answer:#0', true);
    life.die();
    expect(await stage.open(agent, { seams: once }).resume()).toMatchObject({ value: { ok: true, value: true } });
  });

  it('keeps two identical questions side by side apart, also over a resume [R4-PEOPLE-ASKED-ONCE]', async () => {
    const stage = moving();
    const agent = async (run: Run) => {
      const ask = (on: Run) => on.call(confirm(), { what: 'Q?' });
      const both = await run.all([ask, ask], 2);
      return done(both.map((each) => (each.ok ? each.value.content : 'none')));
    };
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'answer:/all.0.0#0', true);
    await life.resume();
    life.die();
    const later = stage.open(agent);
    await answer(later.runtime, RUN, 'answer:/all.0.1#0', false);
    expect(await later.resume()).toMatchObject({ stop: 'done', value: ['true', 'false'] });
  });

  it('puts the question that a person changed at its gate [R4-PEOPLE-MODIFY-REGATED]', async () => {
    const stage = moving();
    const gated: Seams = {
      'tool.pre': [(next) => async (value, ctx) => ({ ...(await next(value, ctx)), approval: 'look first' }) as never],
    };
    const life = stage.open(async (run: Run) => done(await run.call(confirm(), { what: 'Original?' })), {
      seams: gated,
    });
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'modify', value: { what: 'Changed?' } });
    await life.resume();
    await answer(life.runtime, RUN, 'approve:#0.2', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ waiting: [{ kind: 'question', request: { prompt: 'Changed?' } }] });
  });

  it('fails when nobody answers in time [R4-PEOPLE-DEADLINE]', async () => {
    const stage = moving();
    const life = stage.open(
      async (run: Run) => done(await run.call(confirm({ timeoutMs: 1000 }), { what: 'Really?' })),
      { options: { worker: true, pollMs: 1e9 } },
    );
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.finished()).toMatchObject({ value: { ok: false, failure: { code: 'NO_ANSWER' } } });
  });

  it('takes no answer after its time, also when nobody worked on the run meanwhile [R4-PEOPLE-TWICE] [R4-PEOPLE-DEADLINE]', async () => {
    const stage = still();
    const agent = async (run: Run) => done(await run.call(confirm({ timeoutMs: 1000 }), { what: 'Really?' }));
    const life = stage.open(agent);
    const started = life.start();
    await stage.clock.advance(500);
    expect(await started).toMatchObject({ stop: 'suspended' });
    life.die();
    await stage.clock.advance(1000);
    const later = stage.open(agent);
    await expect(answer(later.runtime, RUN, 'answer:#0', true)).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringContaining('ended at its deadline'),
    });
  });

  it('hears only people with its scope [R4-PEOPLE-SCOPES]', async () => {
    const life = moving().open(async (run) => done(await run.call(confirm({ scopes: ['pay'] }), { what: 'Pay?' })));
    await life.start();
    await expect(answer(life.runtime, RUN, 'answer:#0', true, { from: 'eve', scopes: ['look'] })).rejects.toMatchObject(
      {
        code: 'DENIED',
        message: expect.stringContaining('The question stays open'),
      },
    );
    expect(await life.resume()).toMatchObject({ stop: 'suspended' });
    await answer(life.runtime, RUN, 'answer:#0', true, { from: 'ann', scopes: ['*'] });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
  });

  it('is refused when it claims to change something', async () => {
    const life = moving().open(async (run) =>
      done(await run.call({ ...confirm(), effect: 'idempotent' }, { what: 'x' })),
    );
    expect(await life.start()).toMatchObject({ stop: 'failed', because: expect.stringContaining('must be pure') });
  });
});

describe('calls that were made', () => {
  const look: Tool<{ readonly at: string }, string> = {
    name: 'look',
    description: 'Looks.',
    effect: 'pure',
    execute: async ({ at }) => {
      if (at === 'void') throw new Error('nothing there');
      return at;
    },
  };

  it('are read off the journal by scope, those before a suspension too; a child keeps its own [R4-PLAN-JOURNAL-CHECK] [R4-PLAN-SUSPENSION-COUNTS]', async () => {
    const stage = moving();
    const agent = async (run: Run) => {
      const step = run.scope('step');
      await step.call(look, { at: 'a' });
      await step.call(look, { at: 'void' });
      await run.wait({ name: 'go' });
      await run.scope('other').call(look, { at: 'b' });
      await run.spawn(
        async (child) => {
          await child.call(look, { at: 'c' });
          return done(child.calls());
        },
        null,
        {},
      );
      return done({ step: step.calls(), all: run.calls().length });
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const later = stage.open(agent);
    await later.runtime.signal(RUN, 'go');
    expect(await later.resume()).toMatchObject({
      value: {
        step: [
          { effect: '/step#0', tool: 'look', ok: true },
          { effect: '/step#1', tool: 'look', ok: false, code: 'EFFECT_FAILED' },
        ],
        all: 3,
      },
    });
  });
});

describe('a redirection', () => {
  it('reaches the code in journal order, and the same after a crash [R4-PEOPLE-REDIRECT]', async () => {
    const stage = moving();
    const agent = async (run: Run) => {
      const before = run.instructions().length;
      await run.wait({ name: 'go' });
      return done([before, run.instructions()]);
    };
    const life = stage.open(agent);
    await life.start();
    await life.runtime.redirect(RUN, 'be brief', { by: 'ann' });
    await life.runtime.signal(RUN, 'go');
    life.die();
    const later = stage.open(agent);
    expect(await later.resume()).toMatchObject({ value: [0, [{ by: 'ann', text: 'be brief' }]] });
    expect(await stage.events('redirect')).toHaveLength(1);
    await expect(later.runtime.redirect(RUN, 'too late')).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
    await expect(later.runtime.redirect(RUN, ' ')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('stands in the generations that follow [R4-PEOPLE-REDIRECT]', async () => {
    const stage = moving();
    const agent = async (run: Run, input: unknown) => {
      if (input === 'second') return done(run.instructions());
      await run.wait({ name: 'go' });
      return run.continueWith('second');
    };
    const life = stage.open(agent);
    await life.start();
    await life.runtime.redirect(RUN, 'be brief', { by: 'ann' });
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: [{ by: 'ann', text: 'be brief' }] });
  });

  it('that a paused run was told is heard before its next safe point ends [R4-PEOPLE-REDIRECT]', async () => {
    const stage = moving();
    const agent = async (run: Run) => {
      await run.step('one', null, () => 1, 'pure');
      await run.step('safe-point', null, () => null, 'pure');
      return done(run.instructions().map(({ text }) => text));
    };
    const life = stage.open(agent, { crash: ({ entries }) => entries?.includes('complete') === true });
    await Promise.race([life.start().catch(() => undefined), life.crashed]);
    life.die();
    const later = stage.open(agent);
    const published: string[] = [];
    later.runtime.subscribe((_run, entries) => void published.push(...entries.map(({ event }) => event.type)));
    await later.runtime.redirect(RUN, 'other way');
    expect(await later.resume()).toMatchObject({ value: ['other way'] });
    expect(published).toContain('redirect'); // also what was decided while nobody ran it
  });

  it('is heard by a waiting run however long it is, and so is a long reason to cancel [R8-CLIENTS-LONG-CONTROL]', async () => {
    const long = 'Be brief. '.repeat(1_000);
    const stage = moving();
    const agent = async (run: Run) => {
      await run.wait({ name: 'go' });
      return done(run.instructions().map(({ text }) => text));
    };
    const life = stage.open(agent);
    await life.start();
    await life.runtime.redirect(RUN, long, { by: 'ann' });
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: [long] });
    const other = moving();
    const waiting = other.open(agent);
    await waiting.start();
    await waiting.runtime.cancel(RUN, { why: long });
    expect(await waiting.resume()).toMatchObject({ stop: 'cancelled', because: long });
  });
});
