// @ts-nocheck: its packages are installed by the benchmark, elsewhere
/**
 * LangGraph's side of the crash test: langgraph-crash.mjs <folder> <scenario> run|resume. Checkpoints are those of
 * MemorySaver, written to a file and synced after every change; durability is 'sync', the strictest it has.
 */
import fs from 'node:fs';
import v8 from 'node:v8';
import { tool } from '@langchain/core/tools';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

process.env['LANGSMITH_TRACING'] = 'false';
const [folder, scenario, phase] = process.argv.slice(2);
const ledger = `${folder}/ledger.txt`;
const marker = `${folder}/died`;
const checkpoints = `${folder}/checkpoints.bin`;

const CALLS = { inside: ['charge-and-die'], parallel: ['charge', 'die-late'], wait: ['charge-and-ask'] };
let replies = 0;
globalThis.fetch = async (_url, init) => {
  const isAnswered = init.body.includes('"role":"tool"');
  const calls = CALLS[scenario].map((name) => ({
    id: `call_${name}`,
    type: 'function',
    function: { name, arguments: '{}' },
  }));
  const message = isAnswered
    ? { role: 'assistant', content: 'done' }
    : { role: 'assistant', content: null, tool_calls: calls };
  return Response.json({
    id: `reply_${process.pid}_${replies++}`,
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, message, finish_reason: isAnswered ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
};

class FileSaver extends MemorySaver {
  constructor() {
    super();
    if (!fs.existsSync(checkpoints)) return;
    const kept = v8.deserialize(fs.readFileSync(checkpoints));
    this.storage = kept.storage;
    this.writes = kept.writes;
  }
  async put(...given) {
    const answer = await super.put(...given);
    this.keep();
    return answer;
  }
  async putWrites(...given) {
    const answer = await super.putWrites(...given);
    this.keep();
    return answer;
  }
  keep() {
    const file = fs.openSync(`${checkpoints}.new`, 'w');
    fs.writeSync(file, v8.serialize({ storage: this.storage, writes: this.writes }));
    fs.fsyncSync(file);
    fs.closeSync(file);
    fs.renameSync(`${checkpoints}.new`, checkpoints);
  }
}

const happen = (what) => fs.appendFileSync(ledger, `${what}\n`);
const die = () => {
  if (fs.existsSync(marker)) return;
  fs.writeFileSync(marker, '');
  process.kill(process.pid, 'SIGKILL');
};
const make = (name, execute) => tool(execute, { name, description: name, schema: z.object({}) });
const tools = [
  make('charge', async () => {
    happen('charge');
    return 'ok';
  }),
  make('charge-and-die', async () => {
    happen('charge');
    die();
    return 'ok';
  }),
  make('die-late', async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    die();
    happen('late');
    return 'ok';
  }),
  make('charge-and-ask', async () => {
    happen('charge');
    return `approved: ${interrupt('approve?')}`;
  }),
];
const llm = new ChatOpenAI({ model: 'fake', apiKey: 'x', useResponsesApi: false });
const graph = createReactAgent({ llm, tools, checkpointer: new FileSaver() });
const again = scenario === 'wait' ? new Command({ resume: 'yes' }) : null;
const input = phase === 'run' ? { messages: [{ role: 'user', content: 'go' }] } : again;
const answer = await graph.invoke(input, { configurable: { thread_id: 't1' }, durability: 'sync' });
console.log(JSON.stringify({ stop: answer.__interrupt__ ? 'interrupted' : answer.messages.at(-1).content }));
process.exit(0);
