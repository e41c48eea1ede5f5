import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AT_COMMIT, bridge, inRun, judged, piece, scores, session } from '../../../../test/checks/stage-checks.js';
import { processSandbox } from '../adapters/sandbox-process/index.js';
import { quickJsSandbox } from '../adapters/sandbox-quickjs/index.js';
import type { Defect } from '../core/work.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';
import { NO_BASELINE } from './baseline.js';
import type { Subject, TestHarness } from './contracts.js';
import { claimDefects, gapDefect, requirementDefect, rubricDefect, schemaDefect } from './defects.js';
import { testHarness } from './harness/test-harness.js';
import { javascriptCases } from './javascript-cases.js';
import { DEFAULT_RUBRIC } from './rubric.js';
import { testDefects } from './test-defects.js';
import { verification } from './verification.js';
import { type ReverifyParts, verifyDefect } from './verify-defect.js';

async function isGone(
  defect: Defect,
  script: Script,
  { subject = bridge(), ...parts }: Partial<ReverifyParts> & { readonly subject?: Subject } = {},
) {
  const model = scriptedModel(script);
  const again = verifyDefect({
    judge: { session: session(model, 'judge') },
    claims: { session: session(model, 'claims') },
    ...parts,
  });
  const gone = await inRun((run) => again(run, subject, defect, AT_COMMIT));
  model.assertFinished(); // exactly what the kind of defect needs, and no more
  return gone;
}

const answer = (text: string): Subject => bridge({ outputs: { artefacts: [{ name: 'answer', text }], reports: [] } });
const yes = (value: boolean): string => JSON.stringify({ reasoning: 'Looked.', yes: value });
const stated = (value: boolean): string => JSON.stringify({ reasoning: 'Looked.', stated: value });

