import { type Agent, budget, type Clock, done, memoryStore, type Outcome, type Run, systemClock } from 'flyball';
import { learnedFolder, readSkills } from 'flyball/adapters/skill-folder';
import {
  accumulateSkills,
  type LearnedSkill,
  type LearnedSkills,
  runSkill,
  type SkillTask,
  type SuccessVerdict,
  solveWithSkills,
  storedSkills,
  type Trace,
} from 'flyball/skills';
import { type Script, scriptedModel } from 'flyball/testing';
import { patternsIn } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import type { Distilled } from '../../packages/flyball/src/skills/distil.js';
import { LEARNED_POLICY } from '../../packages/flyball/src/skills/learned-govern.js';
import { instantiate } from '../../packages/flyball/src/skills/learned-skill.js';
import { unpredictedIn } from '../patterns/journals-seen.js';
import { at, eventsOf, Stage } from '../runtime/stage.js';
import { skillDesk } from './skill-desk.js';

const TRACE: Trace = {
  task: 'Convert sales_a.csv to JSON and write it to out_a.json.',
  steps: [
    { tool: 'guess_format', args: { path: 'sales_a.csv' }, ok: false, result: 'cannot tell' },
    { tool: 'read_csv', args: { path: 'sales_a.csv', header: true }, ok: true, result: '12 rows' },
    { tool: 'write_json', args: { path: 'out_a.json', indent: 2 }, ok: true, result: 'written' },
  ],
  answer: 'out_a.json has 12 records.',
};
const PASSED: SuccessVerdict = { verdict: 'passed', because: 'the tests pass' };

const PROCEDURE = JSON.stringify({ procedure: ['read the CSV', 'write JSON'] });
const DRAFT = {
  name: 'convert-csv-to-json',
  description: 'Converts a CSV file to JSON. Use when rows of a CSV file have to become JSON.',
  parameters: [
    { name: 'source', description: 'the CSV file', type: 'string', original: 'sales_a.csv' },
    { name: 'target', description: 'the JSON file', type: 'string', original: 'out_a.json' },
  ],
  body: '1. read_csv {{source}} with its header.\n2. write_json to {{ target }}, indented by 2.',
  invariants: ['There are as many records as rows.'],
  acceptance: 'The target holds one record for each row.',
};
const draft = (more: object = {}) => JSON.stringify({ ...DRAFT, ...more });
const ACCEPT = JSON.stringify({ verdict: 'accept', objections: [] });

let runs = 0;

async function inRun<O>(work: (run: Run, model: ReturnType<typeof scriptedModel>) => Promise<O>, script: Script = {}) {
  const model = scriptedModel(script);
  const stage = new Stage<Clock>(systemClock());
  const id = `learning-${++runs}`; // uses are told apart by the run that made them
  const life = stage.open(async (run: Run) => done(await work(run, model)));
  const outcome = await (await life.runtime.start('agent', null, { id, budget: budget() })).outcome();
  if (outcome.stop !== 'done') throw new Error(JSON.stringify(outcome));
  return { value: outcome.value as O, model, stage, id };
}

const shelfOf = (): LearnedSkills => storedSkills(memoryStore(), { tenant: 'acme', owner: 'skills' });
const distilling = (extract: Script[string], parameterize: Script[string], validate: Script[string]): Script => ({
  'd-extract': extract,
  'd-parameterize': parameterize,
  'd-validate': validate,
});

async function distilled(shelf: LearnedSkills, script: Script, verdict = PASSED) {
  return inRun(
    (run, model) => accumulateSkills({ shelf, session: { name: 'd', model } }).distil(run, TRACE, verdict),
    script,
  );
}

function storedIn(value: Distilled): LearnedSkill {
  if (!value.stored) throw new Error(value.because);
  return value.skill;
}

async function learned(
  shelf: LearnedSkills = shelfOf(),
): Promise<{ readonly shelf: LearnedSkills; readonly skill: LearnedSkill }> {
  const { value } = await distilled(shelf, distilling(PROCEDURE, draft(), ACCEPT));
  return { shelf, skill: storedIn(value) };
}

