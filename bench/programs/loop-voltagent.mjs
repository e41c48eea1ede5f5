// @ts-nocheck: its packages are installed by the benchmark, elsewhere
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, createTool } from '@voltagent/core';
import { z } from 'zod';
import { measureLoop } from './loop-harness.mjs';

await measureLoop(async ({ base, iterations, plusOne }) => {
  const provider = createOpenAICompatible({ name: 'fake', baseURL: base, apiKey: 'x' });
  const addOne = createTool({
    name: 'add_one',
    description: 'Adds one.',
    parameters: z.object({ x: z.number() }),
    execute: plusOne,
  });
  const agent = new Agent({
    name: 'a',
    instructions: 'You call tools.',
    model: provider('fake'),
    tools: [addOne],
    memory: false,
    maxSteps: iterations + 5,
  });
  return async () => (await agent.generateText('go', { maxSteps: iterations + 5 })).text;
});
