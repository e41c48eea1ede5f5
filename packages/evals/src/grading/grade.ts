import { FlyballError } from 'flyball';
import type { Course } from '../simulation/party.js';
import type { Domain, Environment } from '../world/environment.js';
import type { SimMessage } from '../world/message.js';
import type { Criteria, EnvAssertion, RewardBasis, Task } from '../world/task.js';
import { checkActions, toolTypes } from './action-checks.js';
import { checkCommunicated } from './communicate-checks.js';
import { fresh, goldEnd, predictedEnd, type ReplaySetting } from './end-state.js';
import type { NlJudge, RewardInfo } from './reward.js';
import { withoutCalls } from './without-calls.js';

/** A grade, or the reason why there is none. What could not be judged is counted apart and never passes. */
export type Grade =
  | { readonly kind: 'scored'; readonly reward: RewardInfo }
  | { readonly kind: 'unscored'; readonly because: string };

/** Options of grading a simulation. */
export interface GradeOptions {
  readonly nlJudge?: NlJudge;
  /** False for files of others: what their calls answered may be worded otherwise. True where absent. */
  readonly strict?: boolean;
  readonly retrieval?: string;
  readonly solo?: boolean;
}

export type Gradable = Pick<Course, 'messages' | 'termination' | 'refused'>;

/** What a finished simulation is worth: the product over the task's reward basis, each part found by replay. */
export async function gradeSimulation(
  domain: Domain,
  task: Task,
  course: Gradable,
  how: GradeOptions = {},
): Promise<Grade> {
  const { termination } = course;
  if (termination === 'infrastructure_error')
    return { kind: 'unscored', because: 'Our infrastructure failed: that says nothing about the agent.' };
  if (termination !== 'user_stop' && termination !== 'agent_stop')
    return scored(bare(0, `Simulation terminated prematurely. Termination reason: ${termination}`));
  if (task.criteria === null) return scored(bare(1, 'No evaluation criteria'));
  const setting: ReplaySetting = {
    domain,
    task,
    strict: how.strict ?? true,
    ...(how.retrieval === undefined ? {} : { retrieval: how.retrieval }),
    ...(how.solo === undefined ? {} : { solo: how.solo }),
  };
  return gradeBy(task.criteria, setting, course, how.nlJudge);
}

async function gradeBy(
  criteria: Criteria,
  setting: ReplaySetting,
  course: Gradable,
  judge: NlJudge | undefined,
): Promise<Grade> {
  const { messages } = course;
  const end = await endFor(criteria, setting, withoutCalls(messages, course.refused ?? []));
  await end.close?.(); // it has answered its last call, and only what is in memory is looked at from here on
  const state = await stateChecks(criteria, setting, end);
  const actions = actionChecks(criteria, end, messages);
  const communicate = communicateChecks(criteria, messages);
  const nl = await nlChecks(criteria, messages, judge);
  if ('because' in nl) return { kind: 'unscored', because: nl.because };
  const parts: readonly Part[] = [...state.parts, actions.part, ...nl.parts, communicate.part];
  const counted = parts.filter(({ basis }) => criteria.rewardBasis.includes(basis));
  return scored({
    reward: counted.reduce((product, { reward }) => product * reward, 1),
    db: state.db,
    envAssertions: state.envAssertions,
    actions: actions.checks,
    nl: nl.checks,
    communicate: communicate.checks,
    basis: criteria.rewardBasis,
    breakdown: Object.fromEntries(counted.map(({ basis, reward }) => [basis, reward])),
    info: { env: state.note, nl: nl.note, communicate: communicate.note, action: actions.note },
  });
}

/** Where a task says nothing about the end there is nothing to replay for, and so nothing that could drift. */
async function endFor(
  { actions, envAssertions }: Criteria,
  setting: ReplaySetting,
  messages: readonly SimMessage[],
): Promise<Environment> {
  return actions === null && envAssertions === null ? fresh(setting, setting.solo) : predictedEnd(setting, messages);
}

interface Part {
  readonly basis: RewardBasis;
  readonly reward: number;
}

type Note = { readonly note: string } | null;

