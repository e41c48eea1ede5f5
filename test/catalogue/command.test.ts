import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, failed } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type CatalogueJson, catalogueJson } from 'flyball/catalogue';
import { selfConsistency, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { factNames, questionIds, ruleNames } from '../../packages/flyball/src/catalogue/decidable.js';
import { readDecisions } from '../../packages/flyball/src/cli/decisions-file.js';
import { root } from '../../scripts/files.mjs';
import { flyball } from '../cli/in-process.js';
import { session } from '../patterns/bed.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-patterns-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const json = async (...words: readonly string[]) => {
  const { out, code } = await flyball([...words, '--json'], { FLYBALL_DB: join(folder, 'none.db') });
  return { code, value: JSON.parse(out) as Record<string, unknown> };
};

/** An agent file of plain data: a description is enough for the linter. */
const agentFile = (uses: string): string =>
  file(
    'agent.mjs',
    `const USE = Symbol.for('flyball.pattern');
const use = (id, name, parts = {}) => ({ id, name, params: {}, parts, apart: [], calls: 1, predicted: { min: 1, max: 1 }, provides: [] });
const agent = async () => ({ stop: 'done', value: '' });
Object.defineProperty(agent, USE, { value: ${uses} });
export const agents = { bot: agent };
`,
  );

/** A database with some runs of each agent. */
async function runsIn(path: string, agents: Readonly<Record<string, Agent<string, string>>>, each: number) {
  const runtime = createRuntime({ engine: await sqliteEngine({ path }), agents });
  for (const name of Object.keys(agents))
    for (let n = 0; n < each; n++) await (await runtime.start(name, 'How many?', { budget: budget() })).outcome();
  await runtime.close();
}

