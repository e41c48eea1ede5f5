import { type Clock, done, FlyballError, type Run, systemClock } from 'flyball';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import {
  AT_COMMIT,
  bridge,
  claimed,
  ended,
  inRun,
  judged,
  piece,
  scores,
  session,
} from '../../../../test/checks/stage-checks.js';
import { at, Stage } from '../../../../test/runtime/stage.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';
import { withReports } from './baseline.js';
import type { Subject, TestHarness, TestLevel, TestReport, VerificationVerdict, VerifyContext } from './contracts.js';
import { DEFAULT_RUBRIC, rubricHash } from './rubric.js';
import { verification } from './verification.js';
import type { VerificationParts } from './verify-parts.js';

type Parts = Omit<VerificationParts, 'judge' | 'claims' | 'coherence'>;

/** Verifies with a judge and a claim session, and a judge of coherence where the script has one. */
async function verified(
  script: Script,
  { subject = bridge(), context = AT_COMMIT, ...parts }: Parts & { subject?: Subject; context?: VerifyContext } = {},
) {
  const model = scriptedModel(script);
  const verify = verification({
    judge: { session: session(model, 'judge') },
    ...('claims' in script ? { claims: { session: session(model, 'claims') } } : {}),
    ...('coherence' in script ? { coherence: session(model, 'coherence') } : {}),
    ...parts,
  });
  const verdict = await inRun((run) => verify(run, subject, context));
  model.assertFinished();
  return { verdict, model };
}

const CLAIMS = claimed('The bridge opened in 1894.', 'It is 214 metres long.', 'It is painted green.');
const JUDGED = judged(['entail', 'e1'], ['contradict', 'e2'], ['neutral']);

function harness(level: TestLevel, report: Partial<TestReport>, ran: TestLevel[] = []): TestHarness {
  return {
    level,
    command: `npm run ${level}`,
    runTests: (run, baseline) =>
      run.step(
        `tests-${level}`,
        { baseline },
        () => {
          ran.push(level);
          return {
            level,
            command: `npm run ${level}`,
            passed: 0,
            failed: 0,
            skipped: 0,
            failures: [],
            passing: [],
            known: [],
            regressions: [],
            ms: 1,
            ...report,
          };
        },
        'pure',
      ),
  };
}