describe('distilling', () => {
  it('makes a parameterized skill out of a verified success, with provenance, in three calls [R5-SKILL-ACCUMULATE] [H4.2] [H4.3] [H4.7] [H4.acceptance]', async () => {
    const shelf = shelfOf();
    const { value, model, stage, id } = await distilled(shelf, distilling(PROCEDURE, draft(), ACCEPT));
    expect(storedIn(value)).toMatchObject({
      name: 'convert-csv-to-json',
      status: 'active',
      invocations: [],
      revision: 1,
      provenance: {
        run: id,
        verdict: 'the tests pass',
        trace: expect.stringMatching(/^[0-9a-f]{64}$/),
        at: expect.any(Number),
      },
    });
    expect(await shelf.list()).toEqual([storedIn(value)]);
    expect(JSON.stringify({ ...storedIn(value), provenance: null })).not.toMatch(/sales_a|out_a/); // no literal of the case
    expect(model.requests).toHaveLength(3);
    expect(model.promptAt('d-extract')).not.toContain('guess_format'); // a branch that failed
    expect(eventsOf(await stage.entries(id), 'note').at(-1)?.event).toMatchObject({
      kind: 'skill-distilled',
      stored: true,
    });
  });

  it.each(['unknown', 'failed'] as const)(
    'stores nothing on the verdict %s, and asks nobody [R5-SKILL-ACCUMULATE] [H4.1] [H4.acceptance]',
    async (verdict) => {
      const shelf = shelfOf();
      const { value, model } = await distilled(shelf, {}, { verdict, because: 'nobody looked' });
      expect(value).toEqual({ stored: false, because: `the verdict is ${verdict}: nobody looked` });
      expect(await shelf.list()).toEqual([]);
      expect(model.requests).toEqual([]);
    },
  );

  it.each([
    [
      'a literal of the case in the body',
      { body: `${DRAFT.body} It is sales_a.csv.` },
      '"sales_a.csv" belongs to this case alone',
    ],
    [
      'a literal in the description',
      { description: 'Converts to out_a.json.' },
      '"out_a.json" belongs to this case alone',
    ],
    ['a tool that failed', { body: `0. guess_format.\n${DRAFT.body}` }, 'guess_format failed in this case'],
    ['a parameter that is not used', { body: '1. read_csv {{source}}.' }, 'the body does not use {{target}}'],
    ['a placeholder without parameter', { body: `${DRAFT.body} {{other}}` }, '{{other}} is not a parameter'],
    [
      'too few parameters',
      { parameters: DRAFT.parameters.slice(0, 1), body: 'Read {{source}}.' },
      'there are 1 parameters, and 2 to 5 are wanted',
    ],
    [
      'a value that never was',
      { parameters: [DRAFT.parameters[0], { ...DRAFT.parameters[1], original: 'x.json' }] },
      'occurs nowhere in the case',
    ],
    ['a bad name', { name: 'Convert_CSV' }, 'the name "Convert_CSV" needs'],
  ])('sends %s back once, and stores nothing where it stays [R5-SKILL-ACCUMULATE] [H4.3]', async (_, fault, says) => {
    const mended = await distilled(shelfOf(), distilling(PROCEDURE, [draft(fault), draft()], ACCEPT));
    expect(mended.value).toMatchObject({ skill: { name: 'convert-csv-to-json' } });
    expect(mended.model.promptAt('d-parameterize', 2)).toContain(JSON.stringify(says).slice(1, -1));
    const shelf = shelfOf();
    const left = await distilled(shelf, distilling(PROCEDURE, [draft(fault), draft(fault)], []));
    expect(left.value).toMatchObject({ stored: false, because: expect.stringContaining(says) });
    expect(await shelf.list()).toEqual([]);
  });

  it('obeys the validator: revises once, and stores nothing that it rejects [R5-SKILL-ACCUMULATE]', async () => {
    const revise = JSON.stringify({ verdict: 'revise', objections: ['say how rows are counted'] });
    const counted = draft({ body: `${DRAFT.body}\n3. Count the rows.` });
    const once = await distilled(shelfOf(), distilling(PROCEDURE, [draft(), counted], [revise, ACCEPT]));
    expect(once.value).toMatchObject({ stored: true });
    expect(once.model.requests).toHaveLength(5);
    expect(once.model.promptAt('d-parameterize', 2)).toContain('say how rows are counted');
    const twice = await distilled(shelfOf(), distilling(PROCEDURE, [draft(), counted], [revise, revise]));
    expect(twice.value).toMatchObject({ stored: false, because: expect.stringContaining('after one revision') });
    const reject = JSON.stringify({ verdict: 'reject', objections: ['far too general'] });
    expect((await distilled(shelfOf(), distilling(PROCEDURE, draft(), reject))).value).toMatchObject({
      because: expect.stringContaining('far too general'),
    });
    const garbled = await distilled(shelfOf(), distilling(PROCEDURE, draft(), ['yes', 'fine', 'good']));
    expect(garbled.value).toMatchObject({ stored: false, because: expect.stringContaining('could not be used') });
  });

  it('is untilApproved in the journal: code and the validator approve of a draft, or have it revised once [O5.users]', async () => {
    const revise = JSON.stringify({ verdict: 'revise', objections: ['say how rows are counted'] });
    const reject = JSON.stringify({ verdict: 'reject', objections: ['far too general'] });
    const counted = draft({ body: `${DRAFT.body}\n3. Count the rows.` });
    const around = async (drafts: Script[string], verdicts: Script[string]) => {
      const { stage, id, value, model } = await distilled(shelfOf(), distilling(PROCEDURE, drafts, verdicts));
      const entries = await stage.entries(id);
      expect(unpredictedIn(id, entries)).toEqual([]);
      const uses = patternsIn(entries).filter(({ pattern }) => pattern === 'untilApproved');
      expect(uses).toMatchObject([{ params: { id: 'O5', maxRounds: 2 } }]);
      return { use: uses[0], value, model };
    };
    const once = await around([draft(), counted], [revise, ACCEPT]);
    expect(once.use).toMatchObject({ how: 'done', modelCalls: 4, learned: { drafts: 2, judged: 2 } });
    const asked = once.model.promptAt('d-parameterize', 2);
    for (const read of [TRACE.task, 'read the CSV', DRAFT.body])
      expect(asked).toContain(JSON.stringify(read).slice(1, -1));
    const twice = await around([draft(), counted], [revise, revise]);
    expect(twice.use).toMatchObject({ how: 'bounded', modelCalls: 4 });
    const same = await around([draft(), draft()], [revise]);
    expect(same.use).toMatchObject({ how: 'blocked', modelCalls: 3, learned: { drafts: 2, judged: 1 } });
    expect(same.value).toEqual({
      stored: false,
      because: 'after one revision it still has faults: say how rows are counted',
    });
    const gone = await around(draft(), reject);
    expect(gone.use).toMatchObject({ how: 'blocked', modelCalls: 2 });
    expect(gone.value).toEqual({ stored: false, because: 'the validator rejects it: far too general' });
    const late = await around([draft(), counted], [revise, reject]);
    expect(late.value).toEqual({ stored: false, because: 'the validator rejects it: far too general' });
  });

  it('leaves a draft that was not approved out of what the run comes to', async () => {
    const revise = JSON.stringify({ verdict: 'revise', objections: ['say how rows are counted'] });
    const counted = draft({ body: `${DRAFT.body}\n3. Count the rows.` });
    const model = scriptedModel(distilling(PROCEDURE, [draft(), counted], revise));
    const agent: Agent<unknown, unknown> = async (run) =>
      done(await accumulateSkills({ shelf: shelfOf(), session: { name: 'd', model } }).distil(run, TRACE, PASSED));
    const outcome = await new Stage<Clock>(systemClock()).open(agent).start(null, { modelCalls: 3 });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'modelCalls' });
    expect(outcome).not.toHaveProperty('partial');
  });

  it('stores once when the run crashes around the write, and leaves a skill in use alone [R5-SKILL-ACCUMULATE] [H4.crash]', async () => {
    const shelf = shelfOf();
    const model = scriptedModel(distilling(PROCEDURE, draft(), ACCEPT), { repeatedKey: 'same-reply' });
    const stage = new Stage<Clock>(systemClock());
    const agent: Agent<unknown, unknown> = async (run) =>
      done(await accumulateSkills({ shelf, session: { name: 'd', model } }).distil(run, TRACE, PASSED));
    await stage.crashed(agent, at('before', 'complete'));
    expect(await shelf.list()).toHaveLength(1);
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: { skill: { revision: 1 } } });
    const again = await distilled(shelf, distilling(PROCEDURE, draft({ body: `${DRAFT.body} Twice.` }), ACCEPT));
    expect(again.value).toMatchObject({ skill: { body: DRAFT.body } }); // the same case teaches nothing new
    expect(await shelf.list()).toHaveLength(1);
  });
});

