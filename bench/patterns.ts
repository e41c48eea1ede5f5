// shows: R11-SHOW-WRAPPER
/**
 * What a described wrapper adds to what it wraps, beside one iteration of a tool loop; and what some of the patterns add,
 * with the scopes of their parts and tests and what they tell of themselves.
 */
import { type Agent, createRuntime, done, memoryEngine } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { codeTest, described, pattern, reflexion, untilApproved, useFrom, withBudget } from 'flyball/patterns';
import { tool } from 'flyball/tools';
import { figure, median, percent, rounds } from './measure/figures.js';
import { atMost, heading, judge, table } from './measure/report.js';
import { wideBudget } from './measure/wide-budget.js';

const ITERATIONS = 20;
const LOOPS = 20;
const USES = 2_000;
const ROUNDS = 15;
const LIMIT = 0.05;

/** The adapter on a stub of node:http, as in the benchmark of the loop: only the network is missing. */
const { stubHttp } = (await import(new URL('../../bench/programs/openai-stub.mjs', import.meta.url).href)) as {
  readonly stubHttp: (calls: number) => void;
};
stubHttp(ITERATIONS);
const { openAiModel } = await import('flyball/adapters/model-http');
const model = openAiModel({
  id: 'fake/fake',
  baseUrl: 'http://127.0.0.1:9',
  apiKey: 'x',
  price: { input: 0, output: 0 },
});
const addOne = tool({
  name: 'add_one',
  description: 'Adds one.',
  input: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  effect: 'pure',
  execute: async ({ x }) => String(Number(x) + 1),
});
const loop = toolLoop({
  session: { name: 'looper', model, setup: 'You call tools.' },
  tools: [addOne],
  config: { maxIterations: ITERATIONS + 5, doubleConfirmation: false },
});

/** What does nothing, and the same inside a pattern that does nothing but say what it is. */
const nothing = described<Agent<number, number>>(
  async (_run, n) => done(n),
  useFrom({ id: 'S1', name: 'nothing', parts: {}, calls: 0 }),
);
const wrapped = pattern(
  { id: 'V19', name: 'wrapper', params: { maxRounds: 3 }, parts: { agent: nothing }, calls: { part: 'agent' } },
  (run, n: number) => nothing(run, n),
);
/** A part with a scope of its own, as patterns have. */
const part = pattern({ id: 'S1', name: 'part', parts: {}, calls: 0 }, async (_run, n: number) => done(n));
const test = codeTest<number, number>(() => ({ ok: true }));
const shipped: Readonly<Record<string, Agent<number, number>>> = {
  reflexion: reflexion(part, { test, critic: () => 'again' }),
  untilApproved: untilApproved(part, { test }),
  withBudget: withBudget(part, { modelCalls: 5 }),
};
const times =
  (agent: Agent<number, number>): Agent<null, null> =>
  async (run) => {
    for (let n = 0; n < USES; n++) await agent(run, n);
    return done(null);
  };

/**
 * Microseconds of processor time of one use, on a fresh engine: a memory that fills up would be measured too. Nothing here
 * waits, and what else the machine does meanwhile is not its cost.
 */
async function measured(agent: Agent<null, unknown>, uses: number): Promise<number> {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent }, options: { worker: false } });
  const began = process.cpuUsage();
  const outcome = await (await runtime.start('agent', null, { budget: wideBudget })).outcome();
  const { user, system } = process.cpuUsage(began);
  if (outcome.stop !== 'done') throw new Error(`The run ended ${JSON.stringify(outcome)}.`);
  await runtime.close();
  return (user + system) / uses;
}

const looping: Agent<null, null> = async (run) => {
  for (let n = 0; n < LOOPS; n++) await loop(run.scope(`loop-${n}`), 'go');
  return done(null);
};

heading('A described wrapper beside an iteration of a tool loop, on the memory engine', [
  `${USES.toLocaleString('en-US')} wrappers around an agent that does nothing, less the same without them; ${LOOPS} loops of ${ITERATIONS} calls over a stub of HTTP. Processor time, best and median of ${ROUNDS} rounds, all in turn.`,
]);
const iterations = LOOPS * (ITERATIONS + 1);
const found = await rounds(ROUNDS, {
  iteration: () => measured(looping, iterations),
  wrapped: () => measured(times(wrapped), USES),
  bare: () => measured(times(nothing), USES),
  part: () => measured(times(part), USES),
  ...Object.fromEntries(Object.entries(shipped).map(([name, agent]) => [name, () => measured(times(agent), USES)])),
});
const timesOf = (name: string): readonly number[] => found[name as keyof typeof found];
const best = (name: string): number => Math.min(...timesOf(name));
const [iteration, wrapper] = [best('iteration'), best('wrapped') - best('bare')];
const middle = median(found.wrapped) - median(found.bare);
table(
  ['µs', 'best', 'median'],
  [
    ['an iteration', figure(iteration), figure(median(found.iteration))],
    ['a described wrapper', figure(wrapper), figure(middle)],
    ...Object.keys(shipped).map((name) => [
      `${name}, without a target`,
      figure(best(name) - best('part')),
      figure(median(timesOf(name)) - median(timesOf('part'))),
    ]),
  ],
);
judge([
  {
    says: `a described wrapper costs ${percent(wrapper / iteration)} of an iteration, at most ${percent(LIMIT)}`,
    met: atMost(wrapper / iteration, LIMIT, 0.2),
  },
]);
