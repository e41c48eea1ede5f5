import { type Agent, done, memoryStore, type Sandbox, type Session, systemClock } from 'flyball';
import type { Rubric } from 'flyball/checks';
import { toolLoop } from 'flyball/loops';
import { guarded } from 'flyball/patterns';
import {
  checkpointOf,
  errorDigest,
  guardrails,
  injectionShield,
  needsApproval,
  pairJudge,
  policyGuard,
  rubricJudge,
  sandboxed,
  supervised,
  toolBudgetSeam,
  toolReview,
  toolUsesIn,
  traceOf,
  validated,
  withBudget,
} from 'flyball/patterns/reliability';
import { scriptedModel } from 'flyball/testing';
import { cardNumbersGuard, parsePolicy, secretsGuard, tool } from 'flyball/tools';
import { z } from 'zod';

/** One example of each pattern of reliability: what the pages about them show. */

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const refund = tool({
  name: 'refund',
  description: 'Pays money back. Not for vouchers.',
  input: z.object({ cents: z.number().int() }),
  effect: 'idempotent',
  execute: async ({ cents }) => `${cents} cents are paid back`,
});
const clerk = toolLoop({ session: session('clerk', 'You answer customers.'), tools: [refund] });
const DAY = 86_400_000;
const rubric: Rubric = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    { name: 'correctness', weight: 0.6, minimum: 0.8, description: 'Every fact is in the order.' },
    { name: 'safety', weight: 0.4, minimum: 1, description: 'It promises nothing that we do not do.', blocking: true },
  ],
};

// #region needsApproval
const large = needsApproval({ tool: refund, when: ({ cents }) => cents > 5_000 }, { timeoutMs: 2 * DAY });
const careful = guarded(clerk, large); // suspends before a large refund until somebody approves it
// #endregion

// #region supervised
const baseline = { suite: 'refunds@3', score: 0.97, minimum: 0.95, classes: ['pure', 'idempotent'] };
const watched = supervised(clerk, { allow: ['pure', 'idempotent'], baseline });
// #endregion

// #region guardrails
const crossings = guardrails({
  input: [cardNumbersGuard('input')],
  response: [secretsGuard('response')],
  output: [cardNumbersGuard('output')],
}); // createRuntime({ …, seams: crossings })
// #endregion

// #region injectionShield
const shield = injectionShield({ secret: 'at least sixteen characters', canaries: ['canary-51f0c2-heron'] });
// createRuntime({ …, seams: joinSeams(crossings, shield) })
// #endregion

// #region policyGuard
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
// #endregion

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

// #region sandboxed
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
// #endregion

// #region withBudget
const cheap = withBudget(clerk, { costUsd: 0.5, modelCalls: 20 });
// #endregion

// #region checkpointOf
const state = checkpointOf('run-7', []); // (runId, await runtime.entries(runId))
const open = state.pendingActions.map(({ name }) => name);
// #endregion

// #region errorDigest
const errors = errorDigest({ maxConsecutive: 3, maxTotal: 20 });
const trying: Agent<string, string> = async (run, task) => {
  const result = await run.call(refund, { cents: 100 });
  if (result.ok) return done(result.content);
  const { text } = await run.ask(session('clerk', 'You explain.'), `${task}\n\nErrors so far:\n${errors.text(run)}`);
  return done(text);
};
const patient = guarded(trying, errors);
// #endregion

// #region toolBudgetSeam
const fewTools = toolBudgetSeam({ window: 128_000 }); // createRuntime({ …, seams: { 'tools.load': [fewTools] } })
// #endregion

// #region toolReview
const store = memoryStore(); // or that of your database
const record = async () => [].flatMap(toolUsesIn); // the entries of the clerk's runs, oldest first
const unused = toolReview({ name: 'clerk', record, store }, { everyRuns: 50 });
// start it by a schedule; keptTools(run, { name: 'clerk', store }, tools) leaves out what a person agreed to drop
// #endregion

// #region traceOf
const root = traceOf('run-7', []); // (runId, await runtime.entries(runId))
const names = root.children.map(({ name }) => name);
// #endregion

// #region rubricJudge
const judge = session('judge', 'You judge answers to customers.');
const fair = rubricJudge({ judge, rubric }); // a test: untilApproved(writer, { test: fair })
// #endregion

// #region pairJudge
const better = pairJudge({ judge: session('judge', 'You compare answers.'), rubric });
// const { winner } = await better(run, { task, outputs, evidence }, otherOutputs);
// #endregion

// #region validated
const Invoice = z.object({ total: z.number(), note: z.string().nullable() });
const reader: Agent<string, string> = async (run, text) =>
  done((await run.ask(session('reader', 'You read invoices.'), text)).text);
const byHand: Agent<string, z.infer<typeof Invoice>> = async () => done({ total: 0, note: 'read it by hand' });
const invoice = validated(
  reader,
  { schema: Invoice, reviser: session('repair', 'You repair JSON.'), otherwise: byHand },
  { maxRetries: 2 },
);
// #endregion

export const agents = { careful, byTheBook, patient };
export const shown = { open, names };
export const examples = {
  needsApproval: large,
  supervised: watched,
  guardrails: crossings,
  injectionShield: shield,
  policyGuard: governed,
  sandboxed: convert,
  withBudget: cheap,
  checkpointOf: state,
  errorDigest: errors,
  toolBudgetSeam: fewTools,
  toolReview: unused,
  traceOf: root,
  rubricJudge: fair,
  pairJudge: better,
  validated: invoice,
};
