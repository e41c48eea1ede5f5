import { done, type ToolCall } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { bankingGate } from '../../packages/evals/src/tau2/policies/banking-gate.js';
import type { Move } from '../../packages/flyball/src/agents/policies/conversation-policy.js';
import { declarative } from '../../packages/flyball/src/agents/policies/declarative.js';
import { gatedRun } from '../../packages/flyball/src/agents/policies/gated-run.js';
import { governed } from '../../packages/flyball/src/agents/policies/governed.js';
import { Witness } from '../../packages/flyball/src/agents/policies/witness.js';
import { ANN, BOB, gate, LOGGED, listing, STATED, smallBank } from './small-bank.js';
import { call, converse, inRun, offered, results, setting, words } from './stage-policies.js';

const SKILLS = [{ name: 'care', text: 'Verify first.' }];
const NAMES = smallBank().tools.map(({ name }) => name);
const calls = (...made: readonly ToolCall[]) => ({ toolCalls: made });
const change = () => call('change_user_email', { user_id: 'a1', new_email: 'x@y.z' });
const look = () => call('get_user_information_by_id', { user_id: 'a1' });
const log = () => call('log_verification', LOGGED);

function speakerFor(replies: Parameters<typeof scriptedModel>[0][string], maxRefusals?: number) {
  const model = scriptedModel({ agent: replies });
  const policy = governed({ skills: SKILLS, gate, ...(maxRefusals === undefined ? {} : { maxRefusals }) });
  return { model, speaker: policy(setting(model, smallBank().tools)) };
}

describe('governed', () => {
  it('asks as declarative asks: the same prompt, all tools, the same choice, in every turn [R5-TALK-GOV-GATE]', async () => {
    const requests = await Promise.all(
      [governed({ skills: SKILLS, gate }), declarative(SKILLS)].map(async (policy) => {
        const model = scriptedModel({ agent: [calls(look()), 'Your birthday?'] });
        await converse(policy(setting(model, smallBank().tools)), [
          words('hi'),
          (last) => results(last.calls, listing(ANN)),
        ]);
        return JSON.stringify(model.requests).replaceAll(/"c\d+"/g, '"c"');
      }),
    );
    expect(requests[0]).toBe(requests[1]);
  });

  it('refuses a write before the identity is proven, tells the model in the same turn, and passes nothing on [R5-TALK-GOV-GATE]', async () => {
    const proposed = change();
    const { model, speaker } = speakerFor([calls(proposed), 'Who are you?']);
    const [move] = await converse(speaker, [words('Change my email.')]);
    expect(move).toMatchObject({ text: 'Who are you?', calls: [] });
    expect(move?.inside).toEqual([
      {
        kind: 'refused',
        call: proposed,
        rule: 'verification',
        because: expect.stringContaining("nobody's identity is proven"),
      },
    ]);
    expect(model.requests[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: '', toolCalls: [proposed] },
      {
        role: 'tool',
        toolCallId: proposed.id,
        name: 'change_user_email',
        content: expect.stringMatching(/^Refused: /),
      },
    ]);
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([NAMES.length, NAMES.length]);
  });

  it('takes no field for stated that the customer only repeats after the agent [R5-TALK-GOV-GATE]', async () => {
    const replies = (text: string, ...first: readonly ToolCall[]) => [
      { text, toolCalls: first },
      ...(first.length === 0 ? [] : ['Who are you?']),
      calls(log()),
      'Sorry.',
    ];
    const leaking = speakerFor([calls(look()), ...replies(`Are you this one? ${listing(ANN)}`)]);
    const found = (last: Move) => results(last.calls, listing(ANN));
    const moves = await converse(leaking.speaker, [words('hi'), found, words(STATED)]);
    expect(moves.at(-1)?.inside).toMatchObject([{ kind: 'refused', rule: 'identity' }]);
    // what a model writes beside a call reaches nobody
    const muttering = speakerFor([calls(look()), ...replies(listing(ANN), look())]);
    const passed = await converse(muttering.speaker, [words('hi'), found, found, words(STATED)]);
    expect(passed.at(-1)?.calls.map(({ name }) => name)).toEqual(['log_verification']);
  });

  it('lets it pass once the journal holds lookup, statement and log [R5-TALK-GOV-GATE]', async () => {
    const { model, speaker } = speakerFor([calls(look()), calls(log()), calls(change()), 'Done.']);
    const moves = await converse(speaker, [
      words(STATED),
      (last) => results(last.calls, listing(ANN)),
      (last) => results(last.calls, 'Verification logged.'),
      (last) => results(last.calls, 'Email changed.'),
    ]);
    model.assertFinished();
    expect(moves.map(({ calls: [made] }) => made?.name)).toEqual([
      'get_user_information_by_id',
      'log_verification',
      'change_user_email',
      undefined,
    ]);
    expect(moves.flatMap(({ inside }) => inside)).toEqual([]);
  });

  it('does not believe log_verification: lies are neither logged nor acted on [R5-TALK-GOV-GATE]', async () => {
    const { speaker } = speakerFor([
      calls(log()),
      calls(call('log_verification', { ...LOGGED, ...BOB })),
      calls(change()),
      'Sorry.',
    ]);
    const [move] = await converse(speaker, [words('I am Ann.')]);
    expect(move?.calls).toEqual([]);
    expect(move?.inside.map((note) => note.kind === 'refused' && note.rule)).toEqual([
      'identity',
      'identity',
      'verification',
    ]);
  });

  it('holds a reply back whole when one of its calls is refused: a write beside the log that would allow it is too early [R5-TALK-GOV-GATE]', async () => {
    const both = [log(), change()];
    const { model, speaker } = speakerFor([calls(look()), calls(...both), calls(log()), 'Done.']);
    const moves = await converse(speaker, [
      words(STATED),
      (last) => results(last.calls, listing(ANN)),
      (last) => results(last.calls, 'logged'),
    ]);
    expect(moves[1]?.calls.map(({ name }) => name)).toEqual(['log_verification']);
    expect(moves[1]?.inside).toEqual([
      { kind: 'withheld', call: both[0] },
      expect.objectContaining({ kind: 'refused', call: both[1], rule: 'verification' }),
    ]);
    const answered =
      model.requests[2]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content) ?? [];
    expect(answered.slice(1)).toEqual([
      expect.stringMatching(/^Not called: another call/),
      expect.stringMatching(/^Refused: /),
    ]);
  });

  it('has to answer in words after three refusals, whatever the model sends then [R5-TALK-GOV-GATE]', async () => {
    const again = () => calls(change());
    const talks = speakerFor([again(), again(), again(), 'I need to know who you are.']);
    const [said] = await converse(talks.speaker, [words('hi')]);
    expect(said).toMatchObject({ text: 'I need to know who you are.', calls: [] });
    expect(talks.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'none']);
    const insists = speakerFor([again(), again(), again(), again(), 'Yes?']);
    const [dropped, next] = await converse(insists.speaker, [words('hi'), words('well?')]);
    expect(dropped?.calls).toEqual([]);
    expect(dropped?.text).toMatch(/not able to do that/);
    expect(next?.text).toBe('Yes?');
    expect(insists.model.requests.at(-1)?.messages.at(-2)).toEqual({ role: 'assistant', content: dropped?.text });
  });

  it('can be told how often, and all asks are paid for [R5-TALK-GOV-GATE]', async () => {
    const { model, speaker } = speakerFor([calls(change()), 'No.'], 1);
    const [move] = await converse(speaker, [words('hi')]);
    expect(model.requests).toHaveLength(2);
    expect(move?.usage.input).toBeGreaterThan(0);
    expect(() => governed({ skills: SKILLS, gate, maxRefusals: 0 })).toThrow(/at least 1/);
  });

  it('refuses a tool by a name that it was not offered [R5-TALK-GOV-GATE]', async () => {
    const { speaker } = speakerFor([calls(call('close_bank_account_7392', { account_id: '1' })), 'No.']);
    const [move] = await converse(speaker, [words('hi')]);
    expect(move?.inside).toMatchObject([{ kind: 'refused', rule: 'unknown-tool' }]);
  });

  it('knows from a history what was proven before [R5-TALK-GOV-GATE]', async () => {
    const { speaker } = speakerFor([calls(change())]);
    const [looked, logged] = [look(), log()];
    speaker.open([
      { by: 'other', heard: words(STATED) },
      { by: 'self', text: '', calls: [looked] },
      { by: 'other', heard: results([looked], listing(ANN)) },
      { by: 'self', text: '', calls: [logged] },
    ]);
    const [move] = await converse(speaker, [results([logged], 'logged')]);
    expect(move?.calls.map(({ name }) => name)).toEqual(['change_user_email']);
  });
});