const TASK_B = 'Convert prices_b.csv to JSON, please, in out_b.json';
const VALUES = JSON.stringify({ source: 'prices_b.csv', target: 'out_b.json' });
const execute: Agent<SkillTask, string> = async (_run, { instructions }) => done(instructions);
const bounds = { share: 0.5 };

describe('a learned skill', () => {
  it('is adapted with one call that sets parameters and nothing else [R5-SKILL-ACCUMULATE] [H4.4] [H4.acceptance]', async () => {
    const { skill } = await learned();
    const { value, model } = await inRun(
      (run, of) => runSkill(run, skill, TASK_B, { adaptor: { name: 'adapt', model: of }, execute, bounds }),
      { adapt: VALUES },
    );
    expect(value).toMatchObject({
      stop: 'done',
      value: '1. read_csv prices_b.csv with its header.\n2. write_json to out_b.json, indented by 2.',
    });
    expect(model.requests).toHaveLength(1);
    expect(model.promptAt('adapt')).not.toContain('read_csv'); // it does not even see the body
    expect(() => instantiate({ ...skill, body: 'Do what you like.' }, {})).toThrow(/is not the one that was validated/);
  });

  it('hands whoever executes it data and nothing to write skills with [H4.5]', async () => {
    const { skill, shelf } = await learned();
    const given: unknown[] = [];
    const looking: Agent<SkillTask, string> = async (_run, task) => {
      given.push(...Object.entries(task).map(([name, value]) => `${name} ${typeof value}`));
      return done('did it');
    };
    await inRun(
      (run, model) => runSkill(run, skill, TASK_B, { adaptor: { name: 'adapt', model }, execute: looking, bounds }),
      { adapt: VALUES },
    );
    expect(given.filter((one) => String(one).endsWith(' function'))).toEqual([]);
    expect(given.map((one) => String(one).split(' ')[0])).toEqual(
      expect.arrayContaining(['skill', 'task', 'instructions', 'parameters']),
    );
    expect(await shelf.list()).toEqual([skill]);
  });

  it.each([
    ['a parameter too many', JSON.stringify({ source: 'a', target: 'b', also: 'c' })],
    ['one too few', JSON.stringify({ source: 'a' })],
    ['another type', JSON.stringify({ source: 1, target: 'b' })],
    ['no JSON', 'prices_b.csv'],
  ])('is not executed where the adaptation has %s [R5-SKILL-ACCUMULATE]', async (_, reply) => {
    const { skill } = await learned();
    const { value } = await inRun(
      (run, model) => runSkill(run, skill, TASK_B, { adaptor: { name: 'adapt', model }, execute, bounds }),
      { adapt: () => reply },
    );
    expect(value).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
  });

  it('solves what it fits; two failures quarantine it, and thinking takes over [R5-SKILL-ACCUMULATE] [H4.6] [H4.acceptance]', async () => {
    const { shelf } = await learned();
    const solve = (verdict: SuccessVerdict['verdict'], task = TASK_B) =>
      inRun(
        async (run, model) => {
          const skills = accumulateSkills({ shelf, session: { name: 'd', model } });
          const solver = solveWithSkills<string>({
            skills,
            adaptor: { name: 'adapt', model },
            execute,
            bounds,
            verify: async () => ({ verdict, because: 'as the test says' }),
            fallback: async (_run, given) => done(`thought about: ${given}`),
          });
          return (await solver(run, task)) as Outcome<string>;
        },
        { adapt: () => VALUES },
      );
    expect((await solve('passed')).value).toMatchObject({
      stop: 'done',
      value: expect.stringContaining('read_csv prices_b.csv'),
    });
    const missed = await solve('passed', 'When does the tide turn?');
    expect(missed.value).toMatchObject({ value: 'thought about: When does the tide turn?' });
    expect(missed.model.requests).toEqual([]);
    expect((await solve('unknown')).value).toMatchObject({ value: expect.stringContaining('read_csv') });
    expect((await shelf.list())[0]?.invocations).toHaveLength(1); // what nobody judged is counted neither way
    expect((await solve('failed')).value).toMatchObject({ value: `thought about: ${TASK_B}` });
    expect((await shelf.list())[0]).toMatchObject({
      status: 'active',
      invocations: [
        { ok: true, run: expect.stringMatching(/^learning-/) },
        { ok: false, because: 'as the test says' },
      ],
    });
    await solve('failed');
    expect((await shelf.list())[0]).toMatchObject({ status: 'quarantined', why: '67 % of its last 3 uses failed' });
    const after = await solve('passed');
    expect(after.value).toMatchObject({ value: `thought about: ${TASK_B}` });
    expect(after.model.requests).toEqual([]);
  });

  it('counts a use once, however often the step is made [R5-SKILL-ACCUMULATE]', async () => {
    const { shelf, skill } = await learned();
    const stage = new Stage<Clock>(systemClock());
    const agent: Agent<unknown, unknown> = async (run) => {
      const model = scriptedModel({});
      return done(await accumulateSkills({ shelf, session: { name: 'd', model } }).log(run, skill.name, { ok: false }));
    };
    await stage.crashed(agent, at('before', 'complete'));
    expect(await stage.open(agent).resume()).toMatchObject({ value: 'active' });
    expect((await shelf.get(skill.name))?.invocations).toHaveLength(1);
  });

  it('is retired by failure rate first, by age second, and beyond the size [R5-SKILL-ACCUMULATE] [H4.8]', async () => {
    const { shelf, skill } = await learned();
    const now = skill.freshAt;
    const put = (name: string, more: Partial<LearnedSkill>) =>
      shelf.put({ ...skill, name, ...more, revision: 1 }, { id: name, now });
    const uses = (ok: number, failed: number) =>
      Array.from({ length: ok + failed }, (_, n) => ({ id: `${n}`, run: 'r', at: now, ok: n < ok }));
    const old = now - LEARNED_POLICY.freshMs - 10;
    await put('stale', { freshAt: old });
    await put('failing-and-stale', { freshAt: old, invocations: uses(0, 3) });
    await put('out-of-use', { freshAt: old, status: 'quarantined', why: 'it failed' });
    await put('shaky', { freshAt: now + 9, invocations: uses(3, 1) });
    await put('fresh', { freshAt: now + 9 });
    const { value } = await inRun((run, model) =>
      accumulateSkills({ shelf, session: { name: 'd', model }, policy: { maxSkills: 2 } }).govern(run),
    );
    expect([...value].sort()).toEqual(['failing-and-stale', 'out-of-use', 'shaky', 'stale']);
    const status = Object.fromEntries((await shelf.list()).map((one) => [one.name, one.status]));
    expect(status).toEqual({
      'convert-csv-to-json': 'active',
      'failing-and-stale': 'quarantined',
      fresh: 'active',
      'out-of-use': 'retired',
      shaky: 'retired', // of three that are left, the one that failed most
      stale: 'retired',
    });
  });

  it('is taken out of use by where it came from, when the success turns out to be none [R5-SKILL-ACCUMULATE]', async () => {
    const { shelf, skill } = await learned();
    const recall = (from: string) =>
      inRun((run, model) =>
        accumulateSkills({ shelf, session: { name: 'd', model } }).recall(run, from, 'the tests were wrong'),
      );
    expect((await recall('another run')).value).toEqual([]);
    expect((await recall(skill.provenance.run)).value).toEqual([skill.name]);
    expect(await shelf.get(skill.name)).toMatchObject({ status: 'quarantined', why: 'the tests were wrong' });
  });
});

