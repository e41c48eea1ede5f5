import { type Clock, done, type Outcome, type Run, type Seams } from 'flyball';
import { describe, expect, it } from 'vitest';
import { type GovernanceOptions, governance } from '../../packages/flyball/src/tools/governance/index.js';
import { answer, at, moving, RUN, type Stage } from '../runtime/stage.js';
import { toolOf, undoable } from './context.js';

/** Governance that counts how often it is asked. */
function counting(stage: Stage<Clock>, options: Partial<GovernanceOptions> = {}) {
  const asked: string[] = [];
  const seams: Seams = governance({
    clock: stage.clock,
    autonomy: 'autonomous',
    ...options,
    scopesOf: (ctx) => {
      asked.push(ctx.at);
      return options.scopesOf?.(ctx) ?? ['tools:execute'];
    },
  });
  return { asked, seams };
}

const read = toolOf({ name: 'read' });
const write = toolOf({ name: 'write', effect: undoable });
const secret = toolOf({ name: 'secret', scopes: ['secrets'] });

describe('after a crash', () => {
  it('what guards decided is answered from the journal, whatever they would say now [R3-GOV-JOURNAL] [V7.acceptance]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const results = [await run.call(read, {}), await run.call(secret, {}), await run.call(write, {})].map(
        ({ ok }) => ok,
      );
      await run.wait({ name: 'go' });
      return done([...results, (await run.call(read, {})).ok]);
    };
    const first = counting(stage, { scopesOf: () => ['tools:read', 'tools:write'] });
    const life = stage.open(agent, { seams: first.seams });
    expect(await life.start()).toMatchObject({ stop: 'suspended' });
    life.die();
    const before = (await stage.events('guard-decision')).length;

    const second = counting(stage, { autonomy: 'read-only', scopesOf: () => ['secrets', 'tools:read'] });
    const resumed = stage.open(agent, { seams: second.seams });
    await resumed.runtime.signal(RUN, 'go');
    expect(await resumed.resume()).toMatchObject({ value: [true, false, true, true] });
    expect(first.asked).toEqual(['#0', '#1', '#2']);
    expect(second.asked).toEqual(['#4']);
    expect((await stage.events('guard-decision')).length).toBe(before);
  });

  it('a call that guards let through is not judged again before it is repeated [R3-GOV-JOURNAL]', async () => {
    const stage = moving();
    const executed: unknown[] = [];
    const put = toolOf({ name: 'put', effect: 'idempotent', execute: async () => executed.push(1) });
    const agent = async (run: Run): Promise<Outcome<unknown>> => done((await run.call(put, {})).ok);
    const first = counting(stage);
    await stage.crashed(agent, at('after', 'intent'), { seams: first.seams });
    const second = counting(stage, { autonomy: 'read-only', scopesOf: () => [] });
    expect(await stage.open(agent, { seams: second.seams }).resume()).toMatchObject({ value: true });
    expect(second.asked).toEqual([]);
    expect(executed.length).toBeGreaterThanOrEqual(1);
  });

  it('a call that waits for a person is not judged again when the person agrees [R3-GOV-JOURNAL]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => done((await run.call(write, {})).ok);
    const first = counting(stage, { autonomy: 'supervised' });
    const life = stage.open(agent, { seams: first.seams });
    expect(await life.start()).toMatchObject({ stop: 'suspended' });
    life.die();
    const second = counting(stage, { autonomy: 'read-only', scopesOf: () => [] });
    const resumed = stage.open(agent, { seams: second.seams });
    await answer(resumed.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    expect(await resumed.resume()).toMatchObject({ stop: 'done', value: true });
    expect(second.asked).toEqual([]);
  });
});

describe('the trifecta of a run', () => {
  const inbox = toolOf({ name: 'inbox', legs: ['private-data', 'untrusted-content'] });
  const page = toolOf({ name: 'page', effect: 'idempotent', legs: ['untrusted-content'] });
  const post = toolOf({ name: 'post', effect: 'idempotent', legs: ['outbound'] });
  const agent = async (run: Run): Promise<Outcome<unknown>> => {
    await run.call(inbox, {});
    await run.call(page, {});
    return done((await run.call(post, {})).content);
  };

  it.each([
    ['before', 'intent', 1],
    ['after', 'intent', 1],
    ['before', 'intent', 2],
  ] as const)(
    'survives a crash %s %s %i: the call that completes it is escalated [R3-GOV-TRIFECTA] [R3-GOV-JOURNAL]',
    async (when, type, nth) => {
      const stage = moving();
      const tools = [inbox, page, post];
      await stage.crashed(agent, at(when, type, nth), {
        seams: governance({ clock: stage.clock, tools, trifecta: 'off' }),
      });
      const life = stage.open(agent, { seams: governance({ clock: stage.clock, tools }) });
      expect(await life.resume()).toMatchObject({
        stop: 'suspended',
        waiting: [{ name: 'approve:#2', request: { why: expect.stringContaining('a way out') } }],
      });
      expect(await stage.events('guard-decision')).toMatchObject([
        { id: '#2', guard: 'trifecta', verdict: 'escalated' },
      ]);
      await answer(life.runtime, RUN, 'approve:#2', { verdict: 'approve' });
      expect(await life.resume()).toMatchObject({ stop: 'done', value: 'post was executed' });
    },
  );

  it('is refused where that is chosen, and the run goes on [R3-GOV-TRIFECTA]', async () => {
    const stage = moving();
    const seams = governance({ clock: stage.clock, tools: [inbox, page, post], trifecta: 'deny' });
    expect(await stage.open(agent, { seams }).start()).toMatchObject({
      stop: 'done',
      value: expect.stringContaining('That is not permitted'),
    });
  });

  it('counts what children did, and what they want to do [R3-GOV-TRIFECTA]', async () => {
    const stage = moving();
    const parent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.spawn(async (child) => done((await child.call(inbox, {})).ok), null, { share: 0.4 });
      return run.spawn(async (child) => done((await child.call(post, {})).content), null, { share: 0.4 });
    };
    const seams = governance({ clock: stage.clock, tools: [inbox, post], trifecta: 'deny' });
    expect(await stage.open(parent, { seams }).start()).toMatchObject({
      value: expect.stringContaining('not permitted'),
    });
  });
});
