import type { ToolCall } from 'flyball';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { POLICY_DOMAINS } from '../../packages/evals/src/policies/policy-domains.js';
import { bankingMachine } from '../../packages/evals/src/tau2/policies/banking-machine.js';
import type { HeardTurn, Move } from '../../packages/flyball/src/agents/policies/conversation-policy.js';
import { imperative } from '../../packages/flyball/src/agents/policies/imperative.js';
import { type Machine, PHASES } from '../../packages/flyball/src/agents/policies/machine.js';
import { call, converse, offered, results, setting, words } from './stage-policies.js';

const NAMES = [
  'KB_search',
  'transfer_to_human_agents',
  'get_current_time',
  'get_user_information_by_id',
  'change_user_email',
  'log_verification',
  'unlock_discoverable_agent_tool',
  'call_discoverable_agent_tool',
];
const TOOLS = NAMES.map((name) => offered(name));
const FOUND = "Found 1 record(s) in 'users':\n\n1. Record ID: u1\n   user_id: u1\n";

type Turn = HeardTurn | ((last: Move) => HeardTurn);
type Replies = Extract<Script[string], readonly unknown[]>;
const calls = (...made: readonly ToolCall[]) => ({ toolCalls: made });
const answers = (content: string) => (last: Move) => results(last.calls, content);

async function play(replies: Replies, turns: readonly Turn[], machine: Machine = bankingMachine) {
  const model = scriptedModel({ agent: replies });
  const speaker = imperative(machine)(setting(model, TOOLS));
  const moves = await converse(speaker, turns);
  model.assertFinished();
  const phases = moves.map(({ inside }) => inside.flatMap((note) => (note.kind === 'phase' ? [note.to] : []))[0]);
  return { model, speaker, moves, phases };
}

/** From the first words to verified, in three turns. */
const VERIFIED: { readonly replies: Replies; readonly turns: readonly Turn[] } = {
  replies: [calls(call('get_user_information_by_id')), calls(call('log_verification'))],
  turns: [words('I want two things.'), answers(FOUND), answers('Verification logged.')],
};
const PLAN = 'TASKS:\n1. Close the account\n2. Transfer the money\nEND_TASKS\nI start.';

