import { done } from 'flyball';
import { defineAgent, workflow } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { gained, runAgent } from './stage-agent.js';

it('a dry run stands in for an output that zod declares, so that the workflow can go on [F-K12]', async () => {
  const finder = defineAgent({
    name: 'finder',
    description: 'You find numbers.',
    output: z.object({ found: z.object({ number: z.number() }) }),
    model: scriptedModel({}),
  });
  const { dryRun } = workflow(
    { name: 'letter', description: 'Finds.', agents: { finder } },
    async (run, _input, { invokeAgent }) => {
      const found = await invokeAgent(run, 'finder', {});
      if (found.stop !== 'done') throw new Error(found.stop);
      return done(found.value.output.found.number);
    },
  );
  const { outcome } = await runAgent(dryRun, {});
  expect(gained(outcome)).toMatchObject({ acts: [{ agent: 'finder' }], problems: [], end: { stop: 'done' } });
});
