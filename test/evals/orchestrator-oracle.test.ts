import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gradeSimulation } from '../../src/evals/grading/grade.js';
import { dumpJson, parseJson } from '../../src/evals/python/json.js';
import type { PyDict, PyValue } from '../../src/evals/python/value.js';
import { rewardRecord } from '../../src/evals/results/reward-record.js';
import { Conversation } from '../../src/evals/simulation/orchestrator.js';
import type { Course, Incoming, Party } from '../../src/evals/simulation/party.js';
import { type Line, scriptedParty } from '../../src/evals/simulation/scripted-party.js';
import type { Domain } from '../../src/evals/world/environment.js';
import type { Requestor, SimMessage } from '../../src/evals/world/message.js';
import { readMessage, writeMessage } from '../../src/evals/world/message-record.js';
import type { Task } from '../../src/evals/world/task.js';
import { benchmarkDomain, taskOf } from './domains.js';
import { tau2, withTau2 } from './tau2-data.js';

/** How many of a recording's messages are the history that its task began with. */
const HISTORY_LENGTH: Readonly<Record<string, number>> = {
  assistant_text: 1,
  user_text: 2,
  assistant_tool_result: 4,
  user_tool_result: 3,
  user_stop: 2,
};

const field = (scenario: PyDict, name: string): PyValue => scenario.get(name) ?? null;

withTau2('the recorded conversations of the reference', () => {
  const recorded = parseJson(readFileSync(`${tau2?.oracle}/orchestrator.json`, 'utf8')) as PyDict[];

  it.each(recorded.map((scenario) => [field(scenario, 'scenario'), scenario] as const))(
    '%s [R5-SIM-ORACLE] [R5-SIM-PROTOCOL] [R5-SIM-LIMITS] [R5-SIM-HISTORY]',
    async (_, scenario) => {
      const domain = await benchmarkDomain(String(field(scenario, 'domain')));
      const played = await play(domain, scenario);
      const told = { agent: played.agent.seen, user: played.user.seen };
      expect(told.agent.inputs).toEqual(field(scenario, 'agent_inputs'));
      expect(told.user.inputs).toEqual(field(scenario, 'user_inputs'));
      expect(told.agent.history).toEqual(field(scenario, 'agent_init_history'));
      expect(told.user.history).toEqual(field(scenario, 'user_init_history'));
      expect([played.steps, played.errors]).toEqual([counted(scenario, 'step_count'), counted(scenario, 'num_errors')]);
      if (field(scenario, 'exception') !== null) {
        const isBeforeTheStart = field(scenario, 'agent_init_history') === null;
        expect(played.error).toMatchObject(isBeforeTheStart ? { kind: 'ValueError' } : { code: 'REPLY_INVALID' });
        return;
      }
      if (played.course === undefined) throw played.error;
      expect(played.course.termination).toBe(field(scenario, 'termination_reason'));
      expect(played.course.agentCost).toBe(field(scenario, 'agent_cost'));
      expect(played.course.userCost).toBe(field(scenario, 'user_cost'));
      expect(shown(played.course.messages, domain)).toBe(expected(scenario, domain));
      await expectReward(domain, played.task, played.course, scenario);
    },
  );
});

async function expectReward(domain: Domain, task: Task, course: Course, scenario: PyDict): Promise<void> {
  const grade = await gradeSimulation(domain, task, course);
  if (grade.kind !== 'scored') throw new Error(grade.because);
  const own = rewardRecord(grade.reward);
  const reward = field(scenario, 'reward_info') as PyDict;
  for (const [name, value] of reward) expect(dumpJson(own.get(name) ?? null), name).toBe(dumpJson(value));
  expect(grade.reward.actions?.map(({ matched }) => matched) ?? null).toEqual(field(scenario, 'action_matches'));
  expect(grade.reward.envAssertions?.map(({ met }) => met) ?? null).toEqual(field(scenario, 'env_assertions'));
}

interface Played {
  readonly task: Task;
  readonly agent: Watched;
  readonly user: Watched;
  readonly steps: number;
  readonly errors: number;
  readonly course?: Course;
  readonly error?: unknown;
}

