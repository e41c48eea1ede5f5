/** flyball's tool loop for the benchmark: as loop-harness.mjs, and which engine: memory | sqlite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, type Engine, type Model, memoryEngine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { toolLoop } from 'flyball/loops';
import { tool } from 'flyball/tools';
import { loopModel } from '../measure/effects.js';
import { wideBudget } from '../measure/wide-budget.js';

const [mode = 'process', base = '', iterationsText, roundsText, atOnceText, engineName] = process.argv.slice(2);
const [iterations, rounds, atOnce] = [iterationsText, roundsText, atOnceText].map(Number) as [number, number, number];
let executed = 0;
const addOne = tool({
  name: 'add_one',
  description: 'Adds one.',
  input: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  effect: 'pure',
  execute: async ({ x }) => {
    executed++;
    return String(Number(x) + 1);
  },
});
const model = await modelFor(mode);
const looper = toolLoop({
  session: { name: 'looper', model, setup: 'You call tools.' },
  tools: [addOne],
  config: { maxIterations: iterations + 5, doubleConfirmation: false },
});
const folder = mkdtempSync(join(process.env['FLYBALL_BENCH_DIR'] ?? tmpdir(), 'flyball-loop-'));
const engine: Engine = engineName === 'sqlite' ? await sqliteEngine({ path: join(folder, 'runs.db') }) : memoryEngine();
const runtime = createRuntime({ engine, agents: { looper }, options: { worker: false } });

/**
 * `process`: the adapter on a stub of node:http, as the others run on a stub of fetch: requests are written and replies
 * are read, only the network is missing. `bare`: a model that answers at once, without any wire.
 */
async function modelFor(which: string): Promise<Model> {
  if (which === 'bare') return loopModel(iterations);
  if (which === 'process') {
    const stub = new URL('../../../bench/programs/openai-stub.mjs', import.meta.url);
    const { stubHttp } = (await import(stub.href)) as { readonly stubHttp: (calls: number) => void };
    stubHttp(iterations);
  }
  const { openAiModel } = await import('flyball/adapters/model-http');
  return openAiModel({ id: 'fake/fake', baseUrl: base, apiKey: 'x', price: { input: 0, output: 0 } });
}

async function once(): Promise<void> {
  const before = executed;
  const started = await runtime.start('looper', 'go', { budget: wideBudget });
  const outcome = await started.outcome();
  if (outcome.stop !== 'done' || outcome.value.output !== 'done')
    throw new Error(`It ended ${JSON.stringify(outcome)}.`);
  if (atOnce === 0 && executed - before !== iterations) throw new Error(`The tool ran ${executed - before} times.`);
}

for (let warm = 0; warm < 100; warm++) await once(); // as the others
const times: number[] = [];
for (let round = 0; round < rounds; round++) {
  const began = performance.now();
  await once();
  times.push(performance.now() - began);
}
let concurrentMs: number | undefined;
for (let round = 0; round < (atOnce > 0 ? 3 : 0); round++) {
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, once));
  concurrentMs = Math.min(concurrentMs ?? Number.POSITIVE_INFINITY, performance.now() - began);
}
rmSync(folder, { recursive: true, force: true });
console.log(JSON.stringify({ times, concurrentMs }));
process.exit(0);
