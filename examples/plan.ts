import { strict as assert } from 'node:assert';
import { budget, createRuntime, type Entry, memoryEngine } from 'flyball';
import { toolAwarePlan } from 'flyball/loops';
import type { Plan, PlanRevision, PlanStep, PlanValidation, StepRecord } from 'flyball/plans';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** A plan whose worker only talks about a call, is made to make it, and whose last step takes a second plan. */

const HIGH_WATER: Readonly<Record<string, string>> = { Bergen: '06:40 and 19:05' };
const taken = new Set(['4']);
const booked = new Set<string>();

const tideTable = tool({
  name: 'tide_table',
  description: 'When the water is high today in a port. Not for other days.',
  input: z.object({ port: z.string().describe('its name') }),
  effect: 'pure',
  execute: async ({ port }) => HIGH_WATER[port] ?? 'unknown',
});
const bookBerth = tool({
  name: 'book_berth',
  description: 'Books a berth for a time of today. Not for moorings.',
  input: z.object({ berth: z.string().describe('its number'), time: z.string().describe('as 19:05') }),
  effect: 'idempotent',
  retry: { retries: 0 },
  execute: async ({ berth, time }) => {
    if (taken.has(berth)) throw new Error(`berth ${berth} is taken; 7 is free`);
    booked.add(`${berth} at ${time}`);
    return `berth ${berth} is yours at ${time}`;
  },
});
const cancelBerth = tool({
  name: 'cancel_berth',
  description: 'Gives a berth back. Not for moorings.',
  input: z.object({ berth: z.string().describe('its number') }),
  effect: 'idempotent',
  execute: async ({ berth }) => `berth ${berth} is given back`,
});
const tools = [tideTable, bookBerth, cancelBerth];
const call = (name: string, args: object) => ({ toolCalls: [{ id: 'c', name, arguments: JSON.stringify(args) }] });

// #region written
/** What a planner writes. Omitted fields get their defaults. */
const look: Partial<PlanStep> = {
  id: 'look',
  description: 'Find out when the water is high in Bergen today.',
  stepType: 'tool',
  requiredTools: ['tide_table'],
  expectedOutcome: 'the times of high water',
};
const choose: Partial<PlanStep> = {
  id: 'choose',
  description: 'Choose the later time.',
  bindings: { times: { from: 'look' } }, // how one step's result reaches another
};
const book = (berth: string): Partial<PlanStep> => ({
  id: 'book',
  description: `Book berth ${berth} for the time that was chosen.`,
  stepType: 'tool',
  requiredTools: ['book_berth'],
  bindings: { time: { from: 'choose' } },
  reversibility: 'idempotent',
  compensation: { tool: 'cancel_berth', args: { berth } },
});
const planOf = (...steps: readonly Partial<PlanStep>[]) =>
  JSON.stringify({ goal: 'A berth in Bergen', shape: 'ordered', steps });
// #endregion

// #region script
const script: Script = {
  planner: [
    planOf({ ...look, requiredTools: ['tide_tables'] }, choose, book('4')), // this tool does not exist, and the planner is told so
    planOf(look, choose, book('4')),
  ],
  worker: [
    'I would call tide_table for Bergen. High water is at 07:10.', // made up, without a call
    call('tide_table', { port: 'Bergen' }), // what it is made to do
    'High water is at 06:40 and 19:05.',
    '19:05.',
    call('book_berth', { berth: '4', time: '19:05' }), // fails: the berth is taken
    'Berth 4 cannot be had.',
    call('book_berth', { berth: '4', time: '19:05' }), // asked once more, it fails once more
    'Berth 4 cannot be had: it is taken, 7 is free.',
    call('book_berth', { berth: '7', time: '19:05' }), // of the second plan
    'Berth 7 is booked for 19:05.',
  ],
  replanner: planOf(look, choose, book('7')),
};
// #endregion

// #region agent
const model = scriptedModel(script);
const harbor = toolAwarePlan({
  planner: { session: { name: 'planner', model }, tools },
  execution: {
    worker: { session: { name: 'worker', model, setup: 'You work in a harbor office.' }, tools },
    replanner: { session: { name: 'replanner', model }, tools },
    maxReprompts: 1,
  },
});
const runtime = createRuntime({ engine: memoryEngine(), agents: { harbor } });
const handle = await runtime.start('harbor', 'Get us a berth in Bergen tonight.', { budget: budget() });
const outcome = await handle.outcome();
// #endregion