describe('verification', () => {
  it('ends at a schema failure: nobody is asked, nothing is tested, and the composite is 0 [R4-VERIFY-SCHEMA] [R4-VERIFY-COMPOSITE]', async () => {
    const ran: TestLevel[] = [];
    const { verdict, model } = await verified(
      {},
      { schema: jsonSchemaStandard({ type: 'object' }), tests: [harness('unit', { passed: 1 }, ran)] },
    );
    expect(model.requests).toHaveLength(0);
    expect(ran).toEqual([]);
    expect(verdict).toMatchObject({ schemaOk: false, composite: 0, aggregate: 0, testPassRate: 0, claims: [] });
    expect(verdict.defects).toMatchObject([
      {
        cause: 'schema-violation',
        foundBy: 'schema',
        severity: 1,
        location: { artefact: 'answer' },
        facts: { problems: verdict.schemaProblems },
      },
    ]);
    expect(verdict.skipped.map(({ level }) => level)).toEqual(['tests', 'semantic', 'factual', 'rubric']);
  });

  it('measures claims, authority and rubric, and makes defects of what it finds [R4-VERIFY-SEMANTIC] [R4-VERIFY-FACTUAL] [R4-VERIFY-RUBRIC]', async () => {
    const { verdict } = await verified({ claims: [CLAIMS, JUDGED], judge: scores() });
    expect(verdict.semantic).toBeCloseTo(2 / 3);
    expect(verdict.factual).toBeCloseTo(1 / 3);
    expect(verdict.composite).toBeCloseTo(0.5);
    expect(verdict.scores).toEqual({ correctness: 0.9, completeness: 0.9, coherence: 0.9, safety: 1 });
    expect(verdict.aggregate).toBeCloseTo(0.915);
    expect(verdict.judgedBy).toEqual({
      rubric: { version: DEFAULT_RUBRIC.version, hash: rubricHash(DEFAULT_RUBRIC) },
      model: 'scripted/model',
      calibration: 'uncalibrated',
    });
    expect(verdict.defects).toMatchObject([
      {
        cause: 'factual-error',
        foundBy: 'claim',
        severity: 0.9,
        location: { artefact: 'answer', line: 2 },
        facts: { claim: 'It is 214 metres long.', evidence: [{ id: 'e2', text: 'Length: 241 m.' }] },
      },
      { cause: 'hallucination', foundBy: 'claim', severity: 0.5, location: { line: 3 } },
    ]);
    expect(verdict.skipped).toEqual([]);
  });

  it('scores coherence by its own session where there is one [R4-VERIFY-COHERENCE]', async () => {
    const others = ['correctness', 'completeness', 'safety'] as const;
    const { verdict, model } = await verified({
      judge: scores({}, {}, others),
      coherence: scores({ coherence: 0.4 }, {}, ['coherence']),
    });
    expect(verdict.coherence).toBe(0.4);
    expect(verdict.scores.coherence).toBe(0.4);
    expect(verdict.defects).toMatchObject([{ dimension: 'coherence', cause: 'coherence-failure', foundBy: 'rubric' }]);
    expect(model.promptAt('judge')).not.toContain('- coherence:');
    expect(model.promptAt('coherence')).not.toContain('- correctness:');
  });

  it('takes the judge’s own score of coherence where there is no other [R4-VERIFY-COHERENCE]', async () => {
    const { verdict } = await verified({ judge: scores({ coherence: 0.76 }) });
    expect(verdict.coherence).toBe(0.76);
  });

  it('makes a defect of each dimension below its minimum, and of each missing requirement [R4-VERIFY-RUBRIC]', async () => {
    const { verdict } = await verified({ judge: scores({ correctness: 0.4, safety: 0.9 }, { missing: [2] }) });
    expect(verdict.defects).toMatchObject([
      { cause: 'incompleteness', foundBy: 'requirement', facts: { requirement: 'how long it is' } },
      { dimension: 'correctness', foundBy: 'rubric', severity: 0.5 },
      { dimension: 'safety', foundBy: 'rubric', cause: 'safety-violation', severity: 1 },
    ]);
  });

  it('sends queries back that are needed, and not those that nobody missed', async () => {
    const subject = bridge({ evidence: { ...bridge().evidence, gaps: ['color of the bridge'] } });
    const fine = judged(['entail', 'e1'], ['entail', 'e2'], ['entail', 'e1']);
    expect((await verified({ claims: [CLAIMS, fine], judge: scores() }, { subject })).verdict.gaps).toEqual([]);
    const { verdict } = await verified(
      { claims: [CLAIMS, JUDGED], judge: scores({}, { gaps: ['who built it'] }) },
      { subject },
    );
    expect(verdict.gaps).toEqual(['who built it', 'color of the bridge']);
    expect(verdict.defects.filter(({ cause }) => cause === 'retrieval-gap').map(({ facts }) => facts)).toEqual([
      { query: 'who built it' },
      { query: 'color of the bridge' },
    ]);
  });

  it('gives a defect the same id when it is found again in other words and at another line', async () => {
    const ids = async (text: string, reasoning: string): Promise<readonly string[]> => {
      const claim = JSON.stringify({ claims: [{ text, artefact: 'answer', line: reasoning.length % 3 }] });
      const said = scores({ completeness: 0.3 }, { missing: [1] }).replaceAll('Looked', reasoning);
      const { verdict } = await verified({ claims: [claim, judged(['neutral'])], judge: said });
      return verdict.defects.map(({ id }) => id);
    };
    const first = await ids('It is green.', 'It says nothing');
    expect(first).toHaveLength(3);
    expect(await ids('it is  green.', 'Nothing is said at all')).toEqual(first);
    expect((await ids('It is blue.', 'It says nothing'))[0]).not.toBe(first[0]);
  });
});