describe('the phases of imperative', () => {
  it('are nine, and a conversation walks through them as code decides [R5-TALK-IMP-PHASES]', async () => {
    expect(Object.keys(bankingMachine.phases)).toEqual([...PHASES]);
    const work = () => call('call_discoverable_agent_tool', { agent_tool_name: 'x' });
    const { speaker, phases } = await play(
      [...VERIFIED.replies, PLAN, calls(work()), calls(work()), 'Both are done.', 'Good bye.'],
      [...VERIFIED.turns, words('ok'), answers('done'), answers('done'), words('no, thanks')],
    );
    expect(phases).toEqual(['TRIAGE', 'VERIFICATION', 'PLANNING', 'EXECUTION', undefined, 'CONFIRMATION', 'COMPLETE']);
    expect(speaker.state).toEqual({
      userIdentified: true,
      verified: true,
      pendingTasks: [],
      completedTasks: ['Transfer the money', 'Close the account'],
      toolRetryCounts: { call_discoverable_agent_tool: 0, log_verification: 0 },
      expectViolationCount: 0,
    });
  });

  it('branch to ADVISORY when documents answer somebody whom nobody looked up, and back when somebody does [R5-TALK-IMP-PHASES]', async () => {
    const { phases } = await play(
      [calls(call('KB_search')), 'It costs nothing.', calls(call('get_user_information_by_id')), 'Your birthday?'],
      [words('fees?'), answers('1. Fees'), words('and mine?'), answers(FOUND)],
    );
    expect(phases).toEqual(['TRIAGE', 'ADVISORY', undefined, 'VERIFICATION']);
  });

  it('are not left because a lookup found nobody, or because the model says that it did [R5-TALK-IMP-STATE]', async () => {
    const { speaker, phases } = await play(
      [calls(call('get_user_information_by_id')), 'I have verified you.', 'Really.'],
      [words('hi'), answers("No records found in 'users'."), words('and now?')],
    );
    expect(phases).toEqual(['TRIAGE', undefined, undefined]);
    expect(speaker.state).toMatchObject({ userIdentified: false, verified: false });
  });

  it('take their flags from results before the phase is determined: the same turn is in the next phase [R5-TALK-IMP-STATE]', async () => {
    const { model, phases } = await play([...VERIFIED.replies, PLAN], VERIFIED.turns);
    expect(phases[1]).toBe('VERIFICATION');
    expect(model.promptAt('agent', 2)).toContain('<phase name="VERIFICATION">');
    expect(model.promptAt('agent', 3)).toContain('<phase name="PLANNING">');
  });

  it('are had back from a history [R5-TALK-IMP-STATE]', async () => {
    const model = scriptedModel({ agent: [PLAN] });
    const speaker = imperative(bankingMachine)(setting(model, TOOLS));
    const [look, log] = [call('get_user_information_by_id'), call('log_verification')];
    speaker.open([
      { by: 'self', text: 'Hi!', calls: [] },
      { by: 'other', heard: words('I want two things.') },
      { by: 'self', text: '', calls: [look] },
      { by: 'other', heard: results([look], FOUND) },
      { by: 'self', text: '', calls: [log] },
    ]);
    await converse(speaker, [results([log], 'logged')]);
    expect(speaker.phase).toBe('PLANNING');
    expect(speaker.state.pendingTasks).toEqual(['Transfer the money', 'Close the account']);
  });
});

describe('the queue of imperative', () => {
  it('is read from a TASKS block, ordered, shown, and worked off before the phase is left [R5-TALK-IMP-QUEUE]', async () => {
    const work = () => call('call_discoverable_agent_tool', { agent_tool_name: 'x' });
    const { model, moves, phases } = await play(
      [...VERIFIED.replies, PLAN, calls(work()), 'Which account?', calls(work()), 'All done.'],
      [...VERIFIED.turns, words('ok'), answers('done'), words('that one'), answers('done')],
    );
    expect(moves[2]?.text).toBe('I start.');
    expect(moves[2]?.inside).toContainEqual({
      kind: 'tasks',
      ordered: ['Transfer the money', 'Close the account'],
      cyclic: [],
    });
    expect(model.promptAt('agent', 4)).toContain(
      '<task_queue>\nPending: 1. Transfer the money, 2. Close the account\nCompleted: none\n</task_queue>',
    );
    expect(model.promptAt('agent', 6)).toContain('Pending: 1. Close the account\nCompleted: Transfer the money\n');
    expect(phases.slice(3)).toEqual(['EXECUTION', undefined, undefined, 'CONFIRMATION']);
  });

  it('does not move on a call that failed [R5-TALK-IMP-QUEUE]', async () => {
    const work = () => call('call_discoverable_agent_tool', { agent_tool_name: 'x' });
    const { speaker } = await play(
      [...VERIFIED.replies, PLAN, calls(work()), 'It did not work.'],
      [...VERIFIED.turns, words('ok'), answers('Error: no such account')],
    );
    expect(speaker.state.pendingTasks).toHaveLength(2);
    expect(speaker.phase).toBe('EXECUTION');
  });

  it('tells the customer the list where the block is all there is, and is one task where there is no block [R5-TALK-IMP-QUEUE]', async () => {
    const bare = await play([...VERIFIED.replies, 'TASKS:\n1. A letter\nEND_TASKS'], VERIFIED.turns);
    expect(bare.moves.at(-1)?.text).toBe('I will take care of the following: A letter.');
    const none = await play(
      [...VERIFIED.replies, 'Fine.', 'Fine again.', 'Working.'],
      [...VERIFIED.turns, words('and?'), words('and??')],
    );
    expect(none.speaker.phase).toBe('EXECUTION');
    expect(none.speaker.state.pendingTasks).toEqual([bankingMachine.wholeTask]);
  });
});