describe('the gate around a run', () => {
  it('refuses whoever calls, and reads its evidence off the answers [R5-TALK-GOV-GATE]', async () => {
    const { tools, did } = smallBank();
    const named = (name: string) => tools.find((one) => one.name === name) ?? offered('none');
    const seen = await inRun(async (run) => {
      const witness = new Witness(bankingGate);
      const guarded = gatedRun(run, bankingGate, witness);
      const args = { user_id: 'a1', new_email: 'x' };
      const first = await guarded.call(named('change_user_email'), args);
      const lie = await guarded.call(named('log_verification'), LOGGED);
      witness.says(STATED);
      await guarded.scope('inner').call(named('get_user_information_by_id'), { user_id: 'a1' });
      await guarded.call(named('log_verification'), LOGGED);
      const hidden = await guarded.call(named('change_user_email'), { $pairs: [['user_id', 'b2']] });
      const child = await guarded.spawn(
        async (inside) => done((await inside.call(named('change_user_email'), { user_id: 'b2' })).ok),
        null,
        { toolCalls: 5 },
      );
      const [inBranch] = await guarded.all(
        [(branch) => branch.call(named('change_user_email'), { user_id: 'b2', new_email: 'x' })],
        1,
      );
      const last = await guarded.call(named('change_user_email'), args);
      return { first, lie, hidden, child, inBranch, last };
    });
    expect(seen.first).toMatchObject({
      ok: false,
      failure: { code: 'DENIED', message: expect.stringContaining("nobody's identity") },
    });
    expect(seen.lie).toMatchObject({ ok: false, failure: { code: 'DENIED' } });
    expect(seen.hidden).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('not a plain object') },
    });
    expect(seen.child).toMatchObject({ stop: 'done', value: false });
    expect(seen.inBranch).toMatchObject({ ok: true, value: { ok: false } });
    expect(seen.last.ok).toBe(true);
    expect(did.map(({ tool }) => tool)).toEqual([
      'get_user_information_by_id',
      'log_verification',
      'change_user_email',
    ]);
  });

  it('looks through a tool that stands for others, where it is told how [R5-TALK-GOV-GATE]', async () => {
    const world = offered('world', () => 'ok');
    const result = await inRun(async (run) => {
      const callOf = (_tool: unknown, args: unknown) => args as { tool: string; args: unknown };
      const guarded = gatedRun(run, bankingGate, new Witness(bankingGate), callOf);
      const read = await guarded.call(world, { tool: 'KB_search', args: { query: 'x' } });
      const write = await guarded.call(world, { tool: 'change_user_email', args: { user_id: 'a1' } });
      return [read.ok, write.ok];
    });
    expect(result).toEqual([true, false]);
  });
});
