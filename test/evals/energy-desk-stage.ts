import { fileURLToPath } from 'node:url';
import { energyDesk } from '../../packages/evals/src/domains/energy-desk/energy-desk.js';
import { dataFolder } from '../../packages/evals/src/files/index.js';
import { gradeSimulation } from '../../packages/evals/src/grading/grade.js';
import { goldParties } from '../../packages/evals/src/simulation/gold-party.js';
import { simulate } from '../../packages/evals/src/simulation/orchestrator.js';
import type { Course, Party } from '../../packages/evals/src/simulation/party.js';
import type { Domain, Environment } from '../../packages/evals/src/world/environment.js';
import type { GoldAction, Task } from '../../packages/evals/src/world/task.js';

export const shipped = dataFolder(fileURLToPath(new URL('../../packages/evals/data', import.meta.url)));

let loading: Promise<Domain> | undefined;
/** Loaded once for a test file: nothing in a domain changes. */
export function desk(): Promise<Domain> {
  loading ??= energyDesk.load(shipped);
  return loading;
}

export function taskOf(domain: Domain, id: string): Task {
  const found = domain.tasks.find((task) => task.id === id);
  if (found === undefined) throw new Error(`There is no task ${id}.`);
  return found;
}

/** One after the other, from 1. */
export function counter(): () => number {
  let ticks = 0;
  return () => ++ticks;
}

const limits = { maxSteps: 200, maxErrors: 10 };

/** A conversation of two parties in a fresh world. */
export async function played(
  domain: Domain,
  task: Task,
  parties: { readonly agent: Party; readonly user: Party },
  how: { readonly now: () => number; readonly retrieval?: string },
): Promise<Course> {
  const retrieval = how.retrieval === undefined ? {} : { retrieval: how.retrieval };
  const environment = domain.environment({ task, ...retrieval });
  return simulate({ ...parties, respond: (call) => environment.respond(call), now: how.now, limits });
}

/** What a course is worth; the judge of natural-language assertions agrees with everything. */
export async function worth(domain: Domain, task: Task, course: Course): Promise<number> {
  const grade = await gradeSimulation(domain, task, course, {
    nlJudge: async (assertions) => assertions.map((assertion) => ({ assertion, met: true, because: 'a stub' })),
  });
  if (grade.kind === 'unscored') throw new Error(grade.because);
  return grade.reward.reward;
}

/** What these calls are worth, each made by its side, with the gold path's words at the end. */
export async function worthOf(domain: Domain, task: Task, actions: readonly GoldAction[]): Promise<number> {
  const { criteria } = task;
  if (criteria === null) throw new Error(`${task.id} has no criteria.`);
  const now = counter();
  const parties = goldParties({ ...task, criteria: { ...criteria, actions } }, { now });
  return worth(domain, task, await played(domain, task, parties, { now }));
}

export function goldOf(task: Task): readonly GoldAction[] {
  return task.criteria?.actions ?? [];
}

/** The specialist or customer tool that a call stands for, else the call's own name. */
export function toolOf({ name, arguments: args }: Pick<GoldAction, 'name' | 'arguments'>): string {
  const inner = name.startsWith('call_') ? (args.get('agent_tool_name') ?? args.get('discoverable_tool_name')) : name;
  return typeof inner === 'string' ? inner : name;
}

let calls = 0;
/** The text with which a tool answers. */
export async function answer(environment: Environment, name: string, args: Record<string, unknown>): Promise<string> {
  const requestor = environment.user?.has(name) === true ? 'user' : 'assistant';
  const given = new Map(Object.entries(args)) as never;
  const { content } = await environment.respond({ id: `call_${++calls}`, name, arguments: given, requestor });
  return content;
}

/** Unlocks a specialist tool and uses it. */
export async function use(environment: Environment, tool: string, args: Record<string, unknown>): Promise<string> {
  await answer(environment, 'unlock_discoverable_agent_tool', { agent_tool_name: tool });
  const call = { agent_tool_name: tool, arguments: JSON.stringify(args) };
  return answer(environment, 'call_discoverable_agent_tool', call);
}