describe('the gates of imperative', () => {
  it('EXECUTION asks again whether anybody is verified, and goes back without [R5-TALK-IMP-GATE]', async () => {
    const misled: Machine = {
      ...bankingMachine,
      phases: {
        ...bankingMachine.phases,
        TRIAGE: {
          ...bankingMachine.phases['TRIAGE'],
          next: [{ when: 'identified', to: 'EXECUTION' }],
        } as Machine['phases'][string],
      },
    };
    const { phases } = await play(
      [calls(call('get_user_information_by_id')), 'What shall I do?', 'Your birthday?'],
      [words('hi'), answers(FOUND), words('close it')],
      misled,
    );
    expect(phases).toEqual(['TRIAGE', 'EXECUTION', 'VERIFICATION']);
  });

  it('a call to a tool that the phase does not offer is passed on all the same [R5-TALK-IMP-OFFER]', async () => {
    const { model, moves } = await play([calls(call('change_user_email'))], [words('hi')]);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'KB_search',
      'transfer_to_human_agents',
      'get_user_information_by_id',
    ]);
    expect(moves[0]?.calls.map(({ name }) => name)).toEqual(['change_user_email']);
  });

  it('offers all tools in EXECUTION, and none where words are expected [R5-TALK-IMP-OFFER]', async () => {
    const { model } = await play([...VERIFIED.replies, PLAN, 'Which?'], [...VERIFIED.turns, words('ok')]);
    expect(model.requests[2]).toMatchObject({ tools: [], toolChoice: 'none' });
    expect(model.requests[3]?.tools.map(({ name }) => name)).toEqual(NAMES);
  });
});

describe('the retry policies of imperative', () => {
  it('are the four of the paper [R5-TALK-IMP-RETRY]', () => {
    expect(bankingMachine.retries).toEqual({
      log_verification: { max: 3, phase: 'ESCALATE' },
      call_discoverable_agent_tool: { max: 2, phase: 'ESCALATE' },
      unlock_discoverable_agent_tool: { max: 2, phase: 'ESCALATE' },
      KB_search: { max: 4, phase: 'ADVISORY' },
    });
  });

  it.each(Object.entries(bankingMachine.retries))(
    '%s escalates after its tries, before any other transition [R5-TALK-IMP-RETRY]',
    async (tool, { max, phase }) => {
      const tries = Array.from({ length: max }, () => calls(call(tool)));
      const failing = tries.map(
        (): Turn => (last) => results(last.calls, () => ({ content: 'Error: no', failed: false })),
      );
      const last = phase === 'ESCALATE' ? calls(call('transfer_to_human_agents')) : 'I could not find it.';
      const { moves, speaker } = await play([...tries, last], [words('hi'), ...failing]);
      expect(speaker.phase).toBe(phase);
      expect(moves.at(-1)?.inside).toEqual([
        { kind: 'phase', from: 'TRIAGE', to: phase },
        { kind: 'escalated', tool, failures: max },
      ]);
      expect(
        moves
          .slice(0, -1)
          .flatMap(({ inside }) => inside)
          .filter(({ kind }) => kind === 'escalated'),
      ).toEqual([]);
    },
  );

  it('no other condition overrules them: identified and exhausted is exhausted [R5-TALK-IMP-RETRY]', async () => {
    const both = (last: Move): HeardTurn =>
      results(last.calls, ({ name }) => (name === 'get_user_information_by_id' ? FOUND : 'Error: no'));
    const batch = () =>
      calls(...[1, 2].map(() => call('unlock_discoverable_agent_tool')), call('get_user_information_by_id'));
    const { phases } = await play([batch(), calls(call('transfer_to_human_agents'))], [words('hi'), both]);
    expect(phases).toEqual(['TRIAGE', 'ESCALATE']);
  });

  it('count tries in a row: a success begins anew [R5-TALK-IMP-RETRY]', async () => {
    const log = () => calls(call('log_verification'));
    const { speaker } = await play(
      [
        log(),
        log(),
        calls(call('unlock_discoverable_agent_tool')),
        calls(call('unlock_discoverable_agent_tool')),
        'Hm.',
      ],
      [words('hi'), answers('Failed to log'), answers('Failed to log'), answers('Error: x'), answers('unlocked')],
    );
    expect(speaker.state.toolRetryCounts).toEqual({ log_verification: 2, unlock_discoverable_agent_tool: 0 });
  });

  it('ESCALATE hands over and is left by that alone [R5-TALK-IMP-RETRY]', async () => {
    const unlock = () => calls(call('unlock_discoverable_agent_tool'));
    const { phases } = await play(
      [unlock(), unlock(), calls(call('transfer_to_human_agents')), 'You are being transferred.'],
      [words('hi'), answers('Error: x'), answers('Error: x'), answers('Transfer successful')],
    );
    expect(phases).toEqual(['TRIAGE', undefined, 'ESCALATE', 'COMPLETE']);
  });
});

