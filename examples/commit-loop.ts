import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, memoryEngine, memoryStore } from 'flyball';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { testHarness } from 'flyball/checks';
import { commitLoop, controller, filesWorkpiece, verifyCommit } from 'flyball/loops';
import { type ReplyFunction, scriptedModel } from 'flyball/testing';
import { filesTools } from 'flyball/toolbox';
import { toolset } from 'flyball/tools';
import { auditLines, checkCommit, commitCourseOf, verifyAudit, withoutPrivate } from 'flyball/views';

/** A repository with failing tests is mended, and only what passed is committed. */

const folder = mkdtempSync(join(tmpdir(), 'flyball-commit-loop-'));
const shop = join(folder, 'shop');
mkdirSync(shop);
const put = (name: string, text: string) => writeFileSync(join(shop, name), text);
put('price.mjs', 'export const total = (lines) =>\n  lines.reduce((sum, line) => sum + line.price.inCents(), 0);\n');
put('format.mjs', 'export const money = (cents) => String(cents / 100);\n');
put(
  'shop.test.mjs',
  `import assert from 'node:assert/strict';
import test from 'node:test';
import { money } from './format.mjs';
import { total } from './price.mjs';
test('adds up', () => assert.equal(total([{ price: 200 }, { price: 50 }]), 250));
test('is nothing without lines', () => assert.equal(total([]), 0));
test('writes two digits', () => assert.equal(money(250), '2.50'));
`,
);
const TEST_COMMAND = [process.execPath, '--test', '--test-reporter=tap', 'shop.test.mjs'];

// canned replies, computed from the prompt
const shown: (request: Parameters<ReplyFunction>[0]) => string = ({ messages }) =>
  messages.map(({ content }) => content).join('\n');
const edit = {
  path: 'format.mjs',
  edits: [{ old: 'String(cents / 100)', new: '(cents / 100).toFixed(2)' }],
};
const judged = (correctness: number) =>
  JSON.stringify({
    dimensions: Object.fromEntries(
      Object.entries({ correctness, completeness: 1, coherence: 1, safety: 1 }).map(([name, score]) => [
        name,
        { reasoning: `Looked at ${name}.`, score },
      ]),
    ),
    missing: [],
    gaps: [],
  });
const model = scriptedModel({
  planner: JSON.stringify({
    goal: 'Make the tests pass.',
    steps: [
      {
        id: 'format',
        description: 'Give prices two digits.',
        stepType: 'tool',
        requiredTools: ['edit_file'],
        toolValidationMode: 'strict',
        expectedOutcome: 'money() writes two digits',
      },
    ],
  }),
  worker: [
    { toolCalls: [{ id: 'a', name: 'edit_file', arguments: JSON.stringify(edit) }] },
    'Prices have two digits now.',
  ],
  judge: (request) => judged(shown(request).includes('price.inCents') ? 0.85 : 1),
  critic: JSON.stringify({ defects: [] }), // the tests find this bug
  repairer: 'export const total = (lines) =>\n  lines.reduce((sum, line) => sum + line.price, 0);',
});

// #region tools
const tools = filesTools({ allow: shop, undoFolder: join(folder, 'undo') });
const named = (name: string) => {
  const found = toolset([...tools]).tools.find((each) => each.name === name);
  assert(found !== undefined);
  return found;
};
const workpiece = filesWorkpiece({
  paths: ['price.mjs', 'format.mjs'],
  read: named('read_file'),
  write: named('write_file'),
  edit: named('edit_file'),
});
const unit = testHarness({
  level: 'unit',
  sandbox: processSandbox(),
  command: TEST_COMMAND,
  cwd: shop,
  format: 'node-test-tap',
});
// #endregion

// #region loop
const role = (name: string) => ({ name, model, setup: `You are the ${name}.` });
const store = memoryStore(); // results, and what loops learn from each other
const mender = commitLoop({
  name: 'mender',
  planner: { session: role('planner'), tools },
  execution: { worker: { session: role('worker'), tools } },
  verification: { judge: { session: role('judge') }, tests: [unit] },
  critic: { session: role('critic') },
  repair: { session: role('repairer') },
  workpiece,
  exit: { novelty: 1 }, // otherwise the first task of its kind is shown to a person
  store,
});
const runtime = createRuntime({ engine: memoryEngine(), agents: { mender } });
// #endregion

// #region result
const task = {
  id: 'shop-1',
  goal: 'Make the tests pass.',
  requirements: ['totals are right', 'prices have two digits'],
  taskClass: 'bug-fix',
};
const limits = { budget: budget({ iterations: 100, modelCalls: 100 }) };
const handle = await runtime.start('mender', task, limits);
const outcome = await handle.outcome();
assert(outcome.stop === 'done');
const result = outcome.value;
assert.equal(result.provenance.testPassRate, 1);
assert.deepEqual(
  result.provenance.repairs.map(({ strategy, cause, resolved }) => [strategy, cause, resolved]),
  [['minimal-edit', 'logic-error', true]],
);
// #endregion
execFileSync(process.execPath, ['--test', 'shop.test.mjs'], { cwd: shop, stdio: 'pipe' }); // throws where one fails
assert(readFileSync(join(shop, 'price.mjs'), 'utf8').includes('line.price, 0'));

// #region course
const entries = await runtime.entries(handle.id);
const course = commitCourseOf(entries);
assert.deepEqual(
  course?.transitions.map(({ event }) => event),
  [
    ...['planned', 'decomposed', 'retrieved', 'acted'],
    ...['gates-failed', 'diagnosed', 'repaired', 'gates-passed', 'committed'],
  ],
);
// #endregion

// #region verify
const exported = auditLines(handle.id, withoutPrivate(entries)); // what flyball export writes
assert(verifyAudit(exported).ok);
assert(verifyCommit(result)); // nothing in the result was altered since it was sealed
assert.deepEqual(checkCommit(result, entries), { ok: true }); // and it matches the journal
const forged = { ...result, provenance: { ...result.provenance, approvers: ['ada'] } };
assert(!verifyCommit(forged));
// #endregion

// #region again
const asked = model.requests.length;
const again = await (await runtime.start('mender', task, limits)).outcome();
assert(again.stop === 'done' && again.value.resubmitted === true);
assert.equal(model.requests.length, asked); // no model call was made
// #endregion

// #region controller
assert.throws(() => controller({ gain: 0.5, kp: 4 }), /does not settle/); // |1 - 0.5 · 4| = 1
const prediction = controller().predict(0.3, { iterations: 5, costUsd: 1 });
assert.deepEqual([prediction.verdict.kind, prediction.iterations], ['go', 2]); // 0.3, 0.09, 0.027
// #endregion

model.assertFinished();
await runtime.close();
rmSync(folder, { recursive: true, force: true });
console.log(
  `commit-loop: ${result.status} after ${result.provenance.repairs.length} repair, seal ${result.seal.slice(0, 12)}`,
);
