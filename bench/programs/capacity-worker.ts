/** A worker of the benchmark of capacity: capacity-worker.js <place> <tool calls> <model ms> <concurrency>. Says what it used when its input ends. */
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { tool } from 'flyball/tools';
import { openPlace } from '../measure/places.js';
import { quietModel } from '../measure/quiet-model.js';

const [place = '', calls = '4', modelMs = '0', concurrency = '64'] = process.argv.slice(2);
const ANSWER = 'All of it is in order. '.repeat(20);
const RECORD = JSON.stringify({
  order: 4711,
  lines: Array.from({ length: 12 }, (_, n) => ({ n, text: 'a line of it' })),
});

const lookUp = tool({
  name: 'look_up',
  description: 'Finds an order by its number.',
  input: { type: 'object', properties: { order: { type: 'number' } }, required: ['order'] },
  effect: 'idempotent',
  execute: async () => RECORD,
});
const quiet = quietModel(({ messages }) => {
  const made = messages.filter(({ role }) => role === 'tool').length;
  if (made >= Number(calls)) return { text: ANSWER };
  const call = { id: `call_${made}`, name: 'look_up', arguments: JSON.stringify({ order: made }) };
  return { text: 'I look that up.', toolCalls: [call] };
});
const model: typeof quiet = {
  ...quiet,
  async generate(request, how) {
    if (modelMs !== '0') await pause(Number(modelMs));
    return quiet.generate(request, how);
  },
};
const desk = toolLoop({
  session: { name: 'desk', model, setup: 'You answer questions about orders. '.repeat(20) },
  tools: [lookUp],
  config: { maxIterations: 20, doubleConfirmation: false },
});
const engine = await openPlace(place);
const runtime = createRuntime({
  engine,
  agents: { desk },
  onProblem: (error) => console.error(error),
  options: { worker: { concurrency: Number(concurrency) } },
});
const idle = process.memoryUsage().rss;
let most = idle;
const sampling = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss);
}, 100);
const before = process.cpuUsage();
process.stdin.resume().on('end', async () => {
  const { user, system } = process.cpuUsage(before);
  clearInterval(sampling);
  console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, idle, most }));
  await runtime.close();
  await engine.close();
  process.exit(0);
});
console.error('ready');
