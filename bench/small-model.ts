// shows: R13-LLAMA-SHOWN, R13-LLAMA-CALIBRATE
/** What the tool loop, self-consistency, a judge and `flyball lab calibrate` make of SmolLM2-135M, the smallest model that speaks, in this process. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Agent, createModels, createRuntime, done, type Model, memoryEngine } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { rubricJudge, selfConsistency, zeroShot } from 'flyball/patterns';
import { tool } from 'flyball/tools';
import { patternsIn } from 'flyball/views';
import { z } from 'zod';
import { heading, table } from './measure/report.js';
import { wideBudget } from './measure/wide-budget.js';

const FOLDER = '.cache/llama';
const command = resolve('packages/flyball/dist/cli/main.js');
const PATIENCE_MS = 1_000_000;
const WEIGHTS = 'SmolLM2-135M-Instruct.Q4_1.gguf';
if (!existsSync(`${FOLDER}/${WEIGHTS}`)) {
  console.log(`The weights are not in ${FOLDER}. Run: bash .ci/run llama`);
  process.exit(0);
}
process.chdir(FOLDER); // the package is found in the project of the working directory
const env = { FLYBALL_MODEL: `llama/${WEIGHTS}`, FLYBALL_LLAMA_WINDOW: '2048', FLYBALL_LLAMA_THREADS: '1' };
const models = await createModels({ env, config: { timeoutMs: PATIENCE_MS } });
const model = models.forRole('default');

/** Ids are fixed, so that the same draws are made again: without a seed, a call draws by its key. */
async function run<I, O>(id: string, agent: Agent<I, O>, input: I) {
  const runtime = createRuntime({
    engine: memoryEngine(),
    agents: { agent: agent as Agent<unknown, unknown> },
  });
  const handle = await runtime.start('agent', input, { id, budget: wideBudget });
  const outcome = await handle.outcome();
  const entries = await runtime.entries(handle.id);
  await runtime.close();
  return { outcome, uses: patternsIn(entries) };
}

const add = tool({
  name: 'add',
  description: 'Adds two whole numbers and returns the sum.',
  input: z.object({ a: z.number().int(), b: z.number().int() }),
  effect: 'pure',
  execute: async ({ a, b }) => String(a + b),
});

async function toolLoops(): Promise<void> {
  heading('Tool loop: five sums with a tool that adds', ['Up to 4 iterations each, temperature 0, no seed.']);
  const session = {
    name: 'adder',
    model,
    setup: 'You add numbers with the tool add. Call it, then answer with the sum.',
    sampling: { temperature: 0, maxOutputTokens: 60 },
    timeoutMs: PATIENCE_MS,
  };
  const loop = toolLoop({ session, tools: [add], config: { maxIterations: 4, doubleConfirmation: false } });
  const rows: string[][] = [];
  for (const [nth, [a, b]] of [
    [17, 25],
    [3, 4],
    [120, 45],
    [8, 8],
    [60, 39],
  ].entries()) {
    const { outcome } = await run(`loop-${nth}`, loop, `What is ${a} + ${b}?`);
    const { output, toolCalls, termination } = (
      outcome.stop === 'done' || outcome.stop === 'degraded' ? outcome.value : {}
    ) as { readonly output?: unknown; readonly toolCalls?: number; readonly termination?: string };
    const text = JSON.stringify(output ?? outcome).slice(0, 70);
    const right = text.includes(String(Number(a) + Number(b))) ? 'yes' : 'no';
    rows.push([`${a} + ${b}`, `${outcome.stop} ${termination ?? ''}`, String(toolCalls ?? '?'), right, text]);
  }
  table(['sum', 'outcome', 'tool calls', 'right', 'answer'], rows);
}

const CAPITALS = {
  France: 'Paris',
  Italy: 'Rome',
  Norway: 'Oslo',
  Spain: 'Madrid',
  Japan: 'Tokyo',
  Egypt: 'Cairo',
  Germany: 'Berlin',
  Austria: 'Vienna',
};

function capitalOf(asked: Model, temperature: number) {
  return zeroShot<string>({
    name: 'solver',
    model: asked,
    setup: 'Answer with the capital of the country.',
    output: z.enum(Object.values(CAPITALS) as [string, ...string[]]),
    sampling: { temperature, maxOutputTokens: 20 },
    timeoutMs: PATIENCE_MS,
  });
}

