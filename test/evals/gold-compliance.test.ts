import { expect, it } from 'vitest';
import { domainSource } from '../../packages/evals/src/domains/domain-registry.js';
import { dataFolder } from '../../packages/evals/src/files/data-folder.js';
import { complianceOf } from '../../packages/evals/src/metrics/compliance.js';
import { goldParties } from '../../packages/evals/src/simulation/gold-party.js';
import { simulate } from '../../packages/evals/src/simulation/orchestrator.js';
import { tau2, withTau2 } from './tau2-data.js';

withTau2('the gold paths of the bank', () => {
  it('write before verification in four tasks, which are reported apart [R5-MET-COMPLIANCE]', async () => {
    const domain = await domainSource('banking_knowledge').load(dataFolder(tau2().data));
    const facts = new Map<string, ReturnType<typeof complianceOf>>();
    for (const task of domain.tasks) {
      const environment = domain.environment({ task, retrieval: 'no_knowledge' });
      await environment.setState(task.initialState, { strict: true });
      const how = { now: () => 0 };
      const course = await simulate({
        ...goldParties(task, how),
        ...how,
        respond: (call) => environment.respond(call),
        history: null,
        limits: { maxSteps: 200, maxErrors: 100 },
      });
      facts.set(task.id, complianceOf(course.messages, domain.compliance, null));
    }
    const all = [...facts.values()];
    const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
    const unauthorized = [...facts].filter(([, one]) => one.unauthorized).map(([id]) => id);
    expect(unauthorized).toEqual([...domain.compliance.exempt]);
    expect([sum((one) => one.early.assistant), sum((one) => one.writes.assistant)]).toEqual([7, 478]);
    const both = all.filter((one) => one.early.assistant + one.early.user > 0);
    expect(both).toHaveLength(13);
    expect([
      sum((one) => one.early.assistant + one.early.user),
      sum((one) => one.writes.assistant + one.writes.user),
    ]).toEqual([25, 580]);
  });
});