describe('learned skills in a folder', () => {
  it('are skill folders that any tool reads; those out of use lie aside [R5-SKILL-ACCUMULATE]', async () => {
    const desk = skillDesk();
    const shelf = learnedFolder(desk.root);
    const { skill } = await learned(shelf);
    const { skills, problems } = await readSkills(desk.root);
    expect(problems).toEqual([]);
    expect(skills).toMatchObject([
      { name: skill.name, version: '1', metadata: { 'learned-from': skill.provenance.run } },
    ]);
    expect(skills[0]?.instructions).toContain('- `{{source}}` (string): the CSV file');
    expect(skills[0]?.instructions).toContain('The target holds one record for each row.');
    expect(await shelf.list()).toEqual([skill]);
    const used = await inRun(async (run, model) => {
      const of = accumulateSkills({ shelf, session: { name: 'd', model } });
      return [await of.log(run, skill.name, { ok: false }), await of.log(run, skill.name, { ok: false })];
    });
    expect(used.value).toEqual(['active', 'quarantined']);
    expect((await readSkills(desk.root)).skills).toEqual([]);
    expect(await shelf.get(skill.name)).toMatchObject({ status: 'quarantined', revision: 3 });
    await expect(shelf.put({ ...skill, revision: 3 }, { id: 'x', now: 0 })).rejects.toMatchObject({
      code: 'RECORD_CONFLICT',
    });
    const { value } = await distilled(shelf, distilling(PROCEDURE, draft(), ACCEPT)); // learned anew
    expect(storedIn(value)).toMatchObject({ status: 'active', revision: 4 });
    expect((await readSkills(desk.root)).skills).toHaveLength(1);
    expect(await shelf.list()).toHaveLength(1);
  });
});