async function votes(): Promise<void> {
  heading('Self-consistency: the capital of eight countries, out of eight', [
    'One greedy answer beside five samples at 0.8.',
  ]);
  const rows: string[][] = [];
  for (const [country, capital] of Object.entries(CAPITALS)) {
    const question = `What is the capital of ${country}?`;
    const one = (await run(`one-${country}`, capitalOf(model, 0), question)).outcome;
    const voted = await run(`five-${country}`, selfConsistency(capitalOf(model, 0.8), {}, { samples: 5 }), question);
    const answer = (outcome: typeof one): string => (outcome.stop === 'done' ? String(outcome.value) : outcome.stop);
    const agreement = String(voted.uses[0]?.learned?.['agreement'] ?? '');
    rows.push([`${country}: ${capital}`, answer(one), answer(voted.outcome), agreement]);
  }
  table(['country', 'greedy', 'vote', 'agreement'], rows);
  const right = (column: number): number => rows.filter((row) => row[0]?.endsWith(`: ${row[column]}`)).length;
  console.log(`  right: greedy ${right(1)} of ${rows.length}, vote ${right(2)} of ${rows.length}\n`);
}

const PIECE = {
  id: 'e1',
  source: 'notes',
  place: 'line 1',
  query: 'notes',
  score: 1,
  authority: true,
  trust: 'outside',
} as const;

async function verdicts(): Promise<void> {
  heading('Judge: a right and a wrong answer to three questions, by a rubric of two dimensions');
  const rubric = {
    version: 'small-1',
    threshold: 0.5,
    dimensions: [
      { name: 'correctness', weight: 0.7, minimum: 0.5, description: 'The answer agrees with the evidence.' },
      { name: 'completeness', weight: 0.3, minimum: 0.5, description: 'The answer answers the question.' },
    ],
  } as const;
  const judge = rubricJudge({
    judge: {
      name: 'judge',
      model,
      setup: '',
      sampling: { temperature: 0, maxOutputTokens: 250 },
      timeoutMs: PATIENCE_MS,
    },
    rubric,
  });
  const subjects = [
    ['When did the bridge open?', 'The bridge opened in 1894.', 'It opened in 1894.', 'It opened in 2020.'],
    ['Who wrote the letter?', 'The letter was written by Anna.', 'Anna wrote it.', 'Nobody knows who wrote it.'],
    ['What does it cost?', 'The price is 12 euros.', 'It costs 12 euros.', 'It is free of charge.'],
  ] as const;
  const rows: string[][] = [];
  for (const [nth, [goal, evidence, right, wrong]] of subjects.entries())
    for (const [kind, text] of [
      ['right', right],
      ['wrong', wrong],
    ] as const) {
      const subject = {
        task: { id: `t${nth}`, goal, requirements: [goal], taskClass: 'question' },
        outputs: { artefacts: [{ name: 'answer', text }], reports: [] },
        evidence: { items: [{ ...PIECE, text: evidence }], gaps: [] },
      };
      const agent: Agent<null, unknown> = async (inside) => done(await judge.verdict(inside, subject));
      const { outcome } = await run(`judge-${nth}-${kind}`, agent, null);
      const verdict = (outcome.stop === 'done' ? outcome.value : {}) as Readonly<Record<string, unknown>>;
      rows.push([
        goal,
        kind,
        String(verdict['kind'] ?? outcome.stop),
        String(verdict['passed'] ?? ''),
        verdict['scores'] === undefined
          ? String(verdict['because'] ?? '').slice(0, 160)
          : JSON.stringify(verdict['scores']),
      ]);
    }
  table(['question', 'answer', 'verdict', 'passed', 'scores, or why there are none'], rows);
}

async function calibrated(): Promise<void> {
  heading('`flyball lab calibrate`, 200 calls, one at a time');
  const words = ['lab', 'calibrate', '--model', `llama/${WEIGHTS}`, '--calls', '200', '--width', '1'];
  execFileSync(process.execPath, [command, ...words], { stdio: 'inherit', env: { ...process.env, ...env } });
}

const SECTIONS = { loop: toolLoops, votes, judge: verdicts, calibrate: calibrated } as const;
const named = process.argv.slice(2); // such as `votes judge`: all of them where none is named
const began = performance.now();
for (const [name, section] of Object.entries(SECTIONS)) if (named.length === 0 || named.includes(name)) await section();
await models.close();
console.log(`  ${Math.round((performance.now() - began) / 1000)} s, one thread\n`);
