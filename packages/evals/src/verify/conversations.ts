import { FlyballError } from 'flyball';
import { gradeSimulation } from '../grading/grade.js';
import { rewardRecord } from '../results/reward-record.js';
import type { Course } from '../simulation/party.js';
import { dumpJson, parseJson } from '../tau2/python/json.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import { type PyDict, PyError, type PyValue } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import type { SimMessage } from '../world/message.js';
import { writeMessage } from '../world/message-record.js';
import type { Task } from '../world/task.js';
import { type Check, checked, type OpenDomain, RECORDED_DOMAIN, unlike } from './check.js';
import { taskOf } from './gold.js';
import { historyIn, type Played, playScenario } from './scripted-scenario.js';

/** Scripted conversations through the orchestrator: messages, steps, errors, how they end, and what they are worth. */
export async function* verifyConversations(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const all = new RecordFields(new Map<string, PyValue>([['all', parseJson(text)]]), file);
  for (const scenario of all.each('all', (value, path) => new RecordFields(value, path))) {
    const what = scenario.textOrNull('scenario') ?? scenario.path;
    const domain = await open(scenario.textOrNull('domain') ?? RECORDED_DOMAIN);
    if (historyIn(scenario) === 'unknown')
      yield { what, differs: [], skipped: 'the recording does not show the history that it began with' };
    else yield checked(what, () => scenarioDifferences(domain, scenario));
  }
}

/** In what a scenario that is played again differs from its recording. */
export async function scenarioDifferences(domain: Domain, scenario: RecordFields): Promise<readonly string[]> {
  const played = await playScenario(domain, taskOf(domain, scenario.text('task_id')), scenario);
  const differs = [
    ...unlike('what the agent got', String(scenario.value('agent_inputs')), String(played.agent.inputs)),
    ...unlike('what the user got', String(scenario.value('user_inputs')), String(played.user.inputs)),
    ...unlike("the agent's history", String(scenario.value('agent_init_history')), String(played.agent.history)),
    ...unlike("the user's history", String(scenario.value('user_init_history')), String(played.user.history)),
    ...unlike('the number of steps', scenario.number('step_count'), played.steps),
    ...unlike('the number of errors', scenario.number('num_errors'), played.errors),
  ];
  if (scenario.value('exception') !== null) return [...differs, ...unlikeFailure(scenario, played)];
  if (played.course === undefined) throw played.error;
  return [...differs, ...(await unlikeCourse(domain, played.task, played.course, scenario))];
}

/** A history that cannot be is refused before the first step; a message that is none, when it comes. */
function unlikeFailure(scenario: RecordFields, { error }: Played): readonly string[] {
  const isBefore = scenario.value('agent_init_history') === null;
  const isRefused = isBefore
    ? error instanceof PyError
    : error instanceof FlyballError && error.code === 'REPLY_INVALID';
  return isRefused ? [] : [`it does not fail, recorded ${String(scenario.value('exception'))}`];
}

async function unlikeCourse(
  domain: Domain,
  task: Task,
  course: Course,
  scenario: RecordFields,
): Promise<readonly string[]> {
  return [
    ...unlike('how it ended', scenario.value('termination_reason'), course.termination),
    ...unlike("the agent's cost", scenario.value('agent_cost'), course.agentCost),
    ...unlike("the user's cost", scenario.value('user_cost'), course.userCost),
    ...unlike('the messages', compared(scenario.value('messages') as PyDict[], domain), shown(course.messages, domain)),
    ...(await unlikeReward(domain, task, course, scenario)),
  ];
}

async function unlikeReward(
  domain: Domain,
  task: Task,
  course: Course,
  scenario: RecordFields,
): Promise<readonly string[]> {
  const grade = await gradeSimulation(domain, task, course);
  if (grade.kind !== 'scored') return [grade.because];
  const own = rewardRecord(grade.reward);
  const matches = grade.reward.actions?.map(({ matched }) => matched) ?? null;
  const assertions = grade.reward.envAssertions?.map(({ met }) => met) ?? null;
  return [
    ...[...scenario.fields('reward_info').dict].flatMap(([name, value]) =>
      unlike(`${name} of the reward`, dumpJson(value), dumpJson(own.get(name) ?? null)),
    ),
    ...unlike('which actions match', String(scenario.value('action_matches')), String(matches)),
    ...unlike('which assertions hold', String(scenario.value('env_assertions')), String(assertions)),
  ];
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

/** The bank's tools say the same facts in our words: what they say is compared with their own recordings. */
function compared(records: readonly PyDict[], domain: Domain): string {
  const isOwnWords = (record: PyDict): boolean => domain.name === RECORDED_DOMAIN && record.get('role') === 'tool';
  const kept = records.map((record) => (isOwnWords(record) ? new Map(record).set('content', '…') : record));
  return dumpJson(kept, { sortKeys: true });
}
