import { done, type Outcome, type Run, systemClock } from 'flyball';
import { parsePolicy, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { governance } from '../../packages/flyball/src/tools/governance/index.js';
import { answer, moving, RUN } from '../runtime/stage.js';
import '@cfworker/json-schema'; // loaded now: with a clock that moves by itself, loading takes hours

const NOW = { now: Date.parse('2026-06-01') };

function policyWith(approval: unknown, effect = 'ask') {
  const rule = { id: 'big', effect, tools: ['pay'], because: 'money', approval };
  return parsePolicy({ version: '1', reviewedBy: 'ann', default: 'allow', rules: [rule] }, NOW);
}

describe('a policy that asks for people', () => {
  it('says how many, with which scopes and within what time [R4-PEOPLE-TWO] [R4-PEOPLE-SCOPES]', async () => {
    const paid: unknown[] = [];
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      effect: 'idempotent',
      execute: async (args) => paid.push(args),
    });
    const policy = policyWith({ people: 2, scopes: ['treasury'], withinMinutes: 60 });
    const seams = governance({ clock: systemClock(), tools: [pay], autonomy: 'autonomous', policy });
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.call(pay, {}));
    const stage = moving();
    const life = stage.open(agent, { seams });
    expect(await life.start()).toMatchObject({
      waiting: [{ kind: 'approval', request: { action: 'pay', people: 2 }, until: expect.any(Number) }],
    });
    const yes = { verdict: 'approve' };
    await expect(answer(life.runtime, RUN, 'approve:#0', yes, { from: 'eve' })).rejects.toMatchObject({
      code: 'DENIED',
    });
    await answer(life.runtime, RUN, 'approve:#0', yes, { from: 'ann', scopes: ['treasury'] });
    life.die(); // what the policy asked for is in the journal: the next life need not ask it
    const later = stage.open(agent, { seams });
    expect(await later.resume()).toMatchObject({ waiting: [{ name: 'approve:#0.2' }] });
    expect(paid).toEqual([]);
    await answer(later.runtime, RUN, 'approve:#0.2', yes, { from: 'bert', scopes: ['treasury'] });
    expect(await later.resume()).toMatchObject({ stop: 'done', value: { ok: true } });
    expect(paid).toHaveLength(1);
  });

  it('adds its scopes to those of the tool: whoever decides needs one of each [F-W7]', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      effect: 'idempotent',
      approval: { scopes: ['desk', 'head'] },
      execute: async () => 'paid',
    });
    const policy = policyWith({ scopes: ['treasury'] });
    const seams = governance({ clock: systemClock(), tools: [pay], autonomy: 'autonomous', policy });
    const life = moving().open(async (run: Run) => done(await run.call(pay, {})), { seams });
    await life.start();
    const yes = { verdict: 'approve' };
    for (const scopes of [['treasury'], ['desk', 'head']])
      await expect(answer(life.runtime, RUN, 'approve:#0', yes, { from: 'ann', scopes })).rejects.toMatchObject({
        code: 'DENIED',
      });
    await answer(life.runtime, RUN, 'approve:#0', yes, { from: 'ann', scopes: ['head', 'treasury'] });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { ok: true } });
  });

  it.each([
    [{ people: 0 }, 'a whole number from 1 to 5'],
    [{ people: 2.5 }, 'a whole number from 1 to 5'],
    [{ withinMinutes: -1 }, 'must be above 0'],
    [{ scopes: [] }, 'must be a text or a list of texts'],
    [{ scopes: [' '] }, 'Policy rule "big", approval: The scopes of an approval must be a list of strings'],
    [{ withinMinutes: 1e308 }, 'Policy rule "big", approval: The timeout of an approval'],
    [{ person: 1 }, 'unknown field "person"'],
  ])('is refused with %j', (approval, problem) => {
    expect(() => policyWith(approval)).toThrow(problem);
  });

  it('only asks in rules that ask', () => {
    expect(() => policyWith({ people: 2 }, 'deny')).toThrow('belongs to the effect ask');
  });
});
