// shows: R2-SHOW-OVERHEAD
/** What the run adds to an effect that costs nothing, in memory, beside a bare await loop. */
import { type Agent, createRuntime, done, memoryEngine } from 'flyball';
import { EFFECTS, type EffectName } from './measure/effects.js';
import { figure, median, rounds } from './measure/figures.js';
import { heading, table } from './measure/report.js';
import { wideBudget } from './measure/wide-budget.js';

const EFFECTS_A_RUN = 2_000;
const ROUNDS = 7;

/** The loop an agent would be without a run. */
async function bareLoop(): Promise<number> {
  const began = performance.now();
  let total = 0;
  for (let n = 0; n < EFFECTS_A_RUN; n++) total += await addOne(n);
  if (total === 0) throw new Error('Nothing was added.');
  return ((performance.now() - began) / EFFECTS_A_RUN) * 1_000;
}

async function addOne(n: number): Promise<number> {
  return n + 1;
}

/** The same loop, each turn of it in a macrotask of its own, as completions are delivered. */
async function turningLoop(): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < EFFECTS_A_RUN; n++) await new Promise((resolve) => setImmediate(resolve));
  return ((performance.now() - began) / EFFECTS_A_RUN) * 1_000;
}

/** A fresh engine each time: a memory that fills up would be measured too. */
async function microseconds(name: EffectName): Promise<number> {
  const agent: Agent<number, null> = async (run, effects) => {
    for (let n = 0; n < effects; n++) await EFFECTS[name](run, n);
    return done(null);
  };
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent }, options: { worker: false } });
  const began = performance.now();
  const outcome = await (await runtime.start('agent', EFFECTS_A_RUN, { budget: wideBudget })).outcome();
  const ms = performance.now() - began;
  if (outcome.stop !== 'done') throw new Error(`The run ended ${outcome.stop}.`);
  await runtime.close();
  return (ms / EFFECTS_A_RUN) * 1_000;
}

heading('Overhead of an effect on the memory engine', [
  `A run of ${EFFECTS_A_RUN.toLocaleString('en-US')} effects that do nothing, one after the other; best and median of ${ROUNDS} rounds, all in turn.`,
]);
const names = Object.keys(EFFECTS) as EffectName[];
const found = await rounds(ROUNDS, {
  'bare await': bareLoop,
  'await setImmediate': turningLoop,
  ...(Object.fromEntries(names.map((name) => [name, () => microseconds(name)])) as Record<
    EffectName,
    () => Promise<number>
  >),
});
const turn = Math.min(...found['await setImmediate']);
table(
  ['', 'µs, best', 'µs, median', 'of a bare turn'],
  Object.entries(found).map(([name, times]) => [
    name,
    figure(Math.min(...times)),
    figure(median(times)),
    `${figure(Math.min(...times) / turn)} ×`,
  ]),
);
console.log('  There is no target for these; a model call takes some hundred thousand µs.\n');
