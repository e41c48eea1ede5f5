import type { Agent, Run } from 'flyball';
import { done, FlyballError } from 'flyball';
import type { MoveNote } from 'flyball/internal';
import { modelJudge } from '../grading/model-judge.js';
import { simulate } from '../simulation/orchestrator.js';
import type { Course, Limits } from '../simulation/party.js';
import type { Environment } from '../world/environment.js';
import type { SimMessage } from '../world/message.js';
import type { Task } from '../world/task.js';
import { behindGate } from './behind-gate.js';
import type { Condition, ExperimentOptions, SideMaker } from './experiment.js';
import { type Finished, finishedText, type Judged } from './finished-course.js';
import { JournaledWorld } from './journaled-world.js';
import { userToolNames } from './user-tools.js';

/** Which simulation a run is. Names, not objects: the run is found again by another process. */
export interface SimulationInput {
  readonly condition: string;
  readonly task: string;
  readonly trial: number;
  readonly seed: number;
}

export const DEFAULT_LIMITS: Limits = { maxSteps: 200, maxErrors: 10 };

/**
 * One simulation as an agent: both parties ask their models through the run, and the environment is called through it.
 * It is deterministic given what the run answers, so a process that takes over drives it again from the top.
 */
export function simulationAgent(options: ExperimentOptions): Agent<SimulationInput, string> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  return async (run, input) => {
    const condition = named(options.conditions, ({ name }) => name === input.condition, `condition ${input.condition}`);
    const task = named(options.tasks, ({ id }) => id === input.task, `task ${input.task}`);
    const startedAt = run.now();
    const environment = environmentFor(options, condition, task, limits);
    const world = new JournaledWorld(environment, task.initialState);
    await run.step('set up the world', input.task, () => world.begin().then(() => null), 'pure');
    const notes: MoveNote[] = [];
    const scene: Scene = { options, condition, task, environment, world, limits, notes, seed: input.seed };
    const course = await converse(run, scene).finally(() => world.close(options.runtime.onProblem));
    const judged = await judgedIn(run, options, task, course);
    const finished: Finished = {
      course: world.refused.length === 0 ? course : { ...course, refused: world.refused },
      judged,
      info: infoOf(notes, course, world.refused),
      startedAt,
      endedAt: run.now(),
    };
    return done(finishedText(finished));
  };
}

function environmentFor(
  { domain }: Pick<ExperimentOptions, 'domain'>,
  condition: Condition,
  task: Task,
  limits: Pick<Limits, 'solo'> = {},
): Environment {
  return domain.environment({
    task,
    ...(condition.retrieval === undefined ? {} : { retrieval: condition.retrieval }),
    ...(condition.retrievalOptions === undefined ? {} : { retrievalOptions: condition.retrievalOptions }),
    ...(limits.solo === undefined ? {} : { solo: limits.solo }),
  });
}

/** The policy's text for one task. */
export async function policyFor(
  options: Pick<ExperimentOptions, 'domain'>,
  condition: Condition,
  task: Task,
): Promise<string> {
  const environment = environmentFor(options, condition, task);
  await environment.close?.();
  return environment.policy;
}

interface Scene {
  readonly options: ExperimentOptions;
  readonly condition: Condition;
  readonly task: Task;
  readonly environment: Environment;
  readonly world: JournaledWorld;
  readonly limits: Limits;
  readonly notes: MoveNote[];
  readonly seed: number;
}

function converse(run: Run, scene: Scene): Promise<Course> {
  const { options, condition, task, environment, world } = scene;
  // a scope each: what the agent's own calls were can be read off the journal without the user's
  const scopes = { assistant: run.scope('agent'), user: run.scope('user') };
  const side = (maker: SideMaker, role: 'assistant' | 'user') =>
    maker.make({
      run: scopes[role],
      domain: options.domain,
      task,
      policy: environment.policy,
      tools: world.offered(role, role === 'user' ? userToolNames(environment, task) : undefined),
      seed: scene.seed,
      note: (entry) => scene.notes.push(entry),
    });
  const agent = makerOf(options.agents, condition.agent, 'agent');
  const held = behindGate(scopes.assistant, agent.gate, {
    known: [environment.policy],
    history: task.initialState?.history ?? [],
  });
  return simulate({
    agent: held.heard(side(agent, 'assistant')),
    user: held.heard(side(makerOf(options.users, condition.user, 'user'), 'user')),
    respond: (call) => world.respond(call.requestor === 'assistant' ? held.run : scopes.user, call),
    now: () => run.now(),
    limits: scene.limits,
    history: task.initialState?.history ?? null,
  });
}

async function judgedIn(run: Run, { judge }: ExperimentOptions, task: Task, course: Course): Promise<Judged | null> {
  const { criteria } = task;
  const assertions = criteria?.nlAssertions ?? [];
  const isNeeded = criteria?.rewardBasis.includes('NL_ASSERTION') === true && assertions.length > 0;
  const hasEnded = course.termination === 'user_stop' || course.termination === 'agent_stop';
  if (judge === undefined || !isNeeded || !hasEnded) return null;
  try {
    return { kind: 'judged', checks: await modelJudge(run.scope('judge'), judge)(assertions, course.messages) };
  } catch (error) {
    if (!(error instanceof FlyballError) || error.code !== 'REPLY_INVALID') throw error;
    return { kind: 'unreadable', because: error.message };
  }
}

function infoOf(
  notes: readonly MoveNote[],
  course: Course,
  refused: readonly string[],
): Readonly<Record<string, unknown>> {
  const count = (kind: MoveNote['kind']): number => notes.filter((note) => note.kind === kind).length;
  const rules = notes.flatMap((note) => (note.kind === 'refused' ? [`${note.rule}: ${note.call.name}`] : []));
  const phases = notes.flatMap((note) => (note.kind === 'phase' ? [note.to] : []));
  return {
    steps: course.steps,
    toolErrors: course.messages.filter(isError).length,
    responseTypeViolations: count('response-type'),
    refusedCalls: count('refused') + refused.length,
    escalations: count('escalated'),
    ...(rules.length === 0 ? {} : { refusedBy: rules }),
    ...(phases.length === 0 ? {} : { phases }),
    ...(refused.length === 0 ? {} : { refusedCallIds: refused }),
  };
}

function isError(message: SimMessage): boolean {
  return message.role === 'tool' && message.error;
}

function makerOf(makers: Readonly<Record<string, SideMaker>>, name: string, what: string): SideMaker {
  const maker = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (maker !== undefined) return maker;
  const known = Object.keys(makers).join(', ') || 'none';
  throw new FlyballError('CONFIG_INVALID', `There is no ${what} called ${name}. Available: ${known}.`);
}

function named<T>(list: readonly T[], is: (one: T) => boolean, what: string): T {
  const found = list.find(is);
  if (found !== undefined) return found;
  throw new FlyballError('CONFIG_INVALID', `This experiment has no ${what}.`);
}
