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
    for (const line of lines) {
      const task = taskOf(domain, String(line.get('task_id')));
      const what = `${task.id} ${String(line.get('variant'))} ${String(line.get('termination_reason'))}`;
      const own = await evaluated(domain, task, line);
      expect(own, what).toBe(expected(line));
    }
  });

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

  it('give 1 to the gold agent wherever the gold path of mock can be reached [R5-GRADE-GOLD]', async () => {
    const domain = await benchmarkDomain('mock');
    const rewards = new Map<string, number>();
    for (const task of domain.tasks) {
      const gold = goldParties(task, { now });
      rewards.set(task.id, await rewardOf(domain, task, await played(domain, task, gold.agent, gold.user)));
    }
    // its criteria assert a status that no gold action sets: nobody is told to make the call
    const { update_task_with_history_and_env_assertions: unreachable, ...others } = Object.fromEntries(rewards);
    expect(unreachable).toBe(0);
    expect(Object.values(others).every((reward) => reward === 1)).toBe(true);
    expect(Object.keys(others)).toHaveLength(9);
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
async function evaluated(domain: Domain, task: Task, line: PyDict): Promise<string> {
  const termination = line.get('termination_reason') as Termination;
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
  messages.push({ role: 'user', content: '###STOP###', calls: [], cost: 0, at: 0 });
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
