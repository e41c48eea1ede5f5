import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, memoryEngine } from 'flyball';
import { executePlan, type PlanResult, planOutcome } from 'flyball/loops';
import {
  decompose,
  type GoalTree,
  goalState,
  type MethodLibrary,
  type Plan,
  type PlanStep,
  parsePlan,
  planFromGoals,
  readPlan,
  readySteps,
  resolveThreats,
  switchAlternative,
  targetsOf,
  validatePlan,
} from 'flyball/plans';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** Plans as data: how they are read, ordered, checked, branched, taken from a library and switched. No planner is asked. */

// #region plan-from
/** Creates a plan from its steps; everything else gets its default. */
function planFrom(value: object): Plan {
  const read = readPlan(value);
  assert(read.ok, read.ok ? '' : read.problem);
  return read.plan;
}
// #endregion

// #region older
const older = parsePlan('["Read the notes", "Write the summary"]');
assert(older.ok); // a plain list becomes reasoning steps, one after another
assert.deepEqual(
  older.plan.steps.map(({ id, stepType }) => `${id} ${stepType}`),
  ['step-1 reasoning', 'step-2 reasoning'],
);
assert.equal(older.plan.shape, 'ordered');

const broken = parsePlan('{"steps":[{"id":"a","description":"Look it up.","stepType":"tool"}]}');
assert(!broken.ok); // not guessed: the planner is told about the problem
assert.equal(broken.problem, 'Step a: requiredTools must name at least one tool, since stepType is tool.');
// #endregion

// #region partial
const boat = planFrom({
  goal: 'The boat is painted and in the water',
  shape: 'partial',
  steps: [
    { id: 'dry', description: 'Dry the hull.', effects: ['hull dry'] },
    { id: 'paint', description: 'Paint it.', dependsOn: ['dry'], preconditions: ['hull dry'], effects: ['painted'] },
    { id: 'launch', description: 'Put it into the water.', effects: ['!hull dry'] }, // could come in between
    { id: 'sails', description: 'Mend the sails.', priority: 1 },
  ],
});
const resolved = resolveThreats(boat);
assert(resolved.ok);
const [added] = resolved.added;
assert.deepEqual([added?.before, added?.after], ['paint', 'launch']);
assert.equal(added?.because, 'Step launch can undo "hull dry", which dry makes true, before paint has relied on it.');
// #endregion

// #region check
const context = {
  tools: [{ name: 'tide_table', effect: 'pure' as const }],
  facts: [],
  tokensLeft: 100_000,
  width: 4,
  permits: () => true,
};
const { valid, flexibility, criticalPathMs } = validatePlan(resolved.plan, context);
assert.deepEqual([valid, flexibility.linearizations, criticalPathMs], [true, 4, 15_000]); // sails can be at four positions

const wrong = planFrom({
  steps: [
    { id: 'look', description: 'Look.', stepType: 'tool', requiredTools: ['tide_tables'] },
    { id: 'sail', description: 'Sail.', preconditions: ['in the water'] },
    { id: 'log', description: 'Write the log.' },
  ],
});
const { issues } = validatePlan(wrong, context);
assert.deepEqual(
  issues.map(({ check, severity, action, steps }) => [check, severity, action, ...steps]),
  [
    ['tool-availability', 'error', 'substitute-tool', 'look'],
    ['preconditions', 'error', 'reorder-or-add-prerequisite', 'sail'],
  ],
);
assert.deepEqual(targetsOf(wrong, issues), { change: ['look', 'sail'], keep: ['log'] }); // what the planner is told
// #endregion

// #region dispatch
const ids = (steps: readonly PlanStep[]) => steps.map(({ id }) => id);
assert.deepEqual(ids(readySteps(resolved.plan, {}, 4)), ['sails', 'dry']); // by priority, then by how many steps wait for it
assert.deepEqual(ids(readySteps(resolved.plan, { sails: 'running', dry: 'done' }, 3)), ['paint']);
// #endregion