describe('a level that was not run', () => {
  it('is listed with its reason and never lifts the composite [R4-VERIFY-COMPOSITE]', async () => {
    const { verdict } = await verified({ judge: scores({ correctness: 0.85, coherence: 0.95 }) });
    expect(verdict).toMatchObject({ semantic: 0, factual: 0, composite: 0.85, defects: [] });
    expect(verdict.skipped).toMatchObject([
      { level: 'semantic', why: expect.stringContaining('no session was given') },
      { level: 'factual' },
    ]);
    const worse = await verified({ judge: scores({ correctness: 0.85, coherence: 0.8 }) });
    expect(worse.verdict.composite).toBe(0.8);
  });

  it('includes claims without evidence, which are nobody’s fault', async () => {
    const subject = bridge({ evidence: { items: [], gaps: [] } });
    const model = scriptedModel({ judge: scores() });
    const verify = verification({
      judge: { session: session(model, 'judge') },
      claims: { session: session(model, 'claims') },
    });
    const verdict = await inRun((run) => verify(run, subject, AT_COMMIT));
    expect(model.requestsOf('claims')).toHaveLength(0);
    expect(verdict).toMatchObject({ semantic: 0, defects: [], skipped: [{ level: 'semantic' }, { level: 'factual' }] });
  });

  it('is the factual one where no evidence is an authority [R4-VERIFY-FACTUAL]', async () => {
    const items = [piece('e1', 'Opened 1894.', { authority: false })];
    const subject = bridge({ evidence: { items, gaps: [] } });
    const { verdict } = await verified(
      { claims: [claimed('Opened 1894.'), judged(['entail', 'e1'])], judge: scores() },
      { subject },
    );
    expect(verdict).toMatchObject({ semantic: 1, factual: 0, composite: 0.95 }); // 0.9 stands in for the factual level
    expect(verdict.skipped).toEqual([{ level: 'factual', why: 'there is no authority among the evidence' }]);
  });

  it('passes nothing and blames nobody when its reply cannot be read [R4-VERIFY-RUBRIC]', async () => {
    const { verdict } = await verified({ claims: ['?', '??', '???'], judge: ['good', 'better', 'best'] });
    expect(verdict).toMatchObject({ composite: 0, aggregate: 0, scores: { correctness: 0, safety: 0 }, defects: [] });
    expect(verdict.skipped.map(({ level }) => level)).toEqual(['semantic', 'factual', 'rubric']);
    expect(verdict.skipped[2]?.why).toContain('REPLY_INVALID');
    expect(verdict.skipped.every(({ unmet }) => unmet === true)).toBe(true);
  });

  it('says that nobody scored it, and who judged only where somebody did [R4-VERIFY-RUBRIC]', async () => {
    const { verdict } = await verified({ judge: ['good', 'better', 'best'] });
    expect(verdict.unscored).toEqual(['correctness', 'completeness', 'coherence', 'safety']);
    expect(verdict).not.toHaveProperty('judgedBy');
    expect(verdict.skipped).toContainEqual({ level: 'rubric', why: expect.any(String), unmet: true });
    const others = ['correctness', 'completeness', 'safety'] as const;
    const apart = await verified({ judge: scores({}, {}, others), coherence: ['?', '??', '???'] });
    expect(apart.verdict).toMatchObject({ unscored: ['coherence'], scores: { correctness: 0.9, coherence: 0 } });
    expect(apart.verdict).toHaveProperty('judgedBy');
    expect((await verified({ judge: scores({ safety: 0 }) })).verdict).not.toHaveProperty('unscored');
  });

  it('is told apart from one that does not apply: only claims that nobody makes need no evidence [R4-VERIFY-SEMANTIC]', async () => {
    const unmet = (verdict: VerificationVerdict) =>
      verdict.skipped.filter((one) => one.unmet === true).map(({ level }) => level);
    const both = ['semantic', 'factual'];
    const nothing = await verified({ claims: claimed(), judge: scores() });
    expect(nothing.verdict.skipped).toEqual(both.map((level) => ({ level, why: 'nothing is claimed' })));
    expect(unmet((await verified({ judge: scores() })).verdict)).toEqual([]);
    const unread = await verified({ claims: ['?', '??', '???'], judge: scores() });
    expect(unmet(unread.verdict)).toEqual(both);
    const unjudged = await verified({ claims: [CLAIMS, '?', '??', '???'], judge: scores() });
    expect(unmet(unjudged.verdict)).toEqual(both);
    const subject = bridge({ evidence: { items: [], gaps: [] } });
    expect(unmet((await verified({ claims: [], judge: scores() }, { subject })).verdict)).toEqual(both);
  });

  it('is the semantic one where the prompt of the extractor exceeds its window [R4-VERIFY-SEMANTIC]', async () => {
    const tooLong = new FlyballError('WINDOW_EXCEEDED', 'The prompt does not fit.');
    const { verdict } = await verified({ claims: tooLong, judge: scores() });
    expect(verdict.skipped[0]).toEqual({
      level: 'semantic',
      why: 'WINDOW_EXCEEDED: The prompt does not fit.',
      unmet: true,
    });
  });

  it('does not hide a model that is away: that can be tried again', async () => {
    const model = scriptedModel({ judge: new Error('connection refused') });
    const outcome = await ended((run) =>
      verification({ judge: { session: session(model, 'judge') } })(run, bridge(), AT_COMMIT),
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'MODEL_UNAVAILABLE' } });
  });
});

