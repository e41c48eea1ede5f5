import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { partialActionReward } from '../../src/evals/grading/action-checks.js';
import { gradeSimulation } from '../../src/evals/grading/grade.js';
import type { NlJudge, RewardInfo } from '../../src/evals/grading/reward.js';
import { dumpJson, parseJson } from '../../src/evals/python/json.js';
import { type PyDict, PyError, type PyValue } from '../../src/evals/python/value.js';
import { rewardRecord } from '../../src/evals/results/reward-record.js';
import { goldParties } from '../../src/evals/simulation/gold-party.js';
import { simulate } from '../../src/evals/simulation/orchestrator.js';
import type { Course, Party, Termination } from '../../src/evals/simulation/party.js';
import { scriptedParty, silentAgent } from '../../src/evals/simulation/scripted-party.js';
import type { Domain } from '../../src/evals/world/environment.js';
import type { Requestor, SimCall, SimMessage } from '../../src/evals/world/message.js';
import type { Task } from '../../src/evals/world/task.js';
import { benchmarkDomain, taskOf } from './domains.js';
import { tau2, withTau2 } from './tau2-data.js';

const always: NlJudge = async (assertions) =>
  assertions.map((assertion) => ({ assertion, met: true, because: 'stub judge: always true' }));

const now = (): number => 0;

