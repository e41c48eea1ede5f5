// @ts-nocheck: its packages are installed by the benchmark, elsewhere
/** A tool loop of LangGraph on a stub of fetch: langgraph-loop.mjs <iterations> <rounds>. Says ms a loop, best and median. */

import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { stubFetch } from './openai-stub.mjs';

process.env['LANGSMITH_TRACING'] = 'false';
const [iterations, rounds] = process.argv.slice(2).map(Number);
stubFetch(iterations);
const llm = new ChatOpenAI({ model: 'fake', apiKey: 'x', useResponsesApi: false });
const addOne = tool(async ({ x }) => String(x + 1), {
  name: 'add_one',
  description: 'Adds one.',
  schema: z.object({ x: z.number() }),
});
const times = [];
for (let round = 0; round < rounds; round++) {
  const graph = createReactAgent({ llm, tools: [addOne], checkpointer: new MemorySaver() });
  const began = performance.now();
  const { messages } = await graph.invoke(
    { messages: [{ role: 'user', content: 'go' }] },
    { recursionLimit: 3 * iterations + 10, configurable: { thread_id: `t${round}` } },
  );
  times.push(performance.now() - began);
  if (messages.at(-1).content !== 'done') throw new Error('The loop did not end.');
}
console.log(JSON.stringify(times));
process.exit(0);