async function play(domain: Domain, scenario: PyDict): Promise<Played> {
  const options = field(scenario, 'options') as PyDict;
  const given = taskOf(domain, String(field(scenario, 'task_id')));
  const history = historyOf(scenario);
  const task =
    history === undefined
      ? given
      : { ...given, initialState: { agentData: null, userData: null, actions: null, history } };
  let time = 1_000_000;
  const now = (): number => (time += 1);
  const stop = options.get('agent_stop');
  const agent = watched(
    scriptedParty(linesOf(scenario, 'agent_script'), {
      role: 'assistant',
      now,
      cost: 0.5,
      ...(typeof stop === 'string' ? { stopToken: stop } : {}),
    }),
  );
  const user = watched(scriptedParty(linesOf(scenario, 'user_script'), { role: 'user', now, cost: 0.5 }));
  const environment = domain.environment({
    task,
    ...(domain.retrievals.includes('no_knowledge') ? { retrieval: 'no_knowledge' } : {}),
  });
  const conversation = new Conversation({
    agent,
    user,
    respond: (call) => environment.respond(call),
    now,
    history: task.initialState?.history ?? null,
    limits: {
      maxSteps: Number(options.get('max_steps') ?? 100),
      maxErrors: Number(options.get('max_errors') ?? 10),
      ...(options.get('validate') === true ? { enforceProtocol: true } : {}),
    },
  });
  const ended = await environment
    .setState(task.initialState, { strict: true })
    .then(() => conversation.run())
    .then(
      (course) => ({ course }),
      (error: unknown) => ({ error }),
    );
  return { task, agent, user, steps: conversation.steps, errors: conversation.errors, ...ended };
}

function counted(scenario: PyDict, name: string): number {
  return Number(field(scenario, name));
}

function linesOf(scenario: PyDict, name: string): readonly Line[] {
  return (field(scenario, name) as PyDict[]).map((line) => {
    const calls = line.get('calls') as PyDict[] | undefined;
    return {
      ...(line.has('text') ? { text: line.get('text') as string } : {}),
      ...(line.has('cost') ? { cost: line.get('cost') as number | null } : {}),
      ...(calls === undefined
        ? {}
        : {
            calls: calls.map((call) => ({
              id: call.get('id') as string | null,
              name: String(call.get('name')),
              arguments: call.get('arguments') as PyDict,
            })),
          }),
    };
  });
}

/** Two of the histories never became a conversation, so no recording shows them. */
function historyOf(scenario: PyDict): readonly SimMessage[] | undefined {
  const name = (field(scenario, 'options') as PyDict).get('history');
  if (typeof name !== 'string') return undefined;
  const messages = field(scenario, 'messages') as PyDict[] | null;
  const length = HISTORY_LENGTH[name];
  if (messages !== null && length !== undefined) return messages.slice(0, length).map((one) => readMessage(one));
  const say = (role: Requestor, content: string): SimMessage => ({ role, content, calls: [], cost: null, at: 0 });
  const call = { id: 'h1', name: 'get_users', arguments: new Map(), requestor: 'assistant' } as const;
  const calls: SimMessage = { role: 'assistant', content: null, calls: [call], cost: null, at: 0 };
  const started = [say('assistant', 'hi'), say('user', 'yo'), calls];
  return name === 'missing_result' ? [...started, say('user', 'hello?')] : started;
}

/** The fields that the recording keeps of a message, where they are not null. */
const KEPT = ['id', 'role', 'content', 'tool_calls', 'requestor', 'error', 'turn_idx', 'cost'];

function shown(messages: readonly SimMessage[], domain: Domain): string {
  const records = messages.map((message, index) => {
    const record = writeMessage(message, index);
    return new Map(KEPT.map((name) => [name, record.get(name) ?? null] as const).filter(([, value]) => value !== null));
  });
  return compared(records, domain);
}

function expected(scenario: PyDict, domain: Domain): string {
  return compared(field(scenario, 'messages') as PyDict[], domain);
}

/** The banking tools say the same facts in our own words; what they say is compared with their own recordings. */
function compared(records: readonly PyDict[], domain: Domain): string {
  const isOwnWords = (record: PyDict): boolean => domain.name === 'banking_knowledge' && record.get('role') === 'tool';
  const kept = records.map((record) => (isOwnWords(record) ? new Map(record).set('content', '…') : record));
  return dumpJson(kept, { sortKeys: true });
}

interface Watched extends Party {
  readonly seen: { history: readonly string[] | null; readonly inputs: string[] };
}

function watched(party: Party): Watched {
  const seen: Watched['seen'] = { history: null, inputs: [] };
  return {
    ...party,
    seen,
    open: (history) => {
      seen.history = history.map(({ role }) => role);
      party.open(history);
    },
    take: (incoming) => {
      seen.inputs.push(kindOf(incoming));
      return party.take(incoming);
    },
  };
}

function kindOf(incoming: Incoming): string {
  if (!('length' in incoming)) return incoming.role === 'user' ? 'UserMessage' : 'AssistantMessage';
  return incoming.length === 1 ? 'ToolMessage' : `MultiToolMessage[${incoming.length}]`;
}
