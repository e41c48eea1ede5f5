// @ts-nocheck: its packages are installed by the benchmark, elsewhere
/** Mastra's side of the crash test, with its durable agents on LibSQL: mastra-crash.mjs <folder> <scenario> run|resume. */
import fs from 'node:fs';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

const [folder, scenario, phase] = process.argv.slice(2);
const ledger = `${folder}/ledger.txt`;
const marker = `${folder}/died`;

const CALLS = { inside: ['charge-and-die'], parallel: ['charge', 'die-late'] };
globalThis.fetch = async (url, init = {}) => {
  const address = String(url?.url ?? url);
  if (!address.includes('fake.local')) throw new Error(`blocked ${address}`);
  const body = init.body ?? (await url.text());
  const isAnswered = body.includes('"role":"tool"');
  const calls = CALLS[scenario].map((name, index) => ({
    index,
    id: `call_${name}`,
    type: 'function',
    function: { name, arguments: '{}' },
  }));
  const chunk = (choices, usage) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'f', choices, ...(usage ? { usage } : {}) })}\n\n`;
  const delta = isAnswered ? { role: 'assistant', content: 'done' } : { role: 'assistant', tool_calls: calls };
  const text = [
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: isAnswered ? 'stop' : 'tool_calls' }]),
    chunk([], { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }),
    'data: [DONE]\n\n',
  ].join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
};

const happen = (what) => fs.appendFileSync(ledger, `${what}\n`);
const die = () => {
  if (fs.existsSync(marker)) return;
  fs.writeFileSync(marker, '');
  process.kill(process.pid, 'SIGKILL');
};
const make = (id, execute) => createTool({ id, description: id, inputSchema: z.object({}), execute });
const tools = {
  charge: make('charge', async () => {
    happen('charge');
    return 'ok';
  }),
  'charge-and-die': make('charge-and-die', async () => {
    happen('charge');
    die();
    return 'ok';
  }),
  'die-late': make('die-late', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    die();
    happen('late');
    return 'ok';
  }),
};
const storage = new LibSQLStore({ id: 's', url: `file:${folder}/mastra.db` });
const model = { id: 'fake/fake', url: 'http://fake.local/v1', apiKey: 'x' };
const memory = new Memory({ storage });
const given = new Agent({ id: 'a', name: 'a', instructions: 'x', model, tools, durable: true, memory });
const mastra = new Mastra({ agents: { a: given }, storage, recovery: { durableAgents: 'auto' }, logger: false });
const agent = mastra.getAgent('a');
if (phase === 'run') {
  const stream = await agent.stream('go', { memory: { thread: 't1', resource: 'u1' }, maxSteps: 8 });
  for await (const _chunk of (stream.output ?? stream).fullStream);
  console.log(JSON.stringify({ stop: 'done' }));
} else {
  const { recovered = [] } = await agent.recoverActiveRuns();
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // recovery goes on after it was reported
  console.log(JSON.stringify({ stop: `recovered ${recovered.length}` }));
}
process.exit(0);
