// @ts-nocheck: its packages are installed by the benchmark, elsewhere
/** A tool loop of Mastra on a stub of fetch: mastra-loop.mjs <iterations> <rounds>. Says ms a loop. */
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { stubFetch } from './openai-stub.mjs';

const [iterations, rounds] = process.argv.slice(2).map(Number);
stubFetch(iterations);
const addOne = createTool({
  id: 'add_one',
  description: 'Adds one.',
  inputSchema: z.object({ x: z.number() }),
  execute: async (input) => String((input?.context ?? input).x + 1),
});
const model = { id: 'fake/fake', url: 'http://fake.local/v1', apiKey: 'x' };
const agent = new Agent({ id: 'a', name: 'a', instructions: 'x', model, tools: { add_one: addOne } });
const times = [];
for (let round = 0; round < rounds; round++) {
  const began = performance.now();
  const { text } = await agent.generate('go', { maxSteps: iterations + 5 });
  times.push(performance.now() - began);
  if (text !== 'done') throw new Error('The loop did not end.');
}
console.log(JSON.stringify(times));
process.exit(0);