describe('the response type of a phase', () => {
  it('is asked for again at most twice, with a correction after the system prompt, and then taken as it is [R5-TALK-IMP-EXPECT]', async () => {
    const wrong = () => calls(call('change_user_email'));
    const { model, speaker, moves } = await play([...VERIFIED.replies, wrong(), wrong(), wrong()], VERIFIED.turns);
    expect(moves[2]?.calls.map(({ name }) => name)).toEqual(['change_user_email']);
    expect(moves[2]?.inside.filter(({ kind }) => kind === 'response-type')).toEqual(
      Array.from({ length: 3 }, () => ({
        kind: 'response-type',
        phase: 'PLANNING',
        expected: 'text',
        got: 'tool_call',
      })),
    );
    expect(speaker.state.expectViolationCount).toBe(3);
    expect(model.promptAt('agent', 3)).not.toContain('<correction>');
    const system = model.requests[3]?.messages[0]?.content ?? '';
    expect(system).toContain('<policy>\nBe fair.\n</policy>');
    expect(system).toMatch(/<correction>[\s\S]*<\/correction>$/);
  });

  it('is enforced by the tool choice where a call is expected [R5-TALK-IMP-EXPECT]', async () => {
    const unlock = () => calls(call('unlock_discoverable_agent_tool'));
    const { model, moves } = await play(
      [unlock(), unlock(), 'I would rather talk.', calls(call('transfer_to_human_agents'))],
      [words('hi'), answers('Error: x'), answers('Error: x')],
    );
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'required']);
    expect(moves[2]?.inside.at(-1)).toEqual({
      kind: 'response-type',
      phase: 'ESCALATE',
      expected: 'tool_call',
      got: 'text',
    });
    expect(moves[2]?.calls).toHaveLength(1);
  });

  it('an empty reply is corrected as what it is [R5-TALK-IMP-EXPECT]', async () => {
    const { model } = await play([...VERIFIED.replies, '', PLAN], VERIFIED.turns);
    const system = model.requests.at(-1)?.messages[0]?.content ?? '';
    expect(system).toContain('Your last reply was empty.');
    expect(system).not.toContain('called a tool');
  });

  it('no call is forced where none of the phase’s tools is there [R5-TALK-IMP-EXPECT]', async () => {
    const model = scriptedModel({ agent: ['Somebody will call you.'] });
    const machine = { ...bankingMachine, start: 'ESCALATE' };
    const [move] = await converse(imperative(machine)(setting(model, [offered('KB_search')])), [words('hi')]);
    expect(move).toMatchObject({ text: 'Somebody will call you.', inside: [] });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['none']);
  });

  it('the reply that was wrong is not kept, and all calls are paid for [R5-TALK-IMP-EXPECT] [R5-TALK-IMP-TURN]', async () => {
    const { model, moves } = await play(
      [...VERIFIED.replies, calls(call('KB_search')), PLAN, 'Which?'],
      [...VERIFIED.turns, words('ok')],
    );
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('KB_search');
    expect(moves[2]?.usage.output).toBeGreaterThan(moves[3]?.usage.output ?? 0);
  });
});

