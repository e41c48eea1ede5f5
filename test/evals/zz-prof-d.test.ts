import { expect, it } from 'vitest';
import { gradeSimulation } from '/work/main/src/evals/grading/grade.js';
import { goldParties } from '/work/main/src/evals/simulation/gold-party.js';
import { simulate } from '/work/main/src/evals/simulation/orchestrator.js';
import { benchmarkDomain } from '/work/main/test/evals/domains.js';
const now = () => 0;
const always = async (a: readonly string[]) => a.map((assertion) => ({ assertion, met: true, because: '' }));
it('x', async () => {
  for (const name of ['mock', 'banking_knowledge']) {
    const domain = await benchmarkDomain(name);
    const retr = domain.retrievals.includes('no_knowledge') ? { retrieval: 'no_knowledge' } : {};
    const courses = [];
    let t0 = performance.now();
    for (const task of domain.tasks) {
      const env = domain.environment({ task, ...retr });
      await env.setState(task.initialState, { strict: true });
      const g = goldParties(task, { now });
      courses.push([task, await simulate({ ...g, respond: (c) => env.respond(c), now, limits: { maxSteps: 200, maxErrors: 10 }, history: task.initialState?.history ?? null })] as const);
    }
    console.log(name, 'gold run ms/task', (performance.now() - t0) / domain.tasks.length);
    for (let r = 0; r < 5; r++) {
      t0 = performance.now();
      for (const [task, course] of courses) {
        const g = await gradeSimulation(domain, task, course, { nlJudge: always });
        if (r === 0 && name === 'mock') console.log(task.id, course.termination, JSON.stringify(g.kind === 'scored' ? [g.reward.reward, g.reward.breakdown, g.reward.actions?.map((a) => a.matched)] : g));
      }
      console.log(name, 'grade ms/task', (performance.now() - t0) / courses.length);
    }
    t0 = performance.now();
    for (const [task] of courses) domain.environment({ task, ...retr });
    console.log('env', (performance.now() - t0) / courses.length);
    t0 = performance.now();
    for (const [task] of courses) await domain.environment({ task, ...retr }).setState(task.initialState, { strict: true });
    console.log('env+state', (performance.now() - t0) / courses.length);
    t0 = performance.now();
    for (const [task] of courses) domain.environment({ task, ...retr }).hashes();
    console.log('env+hashes', (performance.now() - t0) / courses.length);
  }
}, 60000);
