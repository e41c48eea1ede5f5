// shows: R2-SHOW-OVERHEAD
/** One iteration of a tool loop (ask and call), in memory and durable, beside a raw loop and beside peers. */
import { join } from 'node:path';
import { type Agent, createRuntime, done, type Engine, type Message, memoryEngine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { loopSession, plusOne, toolLoop } from './measure/effects.js';
import { figure, median, rounds } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { peer } from './measure/peers.js';
import { heading, table } from './measure/report.js';
import { wideBudget } from './measure/wide-budget.js';

const ITERATIONS = 20;
const ROUNDS = 30;
const session = loopSession(ITERATIONS);

/** The loop without anything: messages, model, tool. */
async function rawLoop(): Promise<number> {
  const began = performance.now();
  const messages: Message[] = [{ role: 'user', content: 'go' }];
  const { signal } = new AbortController();
  for (;;) {
    const request = { session: '', model: '', messages, tools: [], toolChoice: 'auto', sampling: {} } as const;
    const { text, toolCalls } = await session.model.generate(request, { signal, key: '' });
    if (toolCalls.length === 0) break;
    messages.push({ role: 'assistant', content: text, toolCalls });
    for (const call of toolCalls) {
      const content = await plusOne(JSON.parse(call.arguments) as { x: number });
      messages.push({ role: 'tool', content, toolCallId: call.id });
    }
  }
  return performance.now() - began;
}

function loopOn(engine: Engine): () => Promise<number> {
  const looper: Agent<null, string> = async (run) => done(await toolLoop(run, session));
  const runtime = createRuntime({ engine, agents: { looper }, options: { worker: false } });
  return async () => {
    const began = performance.now();
    const outcome = await (await runtime.start('looper', null, { budget: wideBudget })).outcome();
    if (outcome.stop !== 'done') throw new Error(`The loop ended ${outcome.stop}.`);
    return performance.now() - began;
  };
}

heading('One iteration of a tool loop', [
  `${ITERATIONS} tool calls and an answer, the model answers at once; ms for each model call with its tool call, best and`,
  `median of ${ROUNDS} rounds. Peers: on a stub of fetch, in a process of their own.`,
]);
const found = await inFolder(async (folder) => {
  const durable = await sqliteEngine({ path: join(folder, 'runs.db') });
  const times = await rounds(ROUNDS, {
    'raw loop': rawLoop,
    'flyball, in memory': loopOn(memoryEngine()),
    'flyball, durable on SQLite': loopOn(durable),
  });
  await durable.close();
  return times;
});
const rows: [string, readonly number[]][] = Object.entries(found);
const notes: string[] = [];
if (!process.argv.includes('--no-peers')) {
  for (const [name, label] of [
    ['langgraph', 'with MemorySaver'],
    ['mastra', 'not durable'],
  ] as const) {
    const installed = peer(process.cwd(), name);
    if ('missing' in installed) {
      notes.push(installed.missing);
      continue;
    }
    const { said, output } = await installed.peer.run<number[]>(`${name}-loop.mjs`, [`${ITERATIONS}`, `${ROUNDS}`]);
    if (said === undefined) notes.push(`${name} failed: ${output.trim().slice(0, 300)}`);
    else rows.push([`${installed.peer.version}, ${label}`, said]);
  }
}
const each = (ms: number): number => ms / (ITERATIONS + 1);
const memory = Math.min(...found['flyball, in memory']);
table(
  ['', 'ms, best', 'ms, median', 'of flyball in memory'],
  rows.map(([name, times]) => [
    name,
    each(Math.min(...times)).toFixed(3),
    each(median(times)).toFixed(3),
    `${figure(Math.min(...times) / memory)} ×`,
  ]),
);
for (const note of notes) console.log(`  ${note}`);
console.log('  There is no target for these; a model call takes some hundred ms.\n');
