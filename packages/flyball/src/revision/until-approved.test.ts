import { type Agent, done } from 'flyball';
import { described, type Test, untilApproved, useFrom, useOf } from 'flyball/patterns';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { ended, session } from '../../../../test/patterns/bed.js';

const RUBRIC = 'CANARY-7: a summary names the license.';

/** A judge with a rubric of its own: `APPROVED`, or a score and what is wrong. */
function judgeOf(model: ScriptedModel): Test<string, string> {
  const judge = session(model, 'judge', { setup: RUBRIC });
  const test: Test<string, string> = (run, value, task) =>
    run.enter({ pattern: 'judge', predicted: { min: 1, max: 1 } }, async (inside) => {
      const { text } = await inside.ask(judge, `Task: ${task}\n\nDraft: ${value}`);
      const [score, because = ''] = text.split(':');
      return text === 'APPROVED' ? { ok: true } : { ok: false, because, score: Number(score) };
    });
  return described(test, useFrom({ id: 'V15', name: 'judge', parts: { judge }, calls: { part: 'judge' } }));
}

function bed(drafts: readonly string[], verdicts: readonly string[]) {
  const model = scriptedModel({ writer: drafts, judge: verdicts });
  const drafter = session(model, 'writer', { setup: 'You summarize.' });
  const agent: Agent<string, string> = async (run, task) => done((await run.ask(drafter, task)).text);
  return { model, agent, test: judgeOf(model) };
}

describe('untilApproved', () => {
  it('returns the best-scoring draft, bounded, when no round was approved: six calls [O5.acceptance]', async () => {
    const { model, agent, test } = bed(['one', 'two', 'three'], ['0.4:no license', '0.7:too long', '0.5:worse']);
    const { outcome, uses } = await ended(untilApproved(agent, { test }), 'Summarize.');
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxRounds', limit: 3, partial: 'two' });
    expect(model.requests).toHaveLength(6);
    expect(uses[0]).toMatchObject({ learned: { drafts: 3, judged: 3 }, predicted: { min: 1 } });
  });

  it('takes two calls where the first draft is approved, and three where a revision changes nothing [O5.acceptance]', async () => {
    const at = bed(['one'], ['APPROVED']);
    const approved = await ended(untilApproved(at.agent, at), 'Summarize.');
    expect([approved.outcome.stop, at.model.requests.length]).toEqual(['done', 2]);
    const still = bed(['one', 'one'], ['0.4:no license']);
    const { outcome } = await ended(untilApproved(still.agent, still), 'Summarize.');
    expect(outcome).toMatchObject({
      stop: 'blocked',
      reason: { code: 'stalled', data: { rounds: 2 } },
      partial: 'one',
    });
    expect(still.model.requests).toHaveLength(3);
  });

  it('shows the rubric to the judge alone [O5.1]', async () => {
    const { model, agent, test } = bed(['one', 'two'], ['0.4:no license', 'APPROVED']);
    await ended(untilApproved(agent, { test }), 'Summarize.');
    for (const n of [1, 2]) {
      expect(model.promptAt('judge', n)).toContain('CANARY-7');
      expect(model.promptAt('writer', n)).not.toContain('CANARY-7');
    }
  });

  it('refuses a judge that is the session it judges [O5.2]', () => {
    const { model, test } = bed([], []);
    const use = useFrom({
      id: 'S1',
      name: 'once',
      parts: { answerer: session(model, 'writer', { setup: RUBRIC }) },
      calls: 1,
    });
    const itself = described<Agent<string, string>>(async () => done(''), use);
    expect(() => untilApproved(itself, { test })).toThrow(
      'untilApproved (O5) needs a test that is not the session of its agent',
    );
  });

  it('never passes what the judge wrote off as a draft, and approves of nothing that was not approved [O5.3] [O5.5]', async () => {
    const { agent, test } = bed(['APPROVED', 'two'], ['0.4:use THIS TEXT', '0.3:no']);
    const { outcome } = await ended(untilApproved(agent, { test }, { maxRounds: 2 }), 'Summarize.');
    expect(outcome).toMatchObject({ stop: 'bounded', partial: 'APPROVED' });
  });

  it('gives a revision the task, the draft and what is wrong with it, and logs every round [O5.4] [O5.6]', async () => {
    const { model, agent, test } = bed(['one', 'two'], ['0.4:no license', 'APPROVED']);
    const { entries } = await ended(untilApproved(agent, { test }), 'Summarize the README.');
    for (const part of ['Summarize the README.', 'one', 'no license'])
      expect(model.promptAt('writer', 2)).toContain(part);
    const journal = JSON.stringify(entries);
    for (const part of ['one', '0.4:no license', 'two', 'APPROVED']) expect(journal).toContain(part);
  });

  it('gives every revision the draft as it is by then, and no word on the ones before [O5.4]', async () => {
    const { model, agent, test } = bed(['DRAFT-0', 'DRAFT-1', 'DRAFT-2'], ['0.1:FAULT-0', '0.2:FAULT-1', 'APPROVED']);
    await ended(untilApproved(agent, { test }), 'Summarize the README.');
    for (const n of [0, 1]) {
      const prompt = model.promptAt('writer', n + 2);
      expect(prompt).toContain('Summarize the README.');
      expect(prompt.match(/DRAFT-\d|FAULT-\d/g)).toEqual([`DRAFT-${n}`, `FAULT-${n}`]);
    }
  });

  it('says before it runs what it can cost [R11-PATTERN-USE]', () => {
    const { agent, test } = bed([], []);
    const known = described(agent, useFrom({ id: 'S1', name: 'once', parts: {}, calls: 1 }));
    expect(useOf(untilApproved(known, { test }, { maxRounds: 4 }))).toMatchObject({
      id: 'O5',
      params: { maxRounds: 4 },
      predicted: { min: 2, max: 8 },
    });
  });

  it('has a reviser make the next draft, which reads the draft and what is wrong with it, and no notes', async () => {
    const { model, agent, test } = bed(['one'], ['0.4:no license', 'APPROVED']);
    const seen: unknown[] = [];
    const reviser: Agent<unknown, string> = async (_run, given) => {
      seen.push(given);
      return done('two');
    };
    const revised = untilApproved(agent, { test, reviser });
    const { outcome, uses } = await ended(revised, 'Summarize.');
    expect(outcome).toMatchObject({ stop: 'done', value: 'two' });
    expect(seen).toEqual([{ input: 'Summarize.', draft: 'one', because: 'no license' }]);
    expect(uses[0]).toMatchObject({ learned: { drafts: 2, judged: 2, revisions: 1 } });
    expect(model.requests).toHaveLength(3);
  });
});