// #region result
assert(outcome.stop === 'done');
const result = outcome.value;
assert.equal(result.output, 'Berth 7 is booked for 19:05.');
assert.deepEqual([...booked], ['7 at 19:05']);
assert.deepEqual(
  result.records.map(({ id, status, validationStatus, attempts, actualToolCalls }) => [
    id,
    status,
    validationStatus,
    attempts,
    actualToolCalls.map((made) => made.tool),
  ]),
  [
    ['look', 'done', 'passed', 2, ['tide_table']], // the second attempt called it
    ['choose', 'done', 'skipped', 1, []], // nothing to check in a reasoning step
    ['book', 'done', 'passed', 1, ['book_berth']],
  ],
);
assert.deepEqual(
  result.revisions.map(({ version, changes }) => [version, changes.map(({ change }) => change)]),
  [[3, ['edited']]],
);
// #endregion

assert.match(model.promptAt('worker', 2), /What you wrote is not a call/);
assert.deepEqual(model.requestsOf('worker')[1]?.toolChoice, { tool: 'tide_table' }); // forced, this once
assert(!model.promptAt('worker', 4).includes('07:10')); // a made-up time goes no further
model.assertFinished();

// #region events
const events = (await runtime.entries(handle.id)).flatMap(told);
assert.deepEqual(events, [
  'plan 1: look, choose, book; not valid: tool-availability',
  'plan-change to 2: look edited',
  'plan 2: look, choose, book; valid',
  'plan-start 2',
  'step-start look',
  'step-validation look: enforced, tide_table',
  'step-end look: done, passed',
  'step-start choose',
  'step-end choose: done, skipped',
  'step-start book',
  'step-validation book: enforced, book_berth',
  'step-validation book: failed, book_berth',
  'step-end book: failed, failed',
  'plan-change to 3: book edited',
  'plan 3: look, choose, book; valid',
  'step-start book',
  'step-end book: done, passed',
  'plan-end 3: completed',
]);
// #endregion

/** One line for each note of a plan. Their types are in `flyball/plans`. */
function told({ event }: Entry): readonly string[] {
  if (event.type !== 'note') return [];
  const { kind, version, step, verdict, missing, completed } = event.event;
  const note: unknown = event.event;
  switch (kind) {
    case 'plan': {
      const { plan, validation } = note as { readonly plan: Plan; readonly validation: PlanValidation };
      const steps = plan.steps.map(({ id }) => id).join(', ');
      const issues = validation.issues.map(({ check }) => check).join(', ');
      return [`plan ${version}: ${steps}; ${validation.valid ? 'valid' : `not valid: ${issues}`}`];
    }
    case 'plan-change': {
      const { changes } = note as PlanRevision;
      return [
        `plan-change to ${version}: ${changes.map((one) => ('id' in one ? `${one.id} ${one.change}` : one.change)).join(', ')}`,
      ];
    }
    case 'plan-start':
      return [`plan-start ${version}`];
    case 'step-start':
      return [`step-start ${step}`];
    case 'step-validation':
      return [`step-validation ${step}: ${verdict}, ${missing}`];
    case 'step-end': {
      const { id, status, validationStatus } = note as StepRecord;
      return [`step-end ${id}: ${status}, ${validationStatus}`];
    }
    case 'plan-end':
      return [`plan-end ${version}: ${completed === true ? 'completed' : 'not completed'}`];
    default:
      return [];
  }
}

/** One tool step whose worker never calls anything. */
async function talking(toolValidationMode: PlanStep['toolValidationMode']) {
  const talker = scriptedModel({
    planner: planOf({ ...look, toolValidationMode }),
    worker: () => 'I looked: high water is at 07:10.',
  });
  const agent = toolAwarePlan({
    planner: { session: { name: 'planner', model: talker }, tools },
    execution: { worker: { session: { name: 'worker', model: talker, setup: 'You talk.' }, tools } },
  });
  const own = createRuntime({ engine: memoryEngine(), agents: { agent } });
  const end = await (await own.start('agent', 'When is high water?', { budget: budget() })).outcome();
  await own.close();
  return { end, asked: talker.requestsOf('worker').length };
}

// #region modes
const strict = await talking('strict');
assert(strict.end.stop === 'failed'); // asked three times in all
assert.equal(strict.end.failure.code, 'STEP_UNVERIFIED');
assert.equal(strict.asked, 3);

const advisory = await talking('advisory');
assert(advisory.end.stop === 'done'); // continues, and the record says what is wrong
const [record] = advisory.end.value.records;
assert.equal(record?.validationStatus, 'failed');
assert.deepEqual(record.missingTools, ['tide_table']);
// #endregion

await runtime.close();
console.log('plan: what the journal says about one plan');
for (const event of events) console.log(`  ${event}`);
console.log(`  → ${result.output}`);
console.log(`a step that only talks: strict ${strict.end.stop}, advisory ${advisory.end.stop} with a warning`);