describe('tests in a verification', () => {
  const levels: readonly TestLevel[] = ['unit', 'integration', 'behavioral', 'regression'];

  it.each([
    ['action', ['unit'], []],
    ['all-actions', ['unit', 'integration'], [scores()]],
    ['commit', levels, [scores()]],
  ] as const)('run at their triggers: %s', async (trigger, expected, replies) => {
    const ran: TestLevel[] = [];
    const tests = levels.map((level) => harness(level, { passed: 2 }, ran));
    const { verdict } = await verified({ judge: replies }, { tests, context: { ...AT_COMMIT, trigger } });
    expect(ran).toEqual(expected);
    expect(verdict.testPassRate).toBe(1);
  });

  it('become defects with the place and the values of the failure', async () => {
    const source = 'export function add(a, b) {\n  return a - b;\n}';
    const subject = bridge({ outputs: { artefacts: [{ name: 'src/add.js', text: source }], reports: [] } });
    const frame = { file: '/work/repo/src/add.js', line: 2, function: 'add' };
    const failure = {
      test: 'adds',
      file: 'test/add.test.js',
      message: 'expected -1 to be 3',
      errorType: 'AssertionError',
      expected: '3',
      actual: '-1',
      inputs: ['1', '2'],
      stack: [{ file: '/work/repo/test/add.test.js', line: 9 }, frame],
    };
    const tests = [harness('unit', { passed: 3, failed: 1, failures: [failure], regressions: ['adds'] })];
    const { verdict } = await verified({ judge: scores() }, { subject, tests });
    expect(verdict.testPassRate).toBe(0.75);
    expect(verdict.composite).toBe(0.75); // the lowest that was measured
    expect(verdict.defects).toMatchObject([
      {
        cause: 'logic-error',
        foundBy: 'test:unit',
        scope: 'bounded',
        severity: 0.9,
        location: { artefact: 'src/add.js', line: 2, section: 'add' },
        facts: {
          test: 'adds',
          expected: '3',
          actual: '-1',
          inputs: ['1', '2'],
          stack: [{ line: 9 }, frame],
          regression: true,
        },
      },
    ]);
  });

  it('are no pass when the command could not be run, or ran no test', async () => {
    const broken = await verified(
      { judge: scores() },
      { tests: [harness('unit', { problem: 'SyntaxError in add.js' })] },
    );
    expect(broken.verdict).toMatchObject({
      testPassRate: 0,
      defects: [{ cause: 'tool-failure', facts: { problem: 'SyntaxError in add.js' } }],
    });
    expect(broken.verdict.skipped).toContainEqual({ level: 'test:unit', why: 'SyntaxError in add.js', unmet: true });
    expect(broken.verdict).not.toHaveProperty('blocked');
    const tests = [harness('unit', { passed: 3 }), harness('integration', {})];
    const empty = await verified({ judge: scores() }, { tests });
    expect(empty.verdict.testPassRate).toBe(0.75);
    const why = 'npm run integration ran no test';
    expect(empty.verdict.skipped).toContainEqual({ level: 'test:integration', why, unmet: true });
  });

  it.each(['commit', 'action'] as const)(
    'that were blocked make no defect that somebody would repair, and the verdict says so at %s [R4-VERIFY-TESTS]',
    async (trigger) => {
      const tests = [harness('unit', { problem: 'no sandbox', blocked: true })];
      const { verdict } = await verified(
        { judge: trigger === 'commit' ? scores() : [] },
        { tests, context: { ...AT_COMMIT, trigger } },
      );
      expect(verdict).toMatchObject({ testPassRate: 0, defects: [], blocked: ['npm run unit: no sandbox'] });
      expect(verdict.skipped).toContainEqual({ level: 'test:unit', why: 'no sandbox', unmet: true });
    },
  );

  it('that passed before and are gone are defects too', async () => {
    const tests = [harness('unit', { passed: 1, regressions: ['subtracts'] })];
    const { verdict } = await verified({ judge: scores() }, { tests });
    expect(verdict.defects).toMatchObject([{ facts: { test: 'subtracts', regression: true }, severity: 0.9 }]);
  });

  it('are given the baseline of their own command, and not that of another of its level [R4-VERIFY-REGRESSION]', async () => {
    const seen: unknown[] = [];
    const spy: TestHarness = {
      ...harness('unit', { passed: 1 }),
      runTests: (run, baseline) => {
        seen.push(baseline);
        return harness('unit', { passed: 1 }).runTests(run, baseline);
      },
    };
    const reported = (name: string, passing: string): TestReport => ({
      level: 'unit',
      command: name,
      passed: 1,
      failed: 0,
      skipped: 0,
      failures: [],
      passing: [passing],
      known: [passing],
      regressions: [],
      ms: 1,
    });
    const baseline = withReports({}, [reported(spy.command, 'adds'), reported('npm run other', 'other')]);
    await verified({ judge: scores() }, { tests: [spy], context: { ...AT_COMMIT, baseline } });
    expect(seen[0]).toEqual({ passing: ['adds'], known: ['adds'] });
  });
});

