import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gradeSimulation } from '../../packages/evals/src/grading/grade.js';
import type { NlJudge } from '../../packages/evals/src/grading/reward.js';
import { goldParties } from '../../packages/evals/src/simulation/gold-party.js';
import { simulate } from '../../packages/evals/src/simulation/orchestrator.js';
import type { Course, Party } from '../../packages/evals/src/simulation/party.js';
import { scriptedParty, silentAgent } from '../../packages/evals/src/simulation/scripted-party.js';
import { verifyEvaluations } from '../../packages/evals/src/verify/evaluations.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import type { Task } from '../../packages/evals/src/world/task.js';
import { benchmarkDomain, taskOf } from './domains.js';
import { tau2, withTau2 } from './tau2-data.js';

const always: NlJudge = async (assertions) =>
  assertions.map((assertion) => ({ assertion, met: true, because: 'stub judge: always true' }));

const now = (): number => 0;

withTau2('the recorded evaluations of the reference', () => {
  it('come out the same, check by check [R5-GRADE-ORACLE] [R5-GRADE-DB] [R5-GRADE-ACTION]', async () => {
    const text = gunzipSync(readFileSync(`${tau2().oracle}/banking_eval.jsonl.gz`)).toString('utf8');
    let agreeing = 0;
    for await (const { what, differs } of verifyEvaluations(text, 'banking_eval.jsonl', benchmarkDomain)) {
      expect(differs, what).toEqual([]);
      agreeing++;
    }
    expect(agreeing).toBeGreaterThan(1000);
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

  it('give 1 to the gold agent on mock where the recordings say that its assertions hold [R5-GRADE-GOLD] [R5-GRADE-ENV]', async () => {
    const domain = await benchmarkDomain('mock');
    const recorded = readFileSync(`${tau2().oracle}/mock.jsonl`, 'utf8')
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

function withoutServices(domain: Domain): { readonly retrieval?: string } {
  return domain.retrievals.includes('no_knowledge') ? { retrieval: 'no_knowledge' } : {};
}
