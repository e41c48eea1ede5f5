import type { Message, ToolCall } from 'flyball';
import { FlyballError } from 'flyball';
import { dumpJson } from '../../tau2/python/json.js';
import type { PyDict } from '../../tau2/python/value.js';
import type { Task } from '../../world/task.js';
import { type CourseMove, scriptOf, type TaskScript } from './task-script.js';

/** What a model is asked, as far as the script looks at it: a `ModelRequest` is one, and what the model server serves. */
export interface DeskRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly { readonly name: string }[];
}

/** What the scripted model replies: words or calls, as `scriptedModel` and the model server take them. */
export interface DeskReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

/** How a search is made with each of the tools: with the first that is offered. */
const SEARCHES: readonly { readonly tool: string; readonly args: (query: string) => Record<string, string> }[] = [
  { tool: 'KB_search', args: (query) => ({ query }) },
  { tool: 'KB_search_bm25', args: (query) => ({ query }) },
  { tool: 'grep', args: (query) => ({ pattern: alternatives(query) }) },
  { tool: 'shell', args: (query) => ({ command: `grep -rhiE "${alternatives(query)}" . | head -n 40` }) },
];

/** What takes a task off the queue of a phase machine. */
const EXECUTES: ReadonlySet<string> = new Set([
  'call_discoverable_agent_tool',
  'give_discoverable_user_tool',
  'update_contact_details',
  'record_refused_request',
  'transfer_to_human_agents',
]);

const PLANNING = '<phase name="PLANNING">';
const PLANNED = 'END_TASKS';

/**
 * A model that plays a right agent on every task, under every policy. It finds the task by the customer's first words
 * and its place in the course by what it has said since: it keeps nothing in memory, so a run that another process
 * takes over goes on where it was, and one model serves a whole experiment. Where a phase machine asks for a plan, it
 * gives one; where nothing can be searched with, it does not search.
 */
export function scriptedDesk(tasks: readonly Task[]): (request: DeskRequest) => DeskReply {
  const scripts = tasks.map((task) => ({ id: task.id, script: scriptOf(task) }));
  return (request) => {
    const found = scripts.find(({ script }) => startOf(request, script) >= 0);
    if (found === undefined)
      throw new FlyballError('SCRIPT_EXHAUSTED', 'None of the scripted tasks begins with what the customer said.');
    const { script, id } = found;
    if (isPlanning(request)) return { text: planOf(script), toolCalls: [] };
    const made = madeSince(request, startOf(request, script));
    const move = nextMove(script, request, made);
    if (move === undefined) throw new FlyballError('SCRIPT_EXHAUSTED', `The course of ${id} has ended.`);
    return replyOf(move, request, `${id}_${made.length}`);
  };
}

function startOf({ messages }: DeskRequest, { beats }: TaskScript): number {
  const [opening] = beats;
  if (opening === undefined || !('say' in opening)) return -1;
  return messages.findIndex(({ role, content }) => role === 'user' && content.includes(opening.say));
}

function isPlanning({ messages }: DeskRequest): boolean {
  return messages.some(({ role, content }) => role === 'system' && content.includes(PLANNING));
}

type Made = 'search' | 'move';

/** What the agent has done since the customer began. A plan is not part of the course. */
function madeSince({ messages }: DeskRequest, start: number): readonly Made[] {
  return messages.slice(start).flatMap((message): Made[] => {
    if (message.role !== 'assistant' || message.content.includes(PLANNED)) return [];
    const [call] = message.toolCalls ?? [];
    return [SEARCHES.some(({ tool }) => tool === call?.name) ? 'search' : 'move'];
  });
}

/** A search that cannot be made now is passed over, so that the course fits every configuration and every phase. */
function nextMove({ moves }: TaskScript, request: DeskRequest, made: readonly Made[]): CourseMove | undefined {
  const steps = moves.filter((move) => !('search' in move));
  const step = steps[made.filter((each) => each === 'move').length];
  const searched = made.length - 1 - made.lastIndexOf('move');
  const search = searchesBefore(moves, step)[searched];
  return search !== undefined && searchTool(request) !== undefined ? search : step;
}

function searchesBefore(moves: readonly CourseMove[], step: CourseMove | undefined): readonly CourseMove[] {
  const end = step === undefined ? moves.length : moves.indexOf(step);
  const before = moves.slice(0, end);
  return before.slice(before.findLastIndex((move) => !('search' in move)) + 1);
}

function searchTool({ tools }: DeskRequest): (typeof SEARCHES)[number] | undefined {
  return SEARCHES.find(({ tool }) => tools.some(({ name }) => name === tool));
}

function replyOf(move: CourseMove, request: DeskRequest, id: string): DeskReply {
  if ('say' in move) return { text: move.say, toolCalls: [] };
  if ('call' in move) return { text: '', toolCalls: [{ id, name: move.call, arguments: dumpJson(move.with) }] };
  const search = searchTool(request);
  if (search === undefined)
    throw new FlyballError('SCRIPT_EXHAUSTED', `There is nothing to search "${move.search}" with.`);
  return { text: '', toolCalls: [{ id, name: search.tool, arguments: JSON.stringify(search.args(move.search)) }] };
}

function alternatives(query: string): string {
  return query.split(' ').join('|');
}

/** One line for each call that takes a task off the queue, so that the queue is empty when the work is done. */
function planOf({ moves, plan }: TaskScript): string {
  const steps = moves.flatMap((move) =>
    'call' in move && EXECUTES.has(move.call) ? [stepName(move.call, move.with)] : [],
  );
  const lines = (steps.length === 0 ? plan : steps).map((line, at) => `${at + 1}. ${line}`);
  return ['TASKS:', ...lines, PLANNED, `Here is my plan: ${plan.join('; ')}.`].join('\n');
}

function stepName(call: string, args: PyDict): string {
  const inner = args.get('agent_tool_name') ?? args.get('discoverable_tool_name') ?? call;
  return String(inner)
    .replace(/_\d{4}$/, '')
    .replaceAll('_', ' ');
}
