// @ts-nocheck: its packages are installed by the benchmark, elsewhere
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';
import { measureLoop } from './loop-harness.mjs';

setTracingDisabled(true);
await measureLoop(async ({ base, iterations, plusOne }) => {
  const modelProvider = new OpenAIProvider({ baseURL: base, apiKey: 'x', useResponses: false });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const addOne = tool({
    name: 'add_one',
    description: 'Adds one.',
    parameters: z.object({ x: z.number() }),
    execute: plusOne,
  });
  const agent = new Agent({ name: 'a', instructions: 'You call tools.', model: 'fake', tools: [addOne] });
  return async () => (await runner.run(agent, 'go', { maxTurns: iterations + 5 })).finalOutput;
});
