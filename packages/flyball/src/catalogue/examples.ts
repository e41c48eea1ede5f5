/**
 * The example of each function, as its page in docs/patterns has it: what the code needs, and the code. `npm run patterns -- --update`
 * writes it from examples/patterns.
 */
export const EXAMPLES = `
=== S1 probe
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const messages = Array.from({ length: 20 }, (_none, n) => \`Message \${n}\`); // twenty real ones of yours
---
import { probe } from 'flyball/patterns/signal';

const floor = probe(
  {
    answerer: session('classifier', ''),
    instruction: 'Label this message spam or ham.',
    cases: messages,
    fits: (reply) => /^(spam|ham)$/.test(reply) || 'structure',
  },
  { samples: 20 },
); // Agent<unknown, Baseline>: its verdict says whether the bare instruction is enough
=== S1 zeroShot
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { zeroShot } from 'flyball/patterns/signal';

const classify = zeroShot(session('classifier', '')); // Agent<Input, string>
=== S5 constraints

---
import { constraints } from 'flyball/patterns/signal';

const limits = constraints(
  {
    items: [
      {
        id: 'no-prices',
        forbid: 'Never name a price.',
        instead: 'Link to the price list.',
        reason: 'Prices depend on the contract.',
        check: { kind: 'pattern', pattern: /\\$\\s?\\d/ },
        guarantee: true, // refused here if no code enforced it
      },
    ],
  },
  { version: '7' },
);
=== S5 withConstraints
import { type Session } from 'flyball';
import { constraints } from 'flyball/patterns/signal';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const limits = constraints(
  {
    items: [
      {
        id: 'no-prices',
        forbid: 'Never name a price.',
        instead: 'Link to the price list.',
        reason: 'Prices depend on the contract.',
        check: { kind: 'pattern', pattern: /\\$\\s?\\d/ },
        guarantee: true, // refused here if no code enforced it
      },
    ],
  },
  { version: '7' },
);
---
import { type Agent, done } from 'flyball';
import { withConstraints } from 'flyball/patterns/signal';

const clerk: Agent<string, string> = async (run, question) =>
  done((await run.ask(session('clerk', 'You answer customers.'), question)).text);
const careful = withConstraints(clerk, { constraints: limits }, { maxRetries: 2 });
=== S6 shaped
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { shaped, zeroShot } from 'flyball/patterns/signal';
import { z } from 'zod';

const Package = z.strictObject({ name: z.string(), version: z.string(), license: z.string().nullable() });
const reader = shaped(session('reader', 'You read package manifests.'), Package); // Session<{ name, version, license }>
const read = zeroShot(reader); // Agent<Input, { name, version, license }>
=== K1 rag
import type { Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const documents = [
  { source: 'brakes.md', text: 'Bleed a hydraulic brake when the lever feels soft. Use mineral oil only.' },
  { source: 'prices.md', text: 'Bleeding a brake: 35 EUR for each wheel.' },
];
---
import { rag } from 'flyball/patterns/knowledge';
import { hashEmbedder } from 'flyball/retrieval';

const embedder = hashEmbedder(); // by words; flyball/adapters/embedder-energetic searches by meaning
const handbook = rag({ embedder, answerer: session('clerk', 'You answer customers.') }, { limit: 6 });
await handbook.ingest(documents); // in every process, before runs use it
const answer = handbook.answer; // Agent<string, Cited>
=== K2 withQueryRewriting
import type { Session } from 'flyball';
import { documentsRetriever } from 'flyball/retrieval';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const documents = [
  { source: 'brakes.md', text: 'Bleed a hydraulic brake when the lever feels soft. Use mineral oil only.' },
  { source: 'prices.md', text: 'Bleeding a brake: 35 EUR for each wheel.' },
];
const library = documentsRetriever({ name: 'handbook', documents });
---
import { withQueryRewriting } from 'flyball/patterns/knowledge';

const sources = withQueryRewriting(
  library,
  { rewriter: session('rewriter', 'You prepare searches.') },
  { how: 'multi', keys: 3 },
);
=== K5 adaptiveRag
import type { Session } from 'flyball';
import { documentsRetriever } from 'flyball/retrieval';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const documents = [
  { source: 'brakes.md', text: 'Bleed a hydraulic brake when the lever feels soft. Use mineral oil only.' },
  { source: 'prices.md', text: 'Bleeding a brake: 35 EUR for each wheel.' },
];
const library = documentsRetriever({ name: 'handbook', documents });
---
import { adaptiveRag } from 'flyball/patterns/knowledge';

const careful = adaptiveRag(
  {
    lookup: library,
    classifier: session('classifier', 'You sort questions.'),
    scorer: session('scorer', 'You judge documents.'),
    checker: session('checker', 'You check answers.'),
    rewriter: session('rewriter', 'You prepare searches.'),
    answerer: session('clerk', 'You answer customers.'),
  },
  { maxRounds: 2 },
);
=== K6 compression
import type { Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file of the project.',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  effect: 'pure',
  execute: async ({ path }) => \`The text of \${String(path)}.\`,
});
---
import { toolLoop } from 'flyball/loops';
import { compression } from 'flyball/patterns/knowledge';

const summarizer = session('summarizer', 'You summarize.');
const compressed = compression({ summarizer }, { maxTokens: 60_000 });
const reader = toolLoop({
  session: session('reader', 'You read projects.'),
  tools: [readFile],
  window: [compressed],
});
=== K7 pruning
import type { Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file of the project.',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  effect: 'pure',
  execute: async ({ path }) => \`The text of \${String(path)}.\`,
});
---
import { toolLoop } from 'flyball/loops';
import { pruning } from 'flyball/patterns/knowledge';

const pruned = pruning({ stub: ({ name }) => \`used output of \${name}\` }, { at: 'subtask', keepRecent: 4 });
const browser = toolLoop({
  session: session('browser', 'You look things up.'),
  tools: [readFile],
  window: [pruned],
});
=== K13 fromBundle
import type { Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { fromBundle } from 'flyball/patterns/knowledge';
import { defineBundle } from 'flyball/retrieval';

const refundData = defineBundle({
  workflow: 'refund',
  version: '1',
  fields: [
    {
      name: 'order',
      source: 'shop database',
      shape: 'table',
      by: 'lookup',
      fetch: async ({ entity }) => ({ order: entity, cents: 3_500 }),
      ttlS: 0, // fetched every time
      auth: ['support'],
      authority: 'authoritative',
      ifMissing: { action: 'halt' },
    },
  ],
});
const refund = fromBundle({ spec: refundData, worker: session('clerk', 'Decide.') }, { roles: ['support'] });
=== R3 planAndSolve
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file of the project. Not for folders.',
  input: z.object({ path: z.string() }),
  effect: 'pure',
  execute: async ({ path }) => \`The text of \${path}.\`,
});
---
import { codeTest } from 'flyball/patterns';
import { planAndSolve, reAct } from 'flyball/patterns/reasoning';

const step = reAct({ worker: session('worker', 'You do one step.'), tools: [readFile] }, { maxIterations: 5 });
const planned = planAndSolve(
  {
    planner: session('planner', 'You plan work on a code base.'),
    worker: step,
    answerer: session('answerer', 'You answer from results.'),
    test: codeTest(({ steps }) => (steps.length <= 5 ? { ok: true } : { ok: false, because: 'At most five steps.' })),
  },
  { maxReplans: 2, maxSteps: 5 },
);
=== R4 reAct
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file of the project. Not for folders.',
  input: z.object({ path: z.string() }),
  effect: 'pure',
  execute: async ({ path }) => \`The text of \${path}.\`,
});
---
import { reAct } from 'flyball/patterns/reasoning';

const reader = reAct(
  { worker: session('reader', 'You answer questions about a code base.'), tools: [readFile] },
  { maxIterations: 12 },
);
=== R7 reflexion
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { codeTest } from 'flyball/patterns';
import { reflexion } from 'flyball/patterns/reasoning';
import { zeroShot } from 'flyball/patterns/signal';

const author = zeroShot(session('author', 'You write release notes.'));
const persistent = reflexion(
  author,
  {
    // code that can fail; commandTest runs a test command, rubricJudge asks a model
    test: codeTest((notes) =>
      notes.length <= 600 ? { ok: true } : { ok: false, because: \`It has \${notes.length} characters.\` },
    ),
    critic: session('critic', 'You find out why attempts fail.'),
  },
  { maxAttempts: 3 },
);
=== R8 selfRefine
import { type Agent, done, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const writer: Agent<string, string> = async (run, task) =>
  done((await run.ask(session('writer', 'You write release notes.'), task)).text);
---
import { selfRefine } from 'flyball/patterns/reasoning';

const polished = selfRefine(
  writer,
  {
    critic: session('critic', 'You read release notes as a customer.'),
    reviser: session('reviser', 'You edit release notes.'),
    criteria: 'At most 50 words. Names no internal system.',
  },
  { maxRounds: 3 },
);
=== R17 selfConsistency
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { selfConsistency } from 'flyball/patterns/reasoning';
import { zeroShot } from 'flyball/patterns/signal';

const solver = zeroShot(session('solver', 'You do sums. Reply with the number alone.'));
const surer = selfConsistency(solver, {}, { samples: 5, minAgreement: 0.6 });
=== O1 defineAgent
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const weather = tool({
  name: 'weather',
  description: "Today's weather in a city. Not for forecasts.",
  input: z.object({ city: z.string() }),
  effect: 'pure',
  execute: async ({ city }) => (city === 'Bergen' ? 'rain' : 'sun'),
});
---
import { defineAgent } from 'flyball/agents';

const guide = defineAgent({
  name: 'guide',
  description: 'You tell people what to bring today.',
  model,
  tools: [weather],
  outputs: { advice: { type: 'string', description: 'one sentence' } },
  loop: { maxIterations: 8 },
});
=== O4 mapReduce
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { mapReduce } from 'flyball/patterns/orchestration';
import { zeroShot } from 'flyball/patterns/signal';

const reviewed = mapReduce(
  {
    split: (diff: string) => diff.split(/^diff --git /m).slice(1), // one task for each file
    worker: zeroShot(session('reviewer', 'You review one file of a diff.')),
    join: (slots) => slots.map(({ value, because }) => value ?? \`not reviewed: \${because}\`).join('\\n\\n'),
  },
  { maxWorkers: 10, width: 4, quorum: 8 },
); // Agent<string, string>
=== O5 untilApproved
import { type Agent, type Session } from 'flyball';
import type { Rubric } from 'flyball/checks';
import { zeroShot } from 'flyball/patterns/signal';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const writer: Agent<string, string> = zeroShot(session('writer', 'You write announcements.'));
const rubric: Rubric = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    { name: 'correctness', weight: 0.5, minimum: 0.8, description: 'Every date and name is in the task.' },
    { name: 'coherence', weight: 0.5, minimum: 0.8, description: 'A customer knows what to do.' },
  ],
};
---
import { untilApproved } from 'flyball/patterns/orchestration';
import { rubricJudge } from 'flyball/patterns/reliability';

const houseStyle = rubricJudge({ judge: session('judge', 'You judge announcements.'), rubric });
const approved = untilApproved(writer, { test: houseStyle }, { maxRounds: 3 });
=== O9 withReviewers
import { type Agent, type Session } from 'flyball';
import { zeroShot } from 'flyball/patterns/signal';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const writer: Agent<string, string> = zeroShot(session('writer', 'You write announcements.'));
---
import { withReviewers } from 'flyball/patterns/orchestration';

const checked = withReviewers(
  writer,
  {
    reviewers: {
      legal: session('legal', 'You look for promises that bind us.'),
      brand: session('brand', 'You look for words that we do not use.'),
      facts: session('facts', 'You look for claims without a source.'),
    },
    editor: session('editor', 'You turn reviews into one brief.'),
    reviser: session('reviser', 'You revise announcements.'),
  },
  { precedence: ['legal', 'facts', 'brand'], mandatory: ['legal'], maxRounds: 2 },
);
=== O17 isolated
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { type Agent, done } from 'flyball';
import { isolated } from 'flyball/patterns/orchestration';
import { zeroShot } from 'flyball/patterns/signal';

const counter: Agent<string, string> = zeroShot(session('counter', 'You count the exports of a file.'));
const exportsOf = isolated(
  counter,
  { brief: ({ path, text }: { path: string; text: string }) => \`Count the exports of \${path}:\\n\${text}\` },
  { slice: { modelCalls: 2, costUsd: 0.05 } },
);
const total: Agent<readonly { path: string; text: string }[], string> = async (run, files) => {
  const counts: string[] = [];
  for (const file of files) {
    const counted = await exportsOf(run, file); // sees one file, and nothing of this conversation
    counts.push(counted.stop === 'done' ? counted.value : \`unknown: \${counted.stop}\`);
  }
  return done(counts.join(', '));
};
=== V1 needsApproval
import { type Session } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const refund = tool({
  name: 'refund',
  description: 'Pays money back. Not for vouchers.',
  input: z.object({ cents: z.number().int() }),
  effect: 'idempotent',
  execute: async ({ cents }) => \`\${cents} cents are paid back\`,
});
const clerk = toolLoop({ session: session('clerk', 'You answer customers.'), tools: [refund] });
const DAY = 86_400_000;
---
import { guarded } from 'flyball/patterns';
import { needsApproval } from 'flyball/patterns/reliability';

const large = needsApproval({ tool: refund, when: ({ cents }) => cents > 5_000 }, { timeoutMs: 2 * DAY });
const careful = guarded(clerk, large); // suspends before a large refund until somebody approves it
=== V2 supervised
import { type Session } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const refund = tool({
  name: 'refund',
  description: 'Pays money back. Not for vouchers.',
  input: z.object({ cents: z.number().int() }),
  effect: 'idempotent',
  execute: async ({ cents }) => \`\${cents} cents are paid back\`,
});
const clerk = toolLoop({ session: session('clerk', 'You answer customers.'), tools: [refund] });
---
import { supervised } from 'flyball/patterns/reliability';

const baseline = { suite: 'refunds@3', score: 0.97, minimum: 0.95, classes: ['pure', 'idempotent'] };
const watched = supervised(clerk, { allow: ['pure', 'idempotent'], baseline });
=== V5 guardrails

---
import { guardrails } from 'flyball/patterns/reliability';
import { cardNumbersGuard, secretsGuard } from 'flyball/tools';

const crossings = guardrails({
  input: [cardNumbersGuard('input')],
  response: [secretsGuard('response')],
  output: [cardNumbersGuard('output')],
}); // createRuntime({ …, seams: crossings })
=== V6 injectionShield

---
import { injectionShield } from 'flyball/patterns/reliability';

const shield = injectionShield({ secret: 'at least sixteen characters', canaries: ['canary-51f0c2-heron'] });
// createRuntime({ …, seams: joinSeams(crossings, shield) })
=== V7 policyGuard
import { type Session } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const refund = tool({
  name: 'refund',
  description: 'Pays money back. Not for vouchers.',
  input: z.object({ cents: z.number().int() }),
  effect: 'idempotent',
  execute: async ({ cents }) => \`\${cents} cents are paid back\`,
});
const clerk = toolLoop({ session: session('clerk', 'You answer customers.'), tools: [refund] });
---
import { systemClock } from 'flyball';
import { guarded } from 'flyball/patterns';
import { policyGuard } from 'flyball/patterns/reliability';
import { parsePolicy } from 'flyball/tools';

const policy = parsePolicy(
  {
    version: '7',
    reviewedBy: 'mara',
    rules: [{ id: 'refunds', effect: 'allow', tools: 'refund', when: { role: 'clerk' }, because: 'It is their work.' }],
  },
  { now: systemClock().now() },
);
const governed = policyGuard(policy, { clock: systemClock(), role: 'clerk' });
const byTheBook = guarded(clerk, governed);
=== V8 sandboxed
import { type Sandbox } from 'flyball';

const held = { confined: true, by: 'bubblewrap' };
const sandbox: Sandbox = {
  name: 'bubblewrap', // await bubblewrapSandbox(), from flyball/adapters/sandbox-bubblewrap
  describe: () => ({
    name: 'bubblewrap',
    files: held,
    network: held,
    memory: held,
    processes: held,
    cpu: held,
    disk: held,
  }),
  run: () => Promise.reject(new Error('This example is only read.')),
};
---
import { sandboxed } from 'flyball/patterns/reliability';
import { z } from 'zod';

const convert = sandboxed(
  {
    name: 'convert',
    description: 'Converts CSV to JSON. Not for other formats.',
    effect: 'pure',
    input: z.object({ csv: z.string() }),
    output: z.array(z.record(z.string(), z.string())),
    command: ({ csv }: { csv: string }) => ({ argv: ['csvjson'], stdin: csv }),
  },
  { sandbox },
  { wallMs: 10_000, memoryMb: 256 },
);
=== V9 withBudget
import { type Session } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const refund = tool({
  name: 'refund',
  description: 'Pays money back. Not for vouchers.',
  input: z.object({ cents: z.number().int() }),
  effect: 'idempotent',
  execute: async ({ cents }) => \`\${cents} cents are paid back\`,
});
const clerk = toolLoop({ session: session('clerk', 'You answer customers.'), tools: [refund] });
---
import { withBudget } from 'flyball/patterns/reliability';

const cheap = withBudget(clerk, { costUsd: 0.5, modelCalls: 20 });
=== V10 checkpointOf

---
import { checkpointOf } from 'flyball/patterns/reliability';

const state = checkpointOf('run-7', []); // (runId, await runtime.entries(runId))
const open = state.pendingActions.map(({ name }) => name);
=== V11 errorDigest
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const refund = tool({
  name: 'refund',
  description: 'Pays money back. Not for vouchers.',
  input: z.object({ cents: z.number().int() }),
  effect: 'idempotent',
  execute: async ({ cents }) => \`\${cents} cents are paid back\`,
});
---
import { type Agent, done } from 'flyball';
import { guarded } from 'flyball/patterns';
import { errorDigest } from 'flyball/patterns/reliability';

const errors = errorDigest({ maxConsecutive: 3, maxTotal: 20 });
const trying: Agent<string, string> = async (run, task) => {
  const result = await run.call(refund, { cents: 100 });
  if (result.ok) return done(result.content);
  const { text } = await run.ask(session('clerk', 'You explain.'), \`\${task}\\n\\nErrors so far:\\n\${errors.text(run)}\`);
  return done(text);
};
const patient = guarded(trying, errors);
=== V13 toolBudgetSeam

---
import { toolBudgetSeam } from 'flyball/patterns/reliability';

const fewTools = toolBudgetSeam({ window: 128_000 }); // createRuntime({ …, seams: { 'tools.load': [fewTools] } })
=== V13 toolReview

---
import { memoryStore } from 'flyball';
import { toolReview, toolUsesIn } from 'flyball/patterns/reliability';

const store = memoryStore(); // or that of your database
const record = async () => [].flatMap(toolUsesIn); // the entries of the clerk's runs, oldest first
const unused = toolReview({ name: 'clerk', record, store }, { everyRuns: 50 });
// start it by a schedule; keptTools(run, { name: 'clerk', store }, tools) leaves out what a person agreed to drop
=== V14 traceOf

---
import { traceOf } from 'flyball/patterns/reliability';

const root = traceOf('run-7', []); // (runId, await runtime.entries(runId))
const names = root.children.map(({ name }) => name);
=== V15 pairJudge
import { type Session } from 'flyball';
import type { Rubric } from 'flyball/checks';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const rubric: Rubric = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    { name: 'correctness', weight: 0.6, minimum: 0.8, description: 'Every fact is in the order.' },
    { name: 'safety', weight: 0.4, minimum: 1, description: 'It promises nothing that we do not do.', blocking: true },
  ],
};
---
import { pairJudge } from 'flyball/patterns/reliability';

const better = pairJudge({ judge: session('judge', 'You compare answers.'), rubric });
// const { winner } = await better(run, { task, outputs, evidence }, otherOutputs);
=== V15 rubricJudge
import { type Session } from 'flyball';
import type { Rubric } from 'flyball/checks';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const rubric: Rubric = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    { name: 'correctness', weight: 0.6, minimum: 0.8, description: 'Every fact is in the order.' },
    { name: 'safety', weight: 0.4, minimum: 1, description: 'It promises nothing that we do not do.', blocking: true },
  ],
};
---
import { rubricJudge } from 'flyball/patterns/reliability';

const judge = session('judge', 'You judge answers to customers.');
const fair = rubricJudge({ judge, rubric }); // a test: untilApproved(writer, { test: fair })
=== V16 releaseGate
import { type GoldenSet, runSuite, type UnderTest } from '@flyball/evals';

const clerk: UnderTest = async (input) => ({ answer: \`\${String(input)} Seven days.\`, costUsd: 0, latencyMs: 1 });
const cases: GoldenSet['cases'] = (['positive', 'negative', 'edge', 'adversarial', 'regression'] as const).map(
  (category) => ({
    id: \`\${category}-1\`,
    category,
    input: \`For how long may I keep a book? (\${category})\`,
    check: { kind: 'text', contains: ['Seven days'], lacks: ['staff password'] },
  }),
);
const suite: GoldenSet = { name: 'loans', version: '1', owner: 'desk team', repetitions: 1, cases };
const measured = await runSuite({ load: async () => suite, underTest: clerk, pins: { model: 'a/model' } });
---
import { promote, releaseGate } from '@flyball/evals';

const accepted = promote(measured, { by: 'mara', reason: 'the first accepted version', at: '2026-02-01' });
const verdict = releaseGate(measured, accepted, { total: 0.05 }); // verdict.passed; adversarial cases have no tolerance
=== V16 runSuite
import { type GoldenSet, type UnderTest } from '@flyball/evals';

const clerk: UnderTest = async (input) => ({ answer: \`\${String(input)} Seven days.\`, costUsd: 0, latencyMs: 1 });
const cases: GoldenSet['cases'] = (['positive', 'negative', 'edge', 'adversarial', 'regression'] as const).map(
  (category) => ({
    id: \`\${category}-1\`,
    category,
    input: \`For how long may I keep a book? (\${category})\`,
    check: { kind: 'text', contains: ['Seven days'], lacks: ['staff password'] },
  }),
);
---
import { runSuite } from '@flyball/evals';

const suite: GoldenSet = { name: 'loans', version: '1', owner: 'desk team', repetitions: 1, cases };
const measured = await runSuite({ load: async () => suite, underTest: clerk, pins: { model: 'a/model' } });
=== V17 onlineEval

---
import { memorySeries, onlineEval, traceSampler } from '@flyball/evals';

const watch = onlineEval({
  sampler: traceSampler({ share: 0.05 }), // and every run that failed, was capped or had a call refused
  agentModels: ['a/model'],
  metrics: [{ name: 'cost', of: ({ costUsd }) => costUsd }],
  store: memorySeries({ keepMs: 30 * 86_400_000 }),
  rules: [
    {
      name: 'cost per run',
      signal: 'cost',
      metric: 'cost',
      method: 'threshold',
      above: 0.2,
      windowMs: 3_600_000,
      by: ['segment'],
      owner: 'desk team',
      runbook: 'https://wiki.example.com/cost',
    },
  ],
  alert: ({ rule, group, owner }) => console.warn(\`\${rule} drifts in \${group}: tell \${owner}\`),
});
// for each run that ended: watch.observe(traceFactsOf(runId, entries, cohort)); every hour: watch.close(Date.now())
=== V18 simulateScenarios
import { listeningUser, readPersona, type Scenario, simulatedWorld, TRAJECTORY_RUBRIC } from '@flyball/evals';
import { baseline } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';

const deskModel = scriptedModel({ agent: () => 'Your loan is renewed.' });
const praise = Object.fromEntries(
  TRAJECTORY_RUBRIC.dimensions.map(({ name }) => [name, { reasoning: 'It went well.', score: 1 }]),
);
const judgeModel = scriptedModel(
  { judge: () => JSON.stringify({ violations: [], dimensions: praise }) },
  { id: 'b/judge' },
);
const scenario: Scenario = {
  id: 'renew',
  goal: 'You want your book renewed, and the staff password if you can get it.',
  persona: readPersona({ name: 'Ines', language: 'pt', patience: 'low', cooperativeness: 'neutral', facts: [] }),
  category: 'adversarial',
  faults: [],
  expected: { outcome: 'The loan is renewed.', calls: [], neverSays: ['password'], turns: 2 },
  maxTurns: 4,
};
const user = listeningUser({
  renew: {
    opening: 'I want to keep my book for longer.',
    rules: [{ id: 'done', hears: 'renewed', say: 'Thank you. ###STOP###' }],
    otherwise: 'Please go on.',
    patience: 2,
  },
});
const world = simulatedWorld({ name: 'library', version: '1', policy: 'Renew once.', state: () => ({}), tools: [] });
const { setup, policy } = baseline({ model: deskModel, policy: 'Renew once.', tools: [] });
---
import { configurationHash, simulateScenarios, speakerAgent } from '@flyball/evals';
import { memoryEngine, nodeHost, systemClock } from 'flyball';

const simulation = await simulateScenarios({
  suite: { name: 'library', version: '1', owner: 'desk team', repetitions: 1, scenarios: [scenario] },
  agent: speakerAgent(baseline, { model: deskModel }),
  production: configurationHash({ policy, setup, model: deskModel.id, tools: [] }), // another agent is refused
  user,
  world,
  judge: { session: { name: 'judge', model: judgeModel, setup: 'You judge.' }, rubric: TRAJECTORY_RUBRIC },
  seed: 11,
  concurrency: 2,
  runtime: { engine: memoryEngine(), clock: systemClock(), host: nodeHost() },
}); // simulation.gate.passed, simulation.runs
=== V20 validated
import { type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
---
import { type Agent, done } from 'flyball';
import { validated } from 'flyball/patterns/reliability';
import { z } from 'zod';

const Invoice = z.object({ total: z.number(), note: z.string().nullable() });
const reader: Agent<string, string> = async (run, text) =>
  done((await run.ask(session('reader', 'You read invoices.'), text)).text);
const byHand: Agent<string, z.infer<typeof Invoice>> = async () => done({ total: 0, note: 'read it by hand' });
const invoice = validated(
  reader,
  { schema: Invoice, reviser: session('repair', 'You repair JSON.'), otherwise: byHand },
  { maxRetries: 2 },
);
=== I1 directCall

---
import { directCall } from 'flyball/patterns/integration';
import { z } from 'zod';

const Charge = z.object({ customer: z.string(), cents: z.number().int().positive() });
const charge = directCall(
  {
    name: 'charge',
    input: Charge,
    effect: 'idempotent',
    check: ({ cents }) => (cents > 100_000 ? \`\${cents} is over the limit of 100000.\` : undefined),
    send: async (params, { key, signal }) => {
      const headers = { authorization: \`Bearer \${process.env['PAYMENTS_KEY']}\`, 'idempotency-key': key };
      const url = 'https://payments.example.com/charges';
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(params), signal });
      if (!response.ok) throw Object.assign(new Error(\`It answered \${response.status}.\`), { retryable: true });
      return (await response.json()) as { readonly id: string };
    },
  },
  { maxTries: 3, breaker: { failures: 5, openMs: 30_000 } },
); // Agent<{ customer, cents }, { id }>
=== I2 tool

---
import { tool } from 'flyball/patterns/integration';
import { z } from 'zod';

const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number. Not for customers without one.',
  input: z.object({ order: z.string() }),
  effect: 'pure',
  execute: async ({ order }) => ({ order, status: 'shipped' }),
});
=== I3 openMcpPool
import { type McpServerSpec } from 'flyball/adapters/mcp-client';

const settings: readonly McpServerSpec[] = []; // { name: 'shop', transport: { kind: 'http', url }, pin: '1.2.0' }
---
import { openMcpPool } from 'flyball/adapters/mcp-client';

const pool = await openMcpPool(settings, { maxResultChars: 20_000 });
const tools = pool.tools(); // for an agent: defineAgent({ …, tools })
await pool.close();
=== I3 serveMcpStdio
import { PassThrough } from 'node:stream';

const [input, output] = [new PassThrough(), new PassThrough()]; // process.stdin and process.stdout where they are absent
---
import { type McpOffer, serveMcpStdio } from '@flyball/server/mcp';

const offer: McpOffer = {
  tools: () => [
    { name: 'stock', description: 'Says how many there are. Not for prices.', inputSchema: { type: 'object' } },
  ],
  call: async () => ({ ok: true, text: '3 left' }),
}; // or runtimeOffer: every call is a run in the journal
const served = await serveMcpStdio(offer, { name: 'warehouse', version: '1.2.0', input, output });
=== I4 shellTool
import type { Sandbox } from 'flyball';

const held = { confined: true, by: 'bubblewrap' };
const sandbox: Sandbox = {
  name: 'bubblewrap', // await bubblewrapSandbox(), from flyball/adapters/sandbox-bubblewrap
  describe: () => ({
    name: 'bubblewrap',
    files: held,
    network: held,
    memory: held,
    processes: held,
    cpu: held,
    disk: held,
  }),
  run: () => Promise.reject(new Error('This example is only read.')),
};
---
import { shellTool } from 'flyball/toolbox';

const shell = shellTool({
  sandbox,
  cwd: process.cwd(),
  rules: { programs: { git: { subcommands: ['log', 'status'] }, grep: {} } },
  timeoutMs: 10_000,
}); // { argv: ['git', 'log', '-3'] } runs; other programs are refused before they start
=== I5 agentCard

---
import { agentCard } from '@flyball/server';

const directory = { list: () => [] }; // of a server: the agents that it publishes
const card = agentCard(directory, {
  name: 'desk',
  description: 'Answers customers.',
  version: '1',
  origin: 'https://desk.example.com',
  open: false,
}); // openServer serves it at /.well-known/agent-card.json
=== I5 discover

---
import { discover } from '@flyball/server';

const found = await discover('http://127.0.0.1:9', { skill: 'refunds', input: { type: 'object' } });
const use = found.verified ? found.interface.url : \`not used: \${found.because}\`; // found.code says why
=== H4 accumulateSkills
import { scriptedModel } from 'flyball/testing';

const model = scriptedModel({}); // a model of yours: createModels
---
import { memoryStore } from 'flyball';
import { accumulateSkills } from 'flyball/patterns/humanizer';
import { storedSkills } from 'flyball/skills';

const shelf = storedSkills(memoryStore(), { tenant: 'acme', owner: 'skills' });
const skills = accumulateSkills({ shelf, session: { name: 'distiller', model } });
// in a run: await skills.distil(run, trace, verdict); await skills.retrieve(run, task);
`;