describe('flyball patterns', () => {
  it('list: every pattern with id, name, category, export, kind and status [R17-CLI]', async () => {
    const { value } = await json('patterns', 'list');
    const patterns = value['patterns'] as readonly { readonly id: string }[];
    expect(patterns).toHaveLength(94);
    expect(patterns.find(({ id }) => id === 'R17')).toEqual({
      id: 'R17',
      name: 'Self-Consistency Voting',
      category: 'reasoning',
      export: 'selfConsistency',
      kind: 'wrapper',
      status: 'complete',
    });
    expect(patterns.find(({ id }) => id === 'O12')).toMatchObject({
      status: { missing: expect.arrayContaining(['O12.1']) },
    });
    const { out } = await flyball(['patterns', 'list', '--category', 'humanizer']);
    expect(out.trim().split('\n')).toHaveLength(10);
    expect(out).toMatch(/^H10 +withRelationship +wrapper +not built/m);
  });

  it('show: one pattern, with numbers put into its formula [R17-CLI]', async () => {
    const { out, code } = await flyball(['patterns', 'show', 'selfConsistency', '--samples', '5']);
    expect(code).toBe(0);
    expect(out).toContain('Model calls: samples × agent + grouped × same');
    expect(out).toContain('5 to 7');
    expect(out).toContain('\nParameters:\n  samples = 10');
    expect(out).toContain('✓ R17.1');
    const { value } = await json('patterns', 'show', 'R17');
    expect(value).toMatchObject({
      kind: 'pattern',
      pattern: { id: 'R17', formula: 'samples × agent + grouped × same' },
      predicted: { min: 10, max: 12 },
    });
    const { code: missing, error } = await flyball(['patterns', 'show', 'selfConsistancy']);
    expect([missing, error]).toEqual([7, expect.stringContaining('Did you mean selfConsistency?')]);
    expect((await flyball(['patterns', 'show', 'R17', '--rounds', '5'])).error).toContain(
      'R17 has no parameter rounds',
    );
  });

  it.each([
    [['O2', '--steps', '3'], '(3 steps): 3 to 9'],
    [['O8', '--roles', '3', '--maxRounds', '2'], '(3 roles): 4 to 8'],
    [['O9', '--reviewers', '3', '--maxRounds', '1'], '(3 reviewers): 1 to 6'],
    [['O12', '--sides', '3'], '(3 debaters): 7 to 8'],
    [['O13', '--parties', '4', '--maxRounds', '2'], '(4 parties): 4 to 12'],
  ])('show: counts everybody who fills a role: %j [R17-CLI]', async (words, calls) => {
    expect((await flyball(['patterns', 'show', ...words])).out).toContain(calls);
  });

  it('show: knows no option that every object has [R17-CLI]', async () => {
    const { code, error } = await flyball(['patterns', 'show', 'R17', '--constructor', '5']);
    expect([code, error]).toEqual([2, expect.stringContaining('R17 has no parameter constructor')]);
  });

  it.each([
    [['--samples', 'five'], '--samples must be a number of at least 0, got "five".'],
    [['--samples', '-5'], '--samples must be a number of at least 0, got "-5".'],
    [['--samples'], '--samples must be a number of at least 0, got "".'],
    [['R18'], 'show takes one pattern, and got "R18" too.'],
  ])('show: refuses figures that are none: %j [R17-CLI]', async (words, problem) => {
    const { code, out, error } = await flyball(['patterns', 'show', 'R17', ...words]);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(problem);
  });

  it('show: the compiled example of its page, with what it needs [R17-EXAMPLES]', async () => {
    const page = readFileSync(join(root, 'docs/patterns/r7-reflexion.md'), 'utf8');
    const [, code = 'none'] = / -->\n```ts\n([\s\S]*?)\n```/.exec(page) ?? [];
    const { value } = await json('patterns', 'show', 'R7');
    const { examples } = value['pattern'] as CatalogueJson['patterns'][number];
    expect(examples).toEqual([{ export: 'reflexion', setup: expect.stringContaining('const session'), code }]);
    const { out } = await flyball(['patterns', 'show', 'R7']);
    expect(out).toContain('Example of reflexion:\n');
    expect(out).toContain(code.replaceAll(/^(?=.)/gm, '  '));
    const { patterns } = catalogueJson();
    const built = patterns.filter(({ status }) => status === 'complete');
    expect(built.filter(({ examples: own }) => own.length === 0).map(({ id }) => id)).toEqual([]);
    const long = patterns.flatMap(({ examples: own }) => own.filter((each) => each.code.split('\n').length > 25));
    expect(long.map(({ export: name }) => name)).toEqual([]);
    expect((await flyball(['patterns', 'show', 'O12'])).out).not.toContain('Example of'); // not built yet
  });

  it('check: findings with place, reason and change, and exit code 1 for errors [R17-CLI]', async () => {
    const bad = agentFile("use('R7', 'reflexion', { agent: use('O5', 'untilApproved') })");
    const { code, out } = await flyball(['patterns', 'check', bad, '--decisions', file('none.yaml', '')]);
    expect(code).toBe(1);
    expect(out).toContain('error bot > reflexion (R7) > agent > untilApproved (O5)');
    expect(out).toContain('[R7 conflicts with O5]');
    const decisions = file(
      'flyball.decisions.yaml',
      "accepted:\n  'R7 conflicts with O5': the two look at different things\n  'O5 requires V15': a person judges\n",
    );
    const { code: accepted, value } = await json('patterns', 'check', bad, '--decisions', decisions);
    expect([accepted, value['errors']]).toEqual([0, 0]);
    expect((await flyball(['patterns', 'check', bad, '--profile', 'pilot'])).error).toContain(
      'There is no profile "pilot"',
    );
    for (const count of ['many', '-3', '2.5'])
      expect((await flyball(['patterns', 'check', bad, '--max-calls', count])).error).toContain(
        `--max-calls must be a whole number of at least 1, got "${count}".`,
      );
  });

  it('suggest: by a task description, without a model [R17-CLI]', async () => {
    const task = file('task.yaml', 'language-decides: true\ntools: 4\nschema-share: 0.02\ncalls-independent: false\n');
    const { value } = await json('patterns', 'suggest', task);
    expect((value['suggestions'] as readonly { readonly rule: string }[]).map(({ rule }) => rule)).toEqual([
      'E1.own-tools',
      'E3.1-dependent',
      'R.react',
    ]);
    const { out } = await flyball(['patterns', 'suggest', task]);
    expect(out).toContain('reAct (R4) instead of rewoo (R5) [E3.1-dependent]');
    expect(out).toMatch(/Measured: .*Threshold: calls-independent no\. Predicted model calls: R4 0 to 20\./);
    expect((await flyball(['patterns', 'suggest', file('odd.yaml', 'color: red\n')])).error).toContain(
      'unknown field "color"',
    );
    expect((await json('patterns', 'suggest', '--fields')).value['fields']).toContain('tools');
    const twenty = file('twenty.yaml', 'language-decides: true\ntools: 20\n');
    expect((await flyball(['patterns', 'suggest', twenty])).out).toContain('[E1.many-tools]');
  });

  it.each([
    ['tools: many', 'tools must be a number, got "many".'],
    ['returning-share: true', 'returning-share must be a number, got "true".'],
    ['sandbox: 3', 'sandbox must be true or false, got "3".'],
    ['corpus: huge', 'corpus must be one of '],
  ])('suggest: refuses a value that no rule could read: %s [R17-CLI]', async (line, problem) => {
    const { code, error } = await flyball(['patterns', 'suggest', file('typed.yaml', `${line}\n`)]);
    expect([code, error]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('suggest: says what is not built yet, and what to use until then [R17-CLI]', async () => {
    const task = file('independent.yaml', 'calls-independent: true\nerrors-repeat: true\n');
    const { out } = await flyball(['patterns', 'suggest', task]);
    expect(out).toMatch(/^rewoo \(R5\) .*\n.*\n {2}Not built yet: rewoo \(R5\)\. Until then, use reAct \(R4\)\.$/m);
    expect(out.match(/Not built yet/g)).toHaveLength(1);
    const { value } = await json('patterns', 'suggest', task);
    expect(value['suggestions']).toMatchObject([
      { take: ['R5'], notBuilt: ['R5'], meanwhile: ['R4'] },
      { take: ['V11', 'V14'], notBuilt: [], meanwhile: [] },
    ]);
  });

  it('suggest --runs: says one thing about too few runs, no runs and no database [R17-CLI]', async () => {
    const path = join(folder, 'few.db');
    await runsIn(
      path,
      { best: async () => done('x'), worst: async () => failed({ code: 'UNCAUGHT', message: 'no', retryable: false }) },
      1,
    );
    const said = (agent: string, db = path) => flyball(['patterns', 'suggest', '--runs', agent, '--db', db]);
    const few = await said('best');
    expect([few.code, few.error]).toEqual([0, '']);
    expect(few.out).toMatch(
      /^Too few runs for a suggestion: best has 1, and 5 are needed\. Only runs that ended done, /,
    );
    expect((await said('worst')).out).toContain('worst has 0, and 5 are needed');
    expect((await json('patterns', 'suggest', '--runs', 'best', '--db', path)).value).toMatchObject({
      suggestions: [],
      runs: 1,
      runsNeeded: 5,
    });
    const none = await said('bset');
    expect([none.code, none.out]).toEqual([7, '']);
    expect(none.error).toContain('has no run of an agent "bset"');
    expect((await said('best', join(folder, 'gone.db'))).error).toContain('gone.db does not exist');
  });

  it('suggest --runs: names the option that should change, with both values [R17-CLI]', async () => {
    const path = join(folder, 'votes.db');
    const asked = zeroShot(session(scriptedModel({ q: () => '18' }), 'q'));
    await runsIn(path, { vote: selfConsistency(asked, {}, { samples: 9 }) }, 5);
    const words = ['patterns', 'suggest', '--runs', 'vote', '--db', path];
    expect((await flyball(words)).out).toContain('selfConsistency (R17) with samples: 9 → 5 [R17]');
    expect((await json(...words)).value['suggestions']).toContainEqual(
      expect.objectContaining({ rule: 'R17', changes: { samples: { from: 9, to: 5 } } }),
    );
  });

  it('refuses a decision without a reason, and one that is no answer [R17-CONDITIONS]', () => {
    expect(() => readDecisions(file('a.yaml', 'accepted:\n  A4: ""\n'))).toThrow('accepted.A4 needs a reason');
    expect(() => readDecisions(file('b.yaml', 'questions:\n  problems-recur: maybe\n'))).toThrow(
      'must be true or false',
    );
    expect(() => readDecisions(file('c.yaml', 'notes: {}\n'))).toThrow('unknown key "notes"');
    expect(() => readDecisions(join(folder, 'gone.yaml'))).toThrow('gone.yaml does not exist');
    const here = process.cwd();
    process.chdir(mkdtempSync(join(folder, 'empty-')));
    try {
      expect(readDecisions()).toEqual({});
    } finally {
      process.chdir(here);
    }
  });

  it.each([
    ['questions:\n  problem-recurs: true\n', ':2: unknown key "problem-recurs". Did you mean problems-recur?'],
    ['questions:\n  color: true\n', ':2: unknown key "color". Known fields: '],
    ['facts:\n  returning-users: true\n  irreversible: true\n', ':3: unknown key "irreversible".'],
    ['questions:\n  - problems-recur\n', ':2: expected a mapping'],
    ['questions: true\n', ':1: expected a mapping'],
    ['facts:\n  returning-users: "true"\n', ':2: facts.returning-users must be true or false, got "true".'],
    ['accepted:\n  - A4\n', ':2: accepted must map rules to reasons'],
    ['accepted:\n  A4: because\n  A99: because\n', ':3: there is no rule "A99". Did you mean "A9"?'],
    [
      'accepted:\n  R7 conflict with O5: because\n',
      ':2: there is no rule "R7 conflict with O5". Did you mean "R7 conflicts with O5"?',
    ],
    ['accepted:\n  A4 at demo: 7\n', ':2: accepted.A4 at demo needs a reason'],
    ['- A4\n', ':1: expected a mapping with questions, facts, accepted'],
  ])('refuses decisions that nobody would read: %j [R17-DECISIONS]', (text, problem) => {
    const path = file('strict.yaml', text);
    expect(() => readDecisions(path)).toThrow(`${path}${problem}`);
  });

  it('takes every question, fact and rule that the linter knows [R17-DECISIONS]', () => {
    const lines = (names: readonly string[], value: string) => names.map((name) => `  '${name}': ${value}\n`).join('');
    const text = `questions:\n${lines(questionIds(), 'true')}facts:\n${lines(factNames(), 'false')}accepted:\n${lines(ruleNames(), 'seen')}`;
    expect(Object.keys(readDecisions(file('all.yaml', text)).accepted ?? {})).toEqual(ruleNames());
    expect(readDecisions(file('nothing.yaml', '# nothing yet\n'))).toEqual({});
  });
});
