import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { budget, memoryEngine, type Run, type ToolRef } from 'flyball';
import { autoClock, type ScriptedModel, scriptedModel, testHost } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import { goldParties } from '../../packages/evals/src/simulation/gold-party.js';
import { checkHistory } from '../../packages/evals/src/simulation/history.js';
import { llmUser } from '../../packages/evals/src/simulation/llm-user.js';
import { simulate } from '../../packages/evals/src/simulation/orchestrator.js';
import type { Course, Limits, Party } from '../../packages/evals/src/simulation/party.js';
import { type Line, scriptedParty, silentAgent } from '../../packages/evals/src/simulation/scripted-party.js';
import { speakerParty } from '../../packages/evals/src/simulation/speaker-party.js';
import { scenarioText, userPrompt } from '../../packages/evals/src/simulation/user-prompt.js';
import type { PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { SimCall, SimMessage, SpokenMessage, ToolMessage } from '../../packages/evals/src/world/message.js';
import type { Task } from '../../packages/evals/src/world/task.js';
import type {
  HeardOrMade,
  HeardTurn,
  Speaker,
} from '../../packages/flyball/src/agents/policies/conversation-policy.js';
import { openRuntime } from '../../packages/flyball/src/runtime/open-runtime.js';
import { sumTask } from './counter-domain.js';
import { benchmarkDomain } from './domains.js';
import { tau2, withTau2 } from './tau2-data.js';

const now = (): number => 0;
const LIMITS: Limits = { maxSteps: 20, maxErrors: 3 };

const agentSays = (content: string): SpokenMessage => ({ role: 'assistant', content, calls: [], cost: 0, at: 0 });

/** Does something inside a run, and answers with what came of it. */
async function inRun<T>(work: (run: Run) => Promise<T>): Promise<T> {
  const clock = autoClock({ idleTurns: 40 });
  let made: { readonly value: T } | undefined;
  const runtime = openRuntime({
    engine: memoryEngine(),
    clock,
    host: testHost('party', new Set()),
    agents: {
      party: async (run) => {
        made = { value: await work(run) };
        return { stop: 'done', value: null };
      },
    },
    options: { worker: false, leaseMs: 1e9 },
  });
  onTestFinished(() => {
    runtime.abandon();
    clock.stop();
  });
  const outcome = await (await runtime.start('party', null, { budget: budget() })).outcome();
  if (made === undefined) throw new Error(JSON.stringify(outcome));
  return made.value;
}

const tool: ToolRef = {
  name: 'press',
  description: 'Presses a button.',
  effect: 'pure',
  inputJsonSchema: { type: 'object' },
  execute: async () => 'not here',
};

it('plays a user with the roles the other way round, its tools and its stop token [R5-SIM-PROTOCOL]', async () => {
  const pressing = { toolCalls: [{ id: 'u1', name: 'press', arguments: '{"times": 2}' }] };
  const model: ScriptedModel = scriptedModel({ user: ['Hello.', pressing, 'Thanks ###STOP###'] });
  const said = await inRun(async (run) => {
    const user = llmUser({ run, model, setup: 'You are Jo.', tools: [tool], sampling: { seed: 7 } });
    user.open([]);
    const first = await user.take(agentSays('Hi!'));
    const second = await user.take(agentSays('Press it twice.'));
    const result: ToolMessage = { role: 'tool', id: 'u1', content: 'clicked', requestor: 'user', error: false, at: 0 };
    const third = await user.take([result]);
    return [first, second, third].map((message) => ({ message, stops: user.stops(message) }));
  });
  expect(said.map(({ stops }) => stops)).toEqual([false, false, true]);
  expect(said[1]?.message.calls).toEqual([
    { id: 'u1', name: 'press', arguments: new Map([['times', 2n]]), requestor: 'user' },
  ]);
  const [, , last] = model.requestsOf('user');
  expect(last?.messages.map(({ role, content }) => [role, content])).toEqual([
    ['system', 'You are Jo.'],
    ['user', 'Hi!'],
    ['assistant', 'Hello.'],
    ['user', 'Press it twice.'],
    ['assistant', ''],
    ['tool', 'clicked'],
  ]);
  expect(last?.tools.map(({ name }) => name)).toEqual(['press']);
  expect(last?.sampling.seed).toBe(7);
});

it('hands a speaker words and results, and takes its moves as messages [R5-SIM-PROTOCOL]', async () => {
  const heard: HeardTurn[] = [];
  const opened: HeardOrMade[] = [];
  const notes: string[] = [];
  const call = { id: 'c1', name: 'press', arguments: '{"times": 1.0}' };
  const speaker: Speaker = {
    policy: 'test',
    setup: '',
    open: (history) => opened.push(...history),
    take: async (_, turn) => {
      heard.push(turn);
      return {
        text: heard.length === 1 ? '' : 'Done.',
        calls: heard.length === 1 ? [call] : [],
        costUsd: 0.25,
        modelCalls: heard.length,
        usage: { input: 10, output: 2, cacheRead: 4 },
        inside: [{ kind: 'escalated', tool: 'press', failures: 3 }],
      };
    },
  };
  const history: readonly SimMessage[] = [
    agentSays('Hi!'),
    { role: 'user', content: 'Look.', calls: [], cost: 0, at: 0 },
    { role: 'assistant', content: null, calls: [simCall('h1'), simCall('h2')], cost: 0, at: 0 },
    result('h1', 'one'),
    result('h2', 'two'),
  ];
  const moves = await inRun(async (run) => {
    const party = speakerParty(run, speaker, { onNote: ({ kind }) => notes.push(kind) });
    party.open(history);
    return [
      await party.take({ role: 'user', content: 'Press.', calls: [], cost: 0, at: 0 }),
      await party.take([result('c1', 'x', true)]),
    ];
  });
  expect(opened.map((turn) => (turn.by === 'self' ? turn.calls.map(({ id }) => id) : turn.heard.kind))).toEqual([
    [],
    'words',
    ['h1', 'h2'],
    'results',
  ]);
  expect(heard).toEqual([
    { kind: 'words', text: 'Press.' },
    { kind: 'results', results: [{ id: 'c1', name: 'press', content: 'x', failed: true }] },
  ]);
  expect(moves[0]).toMatchObject({
    role: 'assistant',
    content: null,
    cost: 0.25,
    calls: [{ id: 'c1', name: 'press', arguments: new Map([['times', 1]]), requestor: 'assistant' }],
    usage: { promptTokens: 10, completionTokens: 2, cacheReadTokens: 4 },
  });
  expect(notes).toEqual(['escalated', 'escalated']);
});

function simCall(id: string): SimCall {
  return { id, name: 'press', arguments: new Map(), requestor: 'assistant' };
}

function result(id: string, content: string, error = false): ToolMessage {
  return { role: 'tool', id, content, requestor: 'assistant', error, at: 0 };
}

const respond = async (call: SimCall): Promise<ToolMessage> => ({
  role: 'tool',
  id: call.id,
  content: 'ok',
  requestor: call.requestor,
  error: false,
  at: 0,
});

function solo(script: readonly Line[], more: Partial<Limits> = {}): Promise<Course> {
  const agent = scriptedParty(script, { role: 'assistant', now, stopToken: '###STOP###' });
  const user = scriptedParty([], { role: 'user', now });
  return simulate({ agent, user, respond, now, limits: { ...LIMITS, solo: true, ...more } });
}

it('lets an agent work alone: it begins, only calls, and stops; words are its error [R5-SIM-PROTOCOL]', async () => {
  const press: Line = { calls: [{ name: 'press', arguments: new Map() }] };
  const ended = await solo([press, press, { text: '###STOP###' }]);
  expect(ended).toMatchObject({ termination: 'agent_stop', steps: 4 });
  expect(ended.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool', 'assistant']);
  expect((await solo([{ text: 'Hello?' }])).termination).toBe('agent_error');
  expect((await solo([press, { text: 'Hello?' }])).termination).toBe('agent_error');
  expect((await solo([{ text: '###STOP###' }])).termination).toBe('agent_stop');
  const mixed = await solo([{ ...press, text: 'Watch.' }], { enforceProtocol: true });
  expect(mixed).toMatchObject({ termination: 'agent_error', steps: 0 });
  const { begin: _, ...talker } = silentAgent({ now });
  const limits = { ...LIMITS, solo: true };
  await expect(simulate({ agent: talker, user: talker, respond, now, limits })).rejects.toThrow(/cannot work alone/);
});

it('refuses a conversation that its agent ends with a call [R5-SIM-PROTOCOL]', async () => {
  const agent = scriptedParty([{ text: '###STOP###', calls: [{ name: 'press', arguments: new Map() }] }], {
    role: 'assistant',
    now,
    stopToken: '###STOP###',
  });
  const user = scriptedParty([{ text: 'Hi.' }], { role: 'user', now });
  await expect(simulate({ agent, user, respond, now, limits: LIMITS })).rejects.toThrow(
    /ended by a message that calls/,
  );
});

it('ends a conversation that takes too long, but answers its calls first [R5-SIM-LIMITS]', async () => {
  let time = 0;
  const tick = (): number => time;
  const slow: Party = {
    ...scriptedParty([{ calls: [{ name: 'press', arguments: new Map() }] }, { text: 'There.' }], {
      role: 'assistant',
      now: tick,
    }),
  };
  const agent: Party = {
    ...slow,
    take: async (incoming) => {
      time += 600;
      return slow.take(incoming);
    },
  };
  const user = scriptedParty([{ text: 'Hi.' }], { role: 'user', now: tick });
  const limits = { ...LIMITS, timeoutMs: 500 };
  const course = await simulate({ agent, user, respond, now: tick, limits });
  expect(course).toMatchObject({ termination: 'timeout', steps: 3 });
  expect(course.messages.at(-1)).toMatchObject({ role: 'tool', content: 'ok' });
});

it('lets a user stop count that comes after the time is over [R5-SIM-LIMITS]', async () => {
  let time = 0;
  const agent = silentAgent({ now: () => time });
  const script = scriptedParty([{ text: '###STOP###' }], { role: 'user', now: () => time });
  const user: Party = {
    ...script,
    take: async (incoming) => {
      time += 600;
      return script.take(incoming);
    },
  };
  const limits = { ...LIMITS, timeoutMs: 500 };
  expect((await simulate({ agent, user, respond, now: () => time, limits })).termination).toBe('user_stop');
});

it('refuses a history whose calls and results do not fit together [R5-SIM-HISTORY]', () => {
  const calls = (...ids: readonly string[]): SimMessage => ({
    role: 'assistant',
    content: null,
    calls: ids.map(simCall),
    cost: 0,
    at: 0,
  });
  expect(() => checkHistory([calls('1', '2'), result('1', 'x'), result('2', 'y'), agentSays('So.')])).not.toThrow();
  expect(() => checkHistory([calls('1'), calls('2')])).toThrow(/1 results are missing/);
  expect(() => checkHistory([agentSays('Hi.'), result('1', 'x')])).toThrow(/answers no call/);
  expect(() => checkHistory([calls('1'), result('1', 'x'), result('2', 'y')])).toThrow(/answers no call/);
  expect(() => checkHistory([calls('1'), { ...result('1', 'x'), requestor: 'user' }])).toThrow(
    /for the user answers a call of the assistant/,
  );
  expect(() => checkHistory([agentSays(' ')])).toThrow(/neither words nor calls/);
});

it('makes the gold calls of both sides in their order, and tells what has to be told', async () => {
  const both: Task = mixedTask(['user', 'assistant', 'assistant', 'user']);
  const { agent, user } = goldParties(both, { now });
  const course = await simulate({ agent, user, respond, now, limits: LIMITS });
  const calls = course.messages.flatMap((message) => (message.role === 'tool' ? [] : message.calls));
  expect(calls.map(({ name, requestor }) => [name, requestor])).toEqual([
    ['do_0', 'user'],
    ['do_1', 'assistant'],
    ['do_2', 'assistant'],
    ['do_3', 'user'],
  ]);
  expect(course.termination).toBe('user_stop');
  expect(
    course.messages.some(({ role, content }) => role === 'assistant' && content?.includes('code 7') === true),
  ).toBe(true);
});

function mixedTask(requestors: readonly SimCall['requestor'][]): Task {
  const task = sumTask(1, { communicate_info: ['code 7'] });
  const actions = requestors.map((requestor, index) => ({
    actionId: String(index),
    requestor,
    name: `do_${index}`,
    arguments: new Map<string, PyValue>(),
    info: null,
    compareArgs: null,
  }));
  return { ...task, criteria: task.criteria && { ...task.criteria, actions } };
}

it('writes structured instructions and a persona part by part', () => {
  const instructions = new Map<string, PyValue>([
    ['domain', 'retail'],
    ['reason_for_call', 'A refund.\n\nSoon.'],
    ['known_info', 'Order 1.'],
    ['unknown_info', null],
    ['task_instructions', 'Insist.'],
  ]);
  expect(scenarioText({ persona: 'Terse.', instructions })).toBe(
    'Persona:\n\tTerse.\nInstructions:\n\tDomain: retail\n\tReason for call:\n\t\tA refund.\n\n\t\tSoon.\n' +
      '\tKnown info:\n\t\tOrder 1.\n\tTask instructions:\n\t\tInsist.',
  );
});

withTau2('the recorded user prompts', () => {
  it('are assembled the same for every banking task [R5-SIM-ORACLE]', async () => {
    const { user_system_prompts: recorded } = JSON.parse(
      readFileSync(`${tau2().oracle}/banking_prompts.json`, 'utf8'),
    ) as {
      readonly user_system_prompts: Readonly<Record<string, { readonly has_tools: boolean; readonly sha256: string }>>;
    };
    const domain = await benchmarkDomain('banking_knowledge');
    expect(domain.tasks).toHaveLength(97);
    for (const task of domain.tasks) {
      const hasTools = task.userTools === null || task.userTools.length > 0;
      const prompt = userPrompt(domain, task, hasTools);
      const sha256 = createHash('sha256').update(prompt).digest('hex');
      expect({ has_tools: hasTools, sha256 }, task.id).toEqual({
        has_tools: recorded[task.id]?.has_tools,
        sha256: recorded[task.id]?.sha256,
      });
    }
  });
});