// #region conditional
const trip = planFrom({
  goal: 'A day out',
  steps: [
    { id: 'look', description: 'Look at the sky.', stepType: 'tool', requiredTools: ['sky'] },
    { id: 'hike', description: 'Plan a hike.' },
    { id: 'museum', description: 'Choose a museum.' },
    { id: 'tell', description: 'Say where we go.', bindings: { hike: { from: 'hike' }, museum: { from: 'museum' } } },
  ],
  branches: [{ at: 'look', observation: 'It is dry.', ifSo: ['hike'], ifNot: ['museum'] }],
});
// #endregion

const sky = tool({
  name: 'sky',
  description: 'What the sky looks like. Not for forecasts.',
  input: z.object({}),
  effect: 'pure',
  execute: async () => 'rain',
});
const model = scriptedModel({
  worker: [
    { toolCalls: [{ id: 'c', name: 'sky', arguments: '{}' }] },
    'It rains.',
    'The fishery museum.',
    'We go to the fishery museum.',
  ],
  'worker-observer': '{ "holds": false, "because": "It rains." }',
});

// #region execute
const worker = { session: { name: 'worker', model, setup: 'You plan days out.' }, tools: [sky] };
/** Your own plan, without a planner. */
const outing: Agent<null, PlanResult> = async (run) =>
  planOutcome(await executePlan(run, { worker }, trip, { goal: trip.goal }));

const runtime = createRuntime({ engine: memoryEngine(), agents: { outing } });
const outcome = await (await runtime.start('outing', null, { budget: budget() })).outcome();
assert(outcome.stop === 'done');
const { records, output } = outcome.value;
assert.equal(output, 'We go to the fishery museum.');
assert.deepEqual(
  records.map(({ id, status }) => `${id} ${status}`),
  ['look done', 'hike skipped', 'museum done', 'tell done'],
);
// #endregion
model.assertFinished();

// #region methods
const library: MethodLibrary = {
  primitives: {
    ferry: { description: 'Take the ferry.', preconditions: ['ferry runs'] },
    drive: { description: 'Drive around the fjord.' },
    moor: { description: 'Moor the boat.' },
    unload: { description: 'Unload it.' },
  },
  methods: {
    deliver: [{ name: 'by land', ordering: 'total', subTasks: [{ task: 'cross' }, { task: 'unload' }] }],
    cross: [
      { name: 'over water', ordering: 'total', subTasks: [{ task: 'ferry' }, { task: 'moor' }], cost: 1 },
      { name: 'around', ordering: 'total', subTasks: [{ task: 'drive' }], cost: 5 },
    ],
  },
};
const today = decompose('deliver', library, []); // the cheaper method does not work: no ferry runs
assert(today.ok);
assert.deepEqual(ids(today.plan.steps), ['drive', 'unload']);
const unknown = decompose('repair', library, []);
assert(!unknown.ok);
assert.equal(unknown.task, 'repair'); // the task without a method
// #endregion

// #region goals
const leaf = (id: string): GoalTree => {
  const [step] = planFrom([{ id, description: `Do ${id}.` }]).steps;
  assert(step !== undefined);
  return { kind: 'leaf', step };
};
const tree: GoalTree = {
  kind: 'and',
  id: 'delivered',
  goal: 'The crates are across and unloaded',
  inOrder: true,
  children: [
    { kind: 'or', id: 'across', goal: 'They are across', children: [leaf('ferry'), leaf('drive')] },
    leaf('unload'),
  ],
};
assert.deepEqual(ids(planFromGoals(tree, {}).steps), ['ferry', 'unload']);
const other = switchAlternative(tree, 'ferry'); // the step that failed
assert(other !== undefined);
assert.deepEqual(ids(planFromGoals(other, { ferry: 'failed' }).steps), ['drive', 'unload']);
assert.equal(goalState(other, { ferry: 'failed', drive: 'done', unload: 'done' }), 'done');
assert.equal(switchAlternative(other, ['ferry', 'drive']), undefined); // nothing is left to try
// #endregion

await runtime.close();
console.log(`plan-shapes: ${added?.before} comes before ${added?.after}: ${added?.because}`);
console.log(`  ${issues.map(({ message }) => message).join('\n  ')}`);
console.log(`  the day out: ${records.map(({ id, status }) => `${id} ${status}`).join(', ')}. ${output}`);
console.log(`  today's way across: ${ids(today.plan.steps).join(', ')}`);
