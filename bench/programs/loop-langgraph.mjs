// @ts-nocheck: its packages are installed by the benchmark, elsewhere
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { measureLoop } from './loop-harness.mjs';

process.env['LANGSMITH_TRACING'] = 'false';
const isSaving = process.argv[7] === 'saver';
await measureLoop(async ({ base, iterations, plusOne }) => {
  const llm = new ChatOpenAI({
    model: 'fake',
    apiKey: 'x',
    useResponsesApi: false,
    ...(base === '' ? {} : { configuration: { baseURL: base } }),
  });
  const addOne = tool(plusOne, { name: 'add_one', description: 'Adds one.', schema: z.object({ x: z.number() }) });
  const saver = isSaving ? { checkpointer: new MemorySaver() } : {};
  const graph = createReactAgent({ llm, tools: [addOne], ...saver });
  let thread = 0;
  return async () => {
    const { messages } = await graph.invoke(
      { messages: [{ role: 'user', content: 'go' }] },
      { recursionLimit: 3 * iterations + 10, configurable: { thread_id: `t${thread++}` } },
    );
    return messages.at(-1).content;
  };
});