describe('a turn of imperative', () => {
  it('takes its eight steps in order: append, state, phase, tools and queue, tool choice, ask, append [R5-TALK-IMP-TURN]', async () => {
    const { model } = await play([...VERIFIED.replies, PLAN, 'Which?'], [...VERIFIED.turns, words('ok, go on')]);
    const request = model.requests.at(-1);
    expect(request?.messages.at(-1)).toEqual({ role: 'user', content: 'ok, go on' }); // 1
    expect(request?.messages[0]?.content).toMatch(/<phase name="EXECUTION">[\s\S]*Pending: 1\. Transfer the money/); // 2 to 5
    expect(request?.toolChoice).toBe('auto'); // 6
    expect(model.requests).toHaveLength(4); // 7: one call a turn
    expect(request?.messages.at(-2)).toMatchObject({ role: 'assistant', content: PLAN }); // 8, of the turn before
  });
});

describe('a machine', () => {
  it('is data: another domain writes its own phases, rules and retries [R5-TALK-IMP-DATA]', async () => {
    const tiny: Machine = {
      domain: 'tiny',
      start: 'ASK',
      phases: {
        ASK: { instruction: 'Ask.', tools: ['look*'], expect: 'either', next: [{ when: 'informed', to: 'TELL' }] },
        TELL: { instruction: 'Tell.', tools: [], expect: 'text', next: [] },
      },
      precedence: [],
      retries: { look_up: { max: 1, phase: 'TELL' } },
      identifies: [],
      verifies: [],
      executes: [],
      informs: ['look*'],
      handsOver: [],
      failing: ['nothing'],
      wholeTask: 'it',
    };
    const model = scriptedModel({ agent: [calls(call('look_up')), 'There.'] });
    const speaker = imperative(tiny)(setting(model, [offered('look_up'), offered('other')]));
    await converse(speaker, [words('where?'), answers('here')]);
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['look_up'], []]);
    expect(speaker.phase).toBe('TELL');
  });

  it('ships for each domain, and every phase in it can be reached or leads nowhere wrong [R5-TALK-IMP-DATA]', () => {
    expect(Object.keys(POLICY_DOMAINS).sort()).toEqual(['banking_knowledge', 'energy_desk', 'mock']);
    for (const { machine } of Object.values(POLICY_DOMAINS)) {
      const targets = [
        ...Object.values(machine.phases).flatMap(({ next }) => next),
        ...Object.values(machine.retries).map(({ phase: to }) => ({ to })),
      ];
      const reached = new Set([machine.start, ...targets.map(({ to }) => to)]);
      expect([...reached].sort()).toEqual(
        [...PHASES].filter((phase) => phase !== 'ADVISORY' || reached.has(phase)).sort(),
      );
    }
  });

  it.each([
    ['a phase that is not there', { start: 'NOWHERE' }, /no phase "NOWHERE"/],
    [
      'a retry policy that leads nowhere',
      { retries: { x: { max: 1, phase: 'GONE' } } },
      /no phase "GONE", which the retry policy of x/,
    ],
    ['a retry policy without tries', { retries: { x: { max: 0, phase: 'ESCALATE' } } }, /at least 1, got 0/],
  ])('is refused for %s when it is handed over [R5-TALK-IMP-DATA]', (_what, change, message) => {
    expect(() => imperative({ ...bankingMachine, ...change })).toThrow(message);
  });
});
