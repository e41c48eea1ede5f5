import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, memoryEngine, memoryStore } from 'flyball';
import { loadSkills, readSkills, watchSkills } from 'flyball/adapters/skill-folder';
import { defineAgent, withSkills } from 'flyball/agents';
import { accumulateSkills, matchSkills, problemText, runSkill, storedSkills } from 'flyball/skills';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { provenanceOf } from 'flyball/views';

/** Skills from folders: disclosed, activated, matched, enforced, reloaded, and learned from what went well. */

const folder = mkdtempSync(join(tmpdir(), 'flyball-skills-'));
const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

// #region skill
write(
  'refunds/SKILL.md',
  `---
name: refunds
description: Pays customers back. Use when somebody returns goods or was charged too much.
license: MIT
metadata:
  version: "1.4"
  keywords: refund chargeback
  flyball-disallowed-tools: close_account
  flyball-autonomy: supervised
  flyball-approval: pay_back
  flyball-approval-people: "1"
allowed-tools: look_up_order pay_back
---
1. Look the order up.
2. Pay back what [the table](references/limits.md) allows, and nothing more.
`,
);
write('refunds/references/limits.md', 'Up to 50 EUR without asking the customer for the receipt.\n');
write('letters/SKILL.md', '---\nname: letters\ndescription: Writes letters.\n---\nWrite politely.\n');
// #endregion

const paid: string[] = [];
const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } as const;
const lookUp = tool({
  name: 'look_up_order',
  description: 'Looks an order up.',
  effect: 'pure',
  input: order,
  execute: async ({ order: id }) => `order ${String(id)}: 20 EUR`,
});
const payBack = tool({
  name: 'pay_back',
  description: 'Pays an order back.',
  effect: 'idempotent',
  input: order,
  execute: async ({ order: id }) => {
    paid.push(String(id));
    return 'paid';
  },
});
const closeAccount = tool({
  name: 'close_account',
  description: 'Closes an account for good.',
  effect: 'idempotent',
  execute: async () => assert.fail('a skill stands against it'),
});
const calls = (name: string, args: object) => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: JSON.stringify(args) }],
});

// #region agent
const model = scriptedModel({
  clerk: [
    calls('activate_skill', { name: 'refunds' }),
    calls('read_skill_resource', { skill: 'refunds', path: 'references/limits.md' }),
    calls('close_account', {}), // refused, although it is offered
    calls('look_up_order', { order: 'A1' }),
    calls('pay_back', { order: 'A1' }), // waits for a person
    'Paid back 20 EUR.',
  ],
});
const skills = await loadSkills(folder); // throws an error that lists every problem
const clerk = defineAgent({
  name: 'clerk',
  description: 'You serve customers.',
  model,
  tools: [lookUp, payBack, closeAccount],
  loop: { doubleConfirmation: false },
  skills, // or { library: skills, activate: ['refunds'], match: { lexical: { limit: 3 } } }
});
// #endregion

const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { clerk: clerk.agent },
  prices: { 'scripted/model': { input: 0, output: 0 } },
});
const run = await runtime.start('clerk', 'I sent A1 back.', { budget: budget() });
const waiting = await run.outcome();
assert(waiting.stop === 'suspended');
assert.deepEqual(paid, []);
await runtime.signal(run.id, waiting.waiting[0]?.token ?? '', { verdict: 'approve' }, { from: 'ada', scopes: ['*'] });
const ended = await (await runtime.resume(run.id)).outcome();
assert(ended.stop === 'done');
assert.deepEqual(paid, ['A1']);
const told = model.requests.map(({ messages }) => messages.at(-1)?.content ?? '');
assert(model.requests.every(({ messages }) => messages[0]?.content === clerk.setup)); // what is cached stays so
assert.match(told[1] ?? '', /Look the order up/);
assert.match(told[2] ?? '', /Up to 50 EUR/);
assert.match(told[3] ?? '', /Denied, not executed: close_account is not allowed now/);

// #region provenance
const { skills: active } = provenanceOf(run.id, await runtime.entries(run.id));
assert.deepEqual(active, [{ name: 'refunds', version: '1.4', hash: skills.get('refunds')?.hash }]);
// #endregion