withTau2('the recorded evaluations of the reference', () => {
  const packed = readFileSync(`${tau2?.oracle}/banking_eval.jsonl.gz`);
  const lines = gunzipSync(packed)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as PyDict);

  it('come out the same, check by check [R5-GRADE-ORACLE] [R5-GRADE-DB] [R5-GRADE-ACTION]', async () => {
    const domain = await benchmarkDomain('banking_knowledge');
    expect(lines.length).toBeGreaterThan(1000);
    const trajectories = new Map<string, Promise<readonly SimMessage[]>>();
    for (const line of lines) {
      const task = taskOf(domain, String(line.get('task_id')));
      const what = `${task.id} ${String(line.get('variant'))} ${String(line.get('termination_reason'))}`;
      // the same calls stand in several lines, which differ in how the conversation ended
      const key = `${task.id} ${dumpJson(line.get('calls') ?? null)}`;
      const messages = trajectories.get(key) ?? trajectoryOf(domain, task, line);
      trajectories.set(key, messages);
      const own = await evaluated(domain, task, await messages, line.get('termination_reason') as Termination);
      expect(own, what).toBe(expected(line));
    }
  }, 60_000);

  it('give 1 to the gold agent on all banking tasks and 0 to one that does nothing [R5-GRADE-GOLD]', async () => {
    const domain = await benchmarkDomain('banking_knowledge');
    expect(domain.tasks).toHaveLength(97);
    for (const task of domain.tasks) {
      const gold = goldParties(task, { now });
      expect(await rewardOf(domain, task, await played(domain, task, gold.agent, gold.user)), task.id).toBe(1);
      const lines = [{ text: 'Hello.' }, { text: '###STOP###' }];
      const user = scriptedParty(lines, { role: 'user', now });
      expect(await rewardOf(domain, task, await played(domain, task, silentAgent({ now }), user)), task.id).toBe(0);
    }
  });

  it('give 1 to the gold agent on mock where the recordings say that its assertions hold [R5-GRADE-GOLD] [R5-GRADE-ENV]', async () => {
    const domain = await benchmarkDomain('mock');
    const recorded = readFileSync(`${tau2?.oracle}/mock.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map(
        (line) => JSON.parse(line) as { readonly task_id: string; readonly env_assertions_live?: readonly boolean[] },
      );
    const outcomes: (readonly [string, number])[] = [];
    for (const { task_id } of recorded) {
      const task = taskOf(domain, task_id);
      const gold = goldParties(task, { now });
      outcomes.push([task_id, await rewardOf(domain, task, await played(domain, task, gold.agent, gold.user))]);
    }
    // two tasks assert what no gold action does: nobody can be right there by the gold path alone
    expect(outcomes).toEqual(
      recorded.map(({ task_id, env_assertions_live: met }) => [task_id, (met ?? []).every((one) => one) ? 1 : 0]),
    );
    expect(outcomes.filter(([, reward]) => reward === 1)).toHaveLength(8);
  });
});

async function played(domain: Domain, task: Task, agent: Party, user: Party): Promise<Course> {
  const environment = domain.environment({ task, ...withoutServices(domain) });
  await environment.setState(task.initialState, { strict: true });
  return simulate({
    agent,
    user,
    respond: (call) => environment.respond(call),
    now,
    limits: { maxSteps: 200, maxErrors: 10 },
    history: task.initialState?.history ?? null,
  });
}

async function rewardOf(domain: Domain, task: Task, course: Course): Promise<number> {
  const grade = await gradeSimulation(domain, task, course, { nlJudge: always });
  if (grade.kind !== 'scored') throw new Error(grade.because);
  return grade.reward.reward;
}

/** The trajectory of a line: its calls made in order in a fresh environment, then a user who stops. */
async function trajectoryOf(domain: Domain, task: Task, line: PyDict): Promise<readonly SimMessage[]> {
  const environment = domain.environment({ task, ...withoutServices(domain) });
  await environment.setState(task.initialState, { strict: true });
  const messages: SimMessage[] = [];
  for (const [index, made] of (line.get('calls') as PyDict[]).entries()) {
    const requestor = made.get('requestor') as Requestor;
    const call: SimCall = {
      id: `call_${index}`,
      name: String(made.get('name')),
      arguments: made.get('arguments') as PyDict,
      requestor,
    };
    messages.push({ role: requestor, content: null, calls: [call], cost: 0, at: 0 }, await environment.respond(call));
  }
  return [...messages, { role: 'user', content: '###STOP###', calls: [], cost: 0, at: 0 }];
}

async function evaluated(
  domain: Domain,
  task: Task,
  messages: readonly SimMessage[],
  termination: Termination,
): Promise<string> {
  try {
    const grade = await gradeSimulation(domain, task, { messages, termination }, { nlJudge: always });
    return grade.kind === 'scored' ? shown(grade.reward) : grade.because;
  } catch (error) {
    if (error instanceof PyError) return 'exception';
    throw error;
  }
}

function expected(line: PyDict): string {
  if ((line.get('exception') ?? null) !== null) return 'exception';
  return dumpJson(line.get('reward_info') ?? null, { sortKeys: true });
}

function shown(reward: RewardInfo): string {
  const record = rewardRecord(reward);
  const checks = record.get('action_checks') as PyDict[] | null;
  record.set('action_checks', checks?.map(briefly) ?? null);
  const partial = partialActionReward(reward);
  const share = (of: { correct: number; count: number; proportion: number } | null | undefined): PyValue =>
    of == null
      ? null
      : new Map<string, PyValue>([
          ['correct', BigInt(of.correct)],
          ['count', BigInt(of.count)],
          ['proportion', of.proportion],
        ]);
  const shares: PyDict = new Map([
    ['total', share(partial?.total)],
    ['read', share(partial?.read)],
    ['write', share(partial?.write)],
  ]);
  record.set('partial_action_reward', partial && shares);
  return dumpJson(record, { sortKeys: true });
}

/** The recording keeps the id of an action, not the whole. */
function briefly(check: PyDict): PyDict {
  const { action, ...rest } = Object.fromEntries(check) as Record<string, PyValue>;
  return new Map<string, PyValue>([
    ['action_id', (action as PyDict).get('action_id') ?? null],
    ...Object.entries(rest),
  ]);
}

function withoutServices(domain: Domain): { readonly retrieval?: string } {
  return domain.retrievals.includes('no_knowledge') ? { retrieval: 'no_knowledge' } : {};
}