async function stateChecks(
  { actions, envAssertions }: Criteria,
  setting: ReplaySetting,
  end: Environment,
): Promise<Pick<RewardInfo, 'db' | 'envAssertions'> & { readonly parts: readonly Part[]; readonly note: Note }> {
  if (actions === null && envAssertions === null) {
    const note = { note: 'No expected actions or env assertions' };
    return { db: { match: true, reward: 1 }, envAssertions: null, parts: [], note };
  }
  const gold = await goldEnd(setting);
  const predicted = end.hashes();
  const match = gold.agent === predicted.agent && gold.user === predicted.user;
  const checks: NonNullable<RewardInfo['envAssertions']>[number][] = [];
  for (const assertion of envAssertions ?? []) {
    const met = await holds(end, assertion);
    checks.push({ assertion, met, reward: met ? 1 : 0 });
  }
  const db = { match, reward: match ? 1 : 0 };
  const asserted = checks.every(({ met }) => met) ? 1 : 0;
  const parts: readonly Part[] = [
    { basis: 'DB', reward: db.reward },
    { basis: 'ENV_ASSERTION', reward: asserted },
  ];
  return { db, envAssertions: checks, parts, note: null };
}

async function holds(end: Environment, assertion: EnvAssertion): Promise<boolean> {
  const answer = await end.run(assertion);
  if (typeof answer === 'boolean') return answer === assertion.assertValue;
  throw new FlyballError(
    'INPUT_INVALID',
    `The assertion ${assertion.name} gave no truth value. Correct the task's data.`,
  );
}

function actionChecks(
  { actions }: Criteria,
  end: Environment,
  messages: readonly SimMessage[],
): { readonly checks: RewardInfo['actions']; readonly part: Part; readonly note: Note } {
  if (actions === null || actions.length === 0)
    return { checks: null, part: { basis: 'ACTION', reward: 1 }, note: { note: 'No actions to evaluate' } };
  const checks = checkActions(actions, messages, toolTypes(end));
  const reward = checks.every(({ matched }) => matched) ? 1 : 0;
  return { checks, part: { basis: 'ACTION', reward }, note: null };
}

function communicateChecks(
  { communicateInfo }: Criteria,
  messages: readonly SimMessage[],
): { readonly checks: RewardInfo['communicate']; readonly part: Part; readonly note: Note } {
  if (communicateInfo === null || communicateInfo.length === 0) {
    const note = { note: 'No communicate_info to evaluate' };
    return { checks: null, part: { basis: 'COMMUNICATE', reward: 1 }, note };
  }
  const checks = checkCommunicated(communicateInfo, messages);
  const reward = checks.every(({ met }) => met) ? 1 : 0;
  return { checks, part: { basis: 'COMMUNICATE', reward }, note: null };
}

type NlChecks =
  | { readonly checks: RewardInfo['nl']; readonly parts: readonly Part[]; readonly note: Note }
  | { readonly because: string };

async function nlChecks(
  { nlAssertions, rewardBasis }: Criteria,
  messages: readonly SimMessage[],
  judge: NlJudge | undefined,
): Promise<NlChecks> {
  if (!rewardBasis.includes('NL_ASSERTION')) return { checks: null, parts: [], note: null };
  const part = (reward: number): readonly Part[] => [{ basis: 'NL_ASSERTION', reward }];
  if (nlAssertions === null || nlAssertions.length === 0)
    return { checks: [], parts: part(1), note: { note: 'No nl_assertions to evaluate' } };
  if (judge === undefined) return { because: 'The task asks for a judge of its assertions, and none was given.' };
  try {
    const checks = await judge(nlAssertions, messages);
    return { checks, parts: part(checks.every(({ met }) => met) ? 1 : 0), note: null };
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'REPLY_INVALID') return { because: error.message };
    throw error;
  }
}

function scored(reward: RewardInfo): Grade {
  return { kind: 'scored', reward };
}

function bare(reward: number, note: string): RewardInfo {
  return {
    reward,
    db: null,
    envAssertions: null,
    actions: null,
    nl: null,
    communicate: null,
    basis: null,
    breakdown: null,
    info: { note },
  };
}