describe('consistency in a verification', () => {
  const answered = bridge({ outputs: { artefacts: [{ name: 'answer', text: '18' }], reports: [] } });

  async function consistencyOf(samples: readonly string[]) {
    const model = scriptedModel({ judge: scores(), solver: samples });
    const verify = verification({
      judge: { session: session(model, 'judge') },
      consistency: { session: session(model, 'solver'), n: 3, voting: 'majority' },
    });
    return { verdict: await inRun((run) => verify(run, answered, AT_COMMIT)), model };
  }

  it('holds the answer against fresh samples of the task [R4-VERIFY-CONSISTENCY]', async () => {
    const { verdict, model } = await consistencyOf(['18', '18', '18']);
    expect(verdict.consistency).toMatchObject({ score: 1, verdict: 'pass' });
    expect(model.promptAt('solver')).toContain('Describe the bridge.');
    expect(model.promptAt('solver')).not.toContain('requirement of the task is covered'); // the rubric
  });

  it('is of low confidence where the samples agree on another answer [R4-VERIFY-CONSISTENCY]', async () => {
    const { verdict } = await consistencyOf(['26', '26', '26']);
    expect(verdict.consistency).toMatchObject({ score: 0, verdict: 'low-confidence' });
  });
});

describe('verification over a crash', () => {
  it.each([1, 2, 3])('goes on after reply %i and comes to the same verdict', async (nth) => {
    const script = { claims: [CLAIMS, JUDGED], judge: scores({ completeness: 0.5 }) };
    const agentOn = (model: ReturnType<typeof scriptedModel>) => async (run: Run) =>
      done(
        await verification({
          judge: { session: session(model, 'judge') },
          claims: { session: session(model, 'claims') },
        })(run, bridge(), AT_COMMIT),
      );
    const whole = await new Stage<Clock>(systemClock()).open(agentOn(scriptedModel(script))).start();
    const stage = new Stage<Clock>(systemClock());
    const model = scriptedModel(script);
    await stage.crashed(agentOn(model), at('after', 'ask-end', nth));
    const resumed = await stage.open(agentOn(model)).resume();
    expect(resumed).toMatchObject({ stop: 'done', value: (whole as { value: unknown }).value });
    model.assertFinished(); // nothing was asked twice
  });
});
