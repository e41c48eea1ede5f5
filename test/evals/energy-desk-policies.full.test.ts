import { describe, expect, it } from 'vitest';
import { deskExperiment, outcomes, POLICIES } from './energy-desk-experiment.js';
import { desk } from './energy-desk-stage.js';

describe('the scripted desk', () => {
  it.each(['bm25_grep', 'golden_retrieval'])(
    'plays all tasks to the end under each policy with %s [R5-DOMAIN-OWN]',
    async (retrieval) => {
      const domain = await desk();
      const { tasks } = domain;
      const results = await deskExperiment(domain, { tasks, policies: POLICIES, retrieval });
      expect(results.map(outcomes)).toEqual(POLICIES.map(() => tasks.map(({ id }) => [id, 1, 'user_stop'])));
    },
  );
});
