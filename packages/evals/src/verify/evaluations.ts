import { partialActionReward } from '../grading/action-checks.js';
import { gradeSimulation } from '../grading/grade.js';
import type { NlJudge, RewardInfo } from '../grading/reward.js';
import { rewardRecord } from '../results/reward-record.js';
import type { Termination } from '../simulation/party.js';
import { dumpJson } from '../tau2/python/json.js';
import type { RecordFields } from '../tau2/python/record-fields.js';
import { type PyDict, PyError, type PyValue } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import type { SimMessage } from '../world/message.js';
import { readCall } from '../world/message-record.js';
import type { Task } from '../world/task.js';
import { type Check, checked, type OpenDomain, RECORDED_DOMAIN, recordLines, unlike } from './check.js';
import { quietWorld, taskOf } from './gold.js';

/** Evaluations of trajectories, check by check. The judge of natural language was a stub, and is one here. */
export async function* verifyEvaluations(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const trajectories = new Map<string, Promise<readonly SimMessage[]>>();
  for (const record of recordLines(text, file)) {
    const domain = await open(record.textOrNull('domain') ?? RECORDED_DOMAIN);
    const id = record.text('task_id');
    const what = [id, record.value('variant'), record.value('termination_reason')].filter(Boolean).join(' ');
    yield checked(what, async () => {
      const task = taskOf(domain, id);
      // the same calls stand in several records, which differ in how the conversation ended
      const key = `${domain.name} ${id} ${dumpJson(record.value('calls'))}`;
      const messages = trajectories.get(key) ?? trajectoryOf(domain, task, record);
      trajectories.set(key, messages);
      return unlike('the evaluation', expected(record), await evaluated(domain, task, await messages, record));
    });
  }
}

/** The calls made in order in a fresh environment, then a user who stops. */
async function trajectoryOf(domain: Domain, task: Task, record: RecordFields): Promise<readonly SimMessage[]> {
  const environment = quietWorld(domain, task);
  await environment.setState(task.initialState, { strict: true });
  const messages: SimMessage[] = [];
  for (const [at, made] of record.each('calls', readCall).entries()) {
    const call = { ...made, id: `call_${at}` };
    const spoken = { role: call.requestor, content: null, calls: [call], cost: 0, at: 0 };
    messages.push(spoken, await environment.respond(call));
  }
  return [...messages, { role: 'user', content: '###STOP###', calls: [], cost: 0, at: 0 }];
}

async function evaluated(
  domain: Domain,
  task: Task,
  messages: readonly SimMessage[],
  record: RecordFields,
): Promise<string> {
  const termination = record.text('termination_reason') as Termination;
  try {
    const grade = await gradeSimulation(domain, task, { messages, termination }, { nlJudge: judgeOf(record) });
    return grade.kind === 'scored' ? shown(grade.reward) : grade.because;
  } catch (error) {
    if (error instanceof PyError) return 'exception';
    throw error;
  }
}

/** Finds everything met, for the reason that the recorded one gave. */
function judgeOf(record: RecordFields): NlJudge {
  const judged = record.fieldsOrNull('reward_info')?.value('nl_assertions') ?? null;
  const reason = (at: number): string => {
    const one = Array.isArray(judged) ? judged[at] : undefined;
    const because = one instanceof Map ? one.get('justification') : undefined;
    return typeof because === 'string' ? because : 'stub judge: always true';
  };
  return async (assertions) => assertions.map((assertion, at) => ({ assertion, met: true, because: reason(at) }));
}

function expected(record: RecordFields): string {
  if (record.value('exception') !== null) return 'exception';
  return dumpJson(record.value('reward_info'), { sortKeys: true });
}

function shown(reward: RewardInfo): string {
  const record = rewardRecord(reward);
  const checks = record.get('action_checks') as PyDict[] | null;
  record.set('action_checks', checks?.map(briefly) ?? null);
  const partial = partialActionReward(reward);
  const shares: PyDict = new Map([
    ['total', share(partial?.total)],
    ['read', share(partial?.read)],
    ['write', share(partial?.write)],
  ]);
  record.set('partial_action_reward', partial && shares);
  return dumpJson(record, { sortKeys: true });
}

function share(of: { correct: number; count: number; proportion: number } | null | undefined): PyValue {
  if (of === null || of === undefined) return null;
  return new Map<string, PyValue>([
    ['correct', BigInt(of.correct)],
    ['count', BigInt(of.count)],
    ['proportion', of.proportion],
  ]);
}

/** The recording keeps the id of an action, not the whole. */
function briefly(check: PyDict): PyDict {
  const { action, ...rest } = Object.fromEntries(check) as Record<string, PyValue>;
  return new Map<string, PyValue>([
    ['action_id', (action as PyDict).get('action_id') ?? null],
    ...Object.entries(rest),
  ]);
}