// #region match
const find: Agent<string, readonly string[]> = async (of, request) => {
  const { matched } = await matchSkills(of, skills, request, {
    lexical: { limit: 5 }, // by the words of the metadata; with false, all are candidates
    // lenient: { name: 'lenient', model },  drops skills that cannot help
    // strict: { name: 'strict', model },    keeps only skills that are needed, judged by their full content
    // evaluation: true,                     drops skills that reveal the answer of an evaluation
  });
  return done(matched.map(({ name }) => name));
};
// #endregion
const finder = createRuntime({ engine: memoryEngine(), agents: { find } });
const found = await (await finder.start('find', 'a chargeback for returned goods', { budget: budget() })).outcome();
assert(found.stop === 'done');
assert.deepEqual(found.value, ['refunds']);

// #region with-skills
const writer = withSkills(
  { name: 'writer', description: 'You write.', model: scriptedModel({ writer: ['Dear Ann,'] }) },
  skills,
  { activate: ['letters'], match: {} },
);
// #endregion
assert.equal(defineAgent(writer).name, 'writer');

// #region watch
const watched = await watchSkills(folder, ({ changed, kept, problems }) => {
  for (const name of changed) console.log(`${name} has changed.`);
  for (const name of kept) console.log(`${name}: the last good version stays.`, problems.map(problemText));
});
write('letters/SKILL.md', '---\nname: letters\n---\nWrite rudely.\n'); // no description: broken
await watched.reload(); // or wait for the folder to be quiet for 100 ms
assert.match(watched.library.activate('letters').text, /Write politely/);
await watched.close();
// #endregion

// #region validate
const { problems } = await readSkills(folder);
assert.match(problemText(problems[0] ?? assert.fail()), /letters\/SKILL\.md:2:1: description is missing\. Say what/);
// #endregion

// #region learn
const teacher = scriptedModel({
  'distil-extract': JSON.stringify({ procedure: ['read the file', 'write it as JSON'] }),
  'distil-parameterize': JSON.stringify({
    name: 'csv-to-json',
    description: 'Converts a CSV file to JSON.',
    parameters: [
      { name: 'source', description: 'the CSV file', type: 'string', original: 'a.csv' },
      { name: 'target', description: 'the JSON file', type: 'string', original: 'a.json' },
    ],
    body: 'Read {{source}} and write {{target}}.',
    invariants: ['No row is lost.'],
    acceptance: 'There is a record for each row.',
  }),
  'distil-validate': JSON.stringify({ verdict: 'accept', objections: [] }),
  adapt: JSON.stringify({ source: 'b.csv', target: 'b.json' }),
});
const shelf = storedSkills(memoryStore(), { tenant: 'acme', owner: 'skills' }); // or learnedFolder('skills/learned')
const learn: Agent<null, unknown> = async (of) => {
  const learned = accumulateSkills({ shelf, session: { name: 'distil', model: teacher } });
  const trace = {
    task: 'Convert a.csv to a.json.',
    steps: [
      { tool: 'read', args: { path: 'a.csv' }, ok: true },
      { tool: 'write', args: { path: 'a.json' }, ok: true },
    ],
    answer: 'Done.',
  };
  await learned.distil(of, trace, { verdict: 'unknown', because: 'nobody looked' }); // stores nothing
  await learned.distil(of, trace, { verdict: 'passed', because: 'the tests pass' });
  const [best] = await learned.retrieve(of, 'Convert b.csv to JSON');
  if (best === undefined) return done('nothing learned');
  return runSkill(of, best.skill, 'Convert b.csv to JSON', {
    adaptor: { name: 'adapt', model: teacher },
    execute: async (_child, { instructions }) => done(instructions),
    bounds: { share: 0.5 },
  });
};
// #endregion
const school = createRuntime({ engine: memoryEngine(), agents: { learn } });
const lesson = await (await school.start('learn', null, { budget: budget() })).outcome();
assert(lesson.stop === 'done');
assert.equal(lesson.value, 'Read b.csv and write b.json.');
teacher.assertFinished();

for (const each of [runtime, finder, school]) await each.close();
rmSync(folder, { recursive: true, force: true });
