import { Conversation } from '../simulation/orchestrator.js';
import type { Course, Incoming, Party } from '../simulation/party.js';
import { type Line, scriptedParty } from '../simulation/scripted-party.js';
import type { RecordFields } from '../tau2/python/record-fields.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import type { Requestor, SimMessage } from '../world/message.js';
import { readMessage } from '../world/message-record.js';
import type { Task } from '../world/task.js';
import { quietWorld } from './gold.js';

/** What a side was told in the course of a scenario. */
export interface Told {
  history: readonly string[] | null;
  readonly inputs: string[];
}

export interface Played {
  readonly task: Task;
  readonly agent: Told;
  readonly user: Told;
  readonly steps: number;
  readonly errors: number;
  readonly course?: Course;
  readonly error?: unknown;
}

/** What every scripted line costs in the recordings. */
const COST = 0.5;

/** Plays a recorded scenario again, with the lines that its two sides had. */
export async function playScenario(domain: Domain, given: Task, scenario: RecordFields): Promise<Played> {
  const options = scenario.fields('options');
  const history = historyIn(scenario);
  const task = Array.isArray(history)
    ? { ...given, initialState: { agentData: null, userData: null, actions: null, history } }
    : given;
  let time = 1_000_000;
  const now = (): number => (time += 1);
  const stop = options.textOrNull('agent_stop');
  const agent = watched(
    scriptedParty(linesIn(scenario, 'agent_script'), {
      role: 'assistant',
      now,
      cost: COST,
      ...(stop === null ? {} : { stopToken: stop }),
    }),
  );
  const user = watched(scriptedParty(linesIn(scenario, 'user_script'), { role: 'user', now, cost: COST }));
  const environment = quietWorld(domain, task);
  const conversation = new Conversation({
    agent: agent.party,
    user: user.party,
    respond: (call) => environment.respond(call),
    now,
    history: task.initialState?.history ?? null,
    limits: {
      maxSteps: options.numberOrNull('max_steps') ?? 100,
      maxErrors: options.numberOrNull('max_errors') ?? 10,
      ...(options.value('validate') === true ? { enforceProtocol: true } : {}),
    },
  });
  const ended = await environment
    .setState(task.initialState, { strict: true })
    .then(() => conversation.run())
    .then(
      (course) => ({ course }),
      (error: unknown) => ({ error }),
    );
  return { task, agent: agent.told, user: user.told, steps: conversation.steps, errors: conversation.errors, ...ended };
}

function linesIn(scenario: RecordFields, field: string): readonly Line[] {
  return scenario.each(field, (value) => {
    const line = value as PyDict;
    const calls = line.get('calls') as PyDict[] | undefined;
    return {
      ...(line.has('text') ? { text: line.get('text') as string } : {}),
      ...(line.has('cost') ? { cost: line.get('cost') as number | null } : {}),
      ...(calls === undefined ? {} : { calls: calls.map(callIn) }),
    };
  });
}

function callIn(call: PyDict): { readonly id: string | null; readonly name: string; readonly arguments: PyDict } {
  return {
    id: call.get('id') as string | null,
    name: String(call.get('name')),
    arguments: call.get('arguments') as PyDict,
  };
}

/**
 * The history that a scenario began with, if any. A recording names it and shows it only as the first of its messages: those
 * before the first that a script paid for. Two never became a conversation, so that no recording shows them.
 */
export function historyIn(scenario: RecordFields): readonly SimMessage[] | 'none' | 'unknown' {
  const name = scenario.fields('options').textOrNull('history');
  if (name === null) return 'none';
  const messages = scenario.value('messages') as PyDict[] | null;
  if (messages === null) return neverShown(name);
  const paid = messages.findIndex((message) => message.get('role') !== 'tool' && isPaid(message.get('cost') ?? null));
  return messages.slice(0, paid < 0 ? undefined : paid).map((message) => readMessage(message));
}

function isPaid(cost: PyValue): boolean {
  return cost !== null;
}

function neverShown(name: string): readonly SimMessage[] | 'unknown' {
  const say = (role: Requestor, content: string): SimMessage => ({ role, content, calls: [], cost: null, at: 0 });
  const call = { id: 'h1', name: 'get_users', arguments: new Map(), requestor: 'assistant' } as const;
  const started = [
    say('assistant', 'hi'),
    say('user', 'yo'),
    { role: 'assistant', content: null, calls: [call], cost: null, at: 0 } satisfies SimMessage,
  ];
  if (name === 'assistant_call') return started;
  return name === 'missing_result' ? [...started, say('user', 'hello?')] : 'unknown';
}

function watched(party: Party): { readonly party: Party; readonly told: Told } {
  const told: Told = { history: null, inputs: [] };
  return {
    told,
    party: {
      ...party,
      open: (history) => {
        told.history = history.map(({ role }) => role);
        party.open(history);
      },
      take: (incoming) => {
        told.inputs.push(kindOf(incoming));
        return party.take(incoming);
      },
    },
  };
}

/** As the recordings name what a side is handed. */
function kindOf(incoming: Incoming): string {
  if (!('length' in incoming)) return incoming.role === 'user' ? 'UserMessage' : 'AssistantMessage';
  return incoming.length === 1 ? 'ToolMessage' : `MultiToolMessage[${incoming.length}]`;
}
