import type { Message } from 'flyball';
import { FlyballError } from 'flyball';
import type { SideMaker } from '../../experiment/experiment.js';
import { isResults } from '../../simulation/message-shape.js';
import type { Incoming, Party } from '../../simulation/party.js';
import { userStops } from '../../simulation/stop-tokens.js';
import { dumpJson } from '../../tau2/python/json.js';
import type { SimCall, SpokenMessage } from '../../world/message.js';
import type { Task } from '../../world/task.js';
import type { DeskReply, DeskRequest } from './scripted-desk.js';
import { type Aside, type Beat, scriptOf } from './task-script.js';

/** An agent that keeps saying what an aside answers would go on for ever. */
const MOST_ASIDES = 5;

/** The customer of a task, from its script: beat after beat, whatever the agent says, apart from the asides. */
export function scriptedCustomer(task: Task, how: { now(): number }): Party {
  const { beats, asides } = scriptOf(task);
  let next = 0;
  let answeredAsides = 0;
  const say = (content: string): SpokenMessage => ({ role: 'user', content, calls: [], cost: 0, at: how.now() });
  const beat = (): SpokenMessage => {
    const now = beats[next++];
    if (now === undefined)
      throw new FlyballError('SCRIPT_EXHAUSTED', `The customer of ${task.id} has only ${beats.length} beats.`);
    return 'say' in now ? say(now.say) : { ...say(''), content: null, calls: [callOf(now, next)] };
  };
  return {
    open: () => undefined,
    stops: userStops,
    take: async (incoming) => {
      const aside = answeredAsides < MOST_ASIDES ? asideFor(asides, incoming) : undefined;
      if (aside === undefined) return beat();
      answeredAsides += 1;
      return say(aside.say);
    },
  };
}

/**
 * The same customers as a model that plays them: the scenario in its system prompt says who it is, and what it has said
 * since says where it is. For that model the roles are the other way round.
 */
export function scriptedCustomers(tasks: readonly Task[]): (request: DeskRequest) => DeskReply {
  const scripts = tasks.map((task) => ({ task, script: scriptOf(task) }));
  return ({ messages }) => {
    const found = scripts.find(({ task }) => messages.some((message) => isScenario(message, task)));
    if (found === undefined) throw new FlyballError('SCRIPT_EXHAUSTED', 'No scripted task has this scenario.');
    const { beats, asides } = found.script;
    const last = messages.at(-1);
    const aside =
      last?.role === 'user' ? asides.find(({ hears }) => last.content.toLowerCase().includes(hears)) : undefined;
    if (aside !== undefined) return { text: aside.say, toolCalls: [] };
    const said = messages.filter(
      ({ role, content }) => role === 'assistant' && !asides.some(({ say }) => say === content),
    );
    const beat = beats[said.length];
    if (beat === undefined)
      throw new FlyballError('SCRIPT_EXHAUSTED', `The customer of ${found.task.id} has no more beats.`);
    if ('say' in beat) return { text: beat.say, toolCalls: [] };
    const call = { id: `customer_${said.length}`, name: beat.call, arguments: dumpJson(beat.with) };
    return { text: '', toolCalls: [call] };
  };
}

/** Its first line names the customer, and no two tasks have the same one. */
function isScenario({ role, content }: Message, { instructions }: Task): boolean {
  const [firstLine] = String(instructions).split('\n');
  return role === 'system' && firstLine !== undefined && content.includes(firstLine);
}

function callOf(beat: Exclude<Beat, { readonly say: string }>, n: number): SimCall {
  return { id: `customer_${n}`, name: beat.call, arguments: beat.with, requestor: 'user' };
}

function asideFor(asides: readonly Aside[], incoming: Incoming): Aside | undefined {
  if (isResults(incoming)) return undefined;
  const heard = (incoming.content ?? '').toLowerCase();
  return asides.find(({ hears }) => heard.includes(hears));
}

/** The scripted customers as the users of an experiment. */
export const scriptedCustomerSide: SideMaker = {
  llm: null,
  make: ({ run, task }) => scriptedCustomer(task, { now: () => run.now() }),
};