describe('a defect is looked at again', () => {
  it('by the schema alone, where the schema found it [R4-REPAIR-REVERIFY]', async () => {
    const schema = jsonSchemaStandard({ type: 'object', required: ['total'] });
    const defect = schemaDefect(bridge(), ['total is missing']);
    expect(await isGone(defect, {}, { schema, subject: answer('{}') })).toBe(false);
    expect(await isGone(defect, {}, { schema, subject: answer('{"total":1}') })).toBe(true);
  });

  it('by that claim alone, where a claim was wrong [R4-REPAIR-REVERIFY]', async () => {
    const claim = {
      id: 'c',
      text: 'It is 214 metres long.',
      artefact: 'answer',
      verdict: 'contradict',
      evidence: ['e2'],
      isSupported: false,
    } as const;
    const [defect] = claimDefects([claim], bridge().evidence) as [Defect];
    expect(await isGone(defect, { claims: stated(false) })).toBe(true);
    expect(await isGone(defect, { claims: [stated(true), judged(['contradict', 'e2'])] })).toBe(false);
    expect(await isGone(defect, { claims: [stated(true), judged(['entail', 'e9'])] })).toBe(false);
    expect(await isGone(defect, { claims: [stated(true), judged(['entail', 'e2'])] })).toBe(true);
    expect(await isGone(defect, { claims: ['?', '??', '???'] })).toBe(false);
  });

  it('by that dimension alone, where the rubric was not reached [R4-REPAIR-REVERIFY]', async () => {
    const [, completeness, coherence] = DEFAULT_RUBRIC.dimensions as unknown as Parameters<typeof rubricDefect>[0][];
    const short = rubricDefect(completeness as never, { score: 0.2, reasoning: 'Half is missing.' });
    expect(await isGone(short, { judge: scores({ completeness: 0.69 }, {}, ['completeness']) })).toBe(false);
    expect(await isGone(short, { judge: scores({ completeness: 0.7 }, {}, ['completeness']) })).toBe(true);
    expect(await isGone(short, { judge: ['fine', 'good', 'best'] })).toBe(false);
    const model = scriptedModel({ coherence: scores({ coherence: 0.9 }, {}, ['coherence']) });
    const loose = rubricDefect(coherence as never, { score: 0.2, reasoning: 'It jumps.' });
    expect(await isGone(loose, {}, { coherence: session(model, 'coherence') })).toBe(true);
  });

  it('by one question, where a requirement was missing or a critic saw something [R4-REPAIR-REVERIFY]', async () => {
    const missing = requirementDefect('how long it is');
    expect(await isGone(missing, { judge: yes(true) })).toBe(true);
    expect(await isGone(missing, { judge: yes(false) })).toBe(false);
    const seen: Defect = {
      id: 'critic-1',
      dimension: 'coherence',
      description: 'It jumps.',
      severity: 0.4,
      scope: 'global',
      foundBy: 'critic',
    };
    expect(await isGone(seen, { judge: yes(true) })).toBe(true);
    expect(await isGone(seen, { judge: ['?', '??', '???'] })).toBe(false);
  });

  it('by the evidence, where evidence was missing', async () => {
    const gap = gapDefect('who built it');
    const evidence = (query: string, gaps: readonly string[] = []) =>
      bridge({ evidence: { items: [piece('e7', 'Built by Rosa Lind.', { query })], gaps } });
    expect(await isGone(gap, {}, { subject: evidence('who built it') })).toBe(true);
    expect(await isGone(gap, {}, { subject: evidence('color', ['who built it']) })).toBe(false);
    expect(await isGone(gap, { judge: yes(true) }, { subject: evidence('builder of the bridge') })).toBe(true);
  });

  it('by that case alone, where an adversary broke it [R4-REPAIR-REVERIFY]', async () => {
    const runner = javascriptCases({ sandbox: quickJsSandbox(), artefact: 'answer', call: 'mean' });
    const facts = { input: [[]], expected: { returns: 0 } };
    const broken: Defect = {
      id: 'adversary-1',
      dimension: 'correctness',
      description: 'x',
      severity: 1,
      scope: 'global',
      foundBy: 'adversary',
      facts,
    };
    const mean = (empty: string) => answer(`function mean(v) { return v.length === 0 ? ${empty} : 1; }`);
    expect(await isGone(broken, {}, { adversary: { runner }, subject: mean('null') })).toBe(false);
    expect(await isGone(broken, {}, { adversary: { runner }, subject: mean('0') })).toBe(true);
    expect(await isGone(broken, {}, { adversary: { runner }, subject: answer("import 'x';") })).toBe(false);
  });

  it('by a real run of the tests, where a test failed [R4-REPAIR-REVERIFY]', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'flyball-reverify-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    const write = (body: string, tests = "test('adds', () => assert.equal(add(1, 2), 3));"): Subject => {
      const source = `module.exports.add = function add(a, b) {\n  ${body}\n};\n`;
      writeFileSync(join(cwd, 'add.cjs'), source);
      const head =
        "const test = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('./add.cjs');\n";
      writeFileSync(join(cwd, 'add.test.cjs'), `${head}${tests}\ntest('is there', () => assert.ok(add));\n`);
      return bridge({ outputs: { artefacts: [{ name: 'add.cjs', text: source }], reports: [] } });
    };
    const command = [process.execPath, '--test', '--test-reporter=tap', 'add.test.cjs'];
    const tests = [testHarness({ level: 'unit', sandbox: processSandbox(), command, cwd, format: 'tap' })];

    const model = scriptedModel({ judge: scores() });
    const subject = write("throw new RangeError('not yet');");
    const verdict = await inRun((run) =>
      verification({ judge: { session: session(model, 'judge') }, tests })(run, subject, AT_COMMIT),
    );
    expect(verdict).toMatchObject({ testPassRate: 0.5, tests: [{ passed: 1, failed: 1 }] });
    const [defect] = verdict.defects as [Defect];
    expect(defect).toMatchObject({
      cause: 'logic-error',
      location: { artefact: 'add.cjs', line: 2 },
      facts: { test: 'adds' },
    });

    expect(await isGone(defect, {}, { tests, subject: write('return a - b;') })).toBe(false);
    expect(await isGone(defect, {}, { tests, subject: write('return a + b;') })).toBe(true);
    expect(await isGone(defect, {}, { tests, subject: write('return a + b;', '') })).toBe(false); // the test was removed
    expect(await isGone(defect, {}, { tests, subject: write('return a +;') })).toBe(false); // nothing runs any more
    const away = [
      testHarness({ level: 'unit', sandbox: processSandbox(), command: ['/nowhere/test'], cwd, format: 'tap' }),
    ];
    const missing = await inRun((run) => (away[0] as TestHarness).runTests(run, NO_BASELINE));
    expect(missing).toMatchObject({ blocked: true });
    expect(testDefects(subject, missing)).toEqual([]); // nothing that a repair could mend
    const { blocked: _, ...unread } = missing;
    const [broken] = testDefects(subject, unread) as [Defect];
    expect(broken).toMatchObject({ cause: 'tool-failure' });
    expect(await isGone(broken, {}, { tests: away })).toBe(false);
    write('return a - b;');
    const back = { ...broken, facts: { command: tests[0]?.command } };
    expect(await isGone(back, {}, { tests })).toBe(true); // a failing test is another defect
    expect(await isGone(defect, {}, { tests: [], subject: write('return a + b;') })).toBe(false);
  });
});
