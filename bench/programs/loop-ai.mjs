// @ts-nocheck: its packages are installed by the benchmark, elsewhere
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { stepCountIs, ToolLoopAgent, tool } from 'ai';
import { z } from 'zod';
import { measureLoop } from './loop-harness.mjs';

await measureLoop(async ({ base, iterations, plusOne }) => {
  const provider = createOpenAICompatible({ name: 'fake', baseURL: base, apiKey: 'x' });
  const addOne = tool({ description: 'Adds one.', inputSchema: z.object({ x: z.number() }), execute: plusOne });
  const agent = new ToolLoopAgent({
    model: provider('fake'),
    tools: { add_one: addOne },
    stopWhen: stepCountIs(iterations + 5),
  });
  return async () => (await agent.generate({ prompt: 'go' })).text;
});
