import { type Agent, done, type StandardSchema } from 'flyball';
import { calibrate, type JudgeVerdict } from 'flyball/checks';
import { pairJudge, rubricJudge, untilApproved, useOf } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { LLMBAR_NATURAL } from '../../../../../test/checks/llmbar-natural.js';
import { bridge, inRun, scores, session } from '../../../../../test/checks/stage-checks.js';
import { ended } from '../../../../../test/patterns/bed.js';
import { DEFAULT_RUBRIC, rubricHash } from '../../checks/rubric.js';
import type { ScoredVerdict } from '../../checks/verdict.js';
import { jsonSchemaStandard } from '../../tools/json-schema-standard.js';

const rubric = {
  ...DEFAULT_RUBRIC,
  dimensions: DEFAULT_RUBRIC.dimensions.map((one) => ({ ...one, description: `CANARY ${one.description}` })),
};
const HASH = rubricHash(rubric);

async function verdictFor(replies: string | readonly string[], calibration?: ReturnType<typeof calibrate>) {
  const model = scriptedModel({ judge: replies });
  const ask = rubricJudge({
    judge: session(model, 'judge'),
    rubric,
    ...(calibration === undefined ? {} : { calibration }),
  });
  return { verdict: await inRun((run) => ask.verdict(run, bridge())), model };
}

describe('a judge', () => {
  it('scores each dimension by itself and adds them up in code [R4-CRITIC-JUDGE] [V15.4] [V15.6]', async () => {
    const { verdict, model } = await verdictFor(scores({ completeness: 0.6 }, { missing: [2], gaps: ['length'] }));
    expect(verdict).toMatchObject({
      kind: 'scored',
      scores: { correctness: 0.9, completeness: 0.6, coherence: 0.9, safety: 1 },
      passed: false,
      failed: ['completeness'],
      blockedBy: [],
      missing: ['how long it is'],
      gaps: ['length'],
      rubric: { version: '1', hash: HASH },
      model: 'scripted/model',
    });
    expect((verdict as ScoredVerdict).aggregate).toBeCloseTo(0.36 + 0.15 + 0.18 + 0.15);
    model.assertFinished();
  });

  it('has to reason before it scores [R4-CRITIC-JUDGE] [V15.3]', async () => {
    const { model } = await verdictFor(scores());
    const schema = model.requests[0]?.output as { properties: { dimensions: { properties: object } } };
    const { dimensions } = schema.properties;
    expect(Object.keys(dimensions.properties)).toEqual(['correctness', 'completeness', 'coherence', 'safety']);
    for (const each of Object.values(dimensions.properties))
      expect(Object.keys((each as { properties: object }).properties)).toEqual(['reasoning', 'score']);
  });

  it('reads the rubric before the evidence, in its setup, without weights and minimums [R4-CRITIC-JUDGE] [V15.9]', async () => {
    const { model } = await verdictFor(scores());
    const [setup, ...turns] = model.requests[0]?.messages ?? [];
    expect(setup?.role).toBe('system');
    expect(setup?.content).toContain('CANARY Every requirement');
    expect(setup?.content).not.toMatch(/0\.95|0\.75|minimum\b(?!":)/);
    expect(turns.map(({ content }) => content).join()).not.toContain('CANARY');
    expect(model.promptAt('judge').indexOf('CANARY')).toBeLessThan(model.promptAt('judge').indexOf('Opened 1894.'));
  });

  it('fails what fails a blocking dimension, however good the rest is [R4-CRITIC-JUDGE] [V15.4] [V15.acceptance]', async () => {
    const { verdict } = await verdictFor(scores({ correctness: 1, completeness: 1, coherence: 1, safety: 0 }));
    expect(verdict).toMatchObject({ passed: false, blockedBy: ['safety'] });
    expect((verdict as ScoredVerdict).aggregate).toBeGreaterThan(DEFAULT_RUBRIC.threshold);
  });

  it('is asked again a bounded number of times, with the error as the last text [R4-CRITIC-JUDGE] [V15.10]', async () => {
    const { verdict, model } = await verdictFor(['Very good!', scores({ correctness: 5 }), scores()]);
    expect(verdict).toMatchObject({ kind: 'scored', passed: true });
    const requests = model.requestsOf('judge');
    expect(requests[1]?.messages.at(-1)?.content).toContain('not JSON');
    expect(requests[2]?.messages.at(-1)?.content).toContain('correctness');
  });

  it('leaves the output unscored when it cannot be read, and never passes it [R4-CRITIC-JUDGE] [V15.10]', async () => {
    const { verdict, model } = await verdictFor(['good', 'very good', 'excellent']);
    expect(verdict).toMatchObject({
      kind: 'unscored',
      passed: false,
      because: expect.stringContaining('REPLY_INVALID'),
      rubric: { hash: HASH },
    });
    model.assertFinished();
  });

  it('leaves the output unscored when it proposes calls instead of answering', async () => {
    const model = scriptedModel({ judge: () => ({ toolCalls: [{ id: '1', name: 'edit', arguments: '{}' }] }) });
    const ask = rubricJudge({ judge: session(model, 'judge'), rubric });
    expect(await inRun((run) => ask.verdict(run, bridge()))).toMatchObject({ kind: 'unscored', passed: false });
  });

  it('cannot be a session that may act or that answers in a form of its own [V15.11]', () => {
    const model = scriptedModel({});
    const tools = [{ name: 'edit', description: 'Edits.', effect: 'pure', execute: async () => null } as const];
    expect(() => rubricJudge({ judge: { ...session(model, 'judge'), tools }, rubric: DEFAULT_RUBRIC })).toThrow(
      /may have no tools/,
    );
    const output = jsonSchemaStandard({}) as StandardSchema<unknown, string>;
    expect(() => rubricJudge({ judge: { ...session(model, 'judge'), output }, rubric: DEFAULT_RUBRIC })).toThrow(
      /output schema is made here/,
    );
  });
});

describe('a pairwise judge', () => {
  const other = { artefacts: [{ name: 'answer', text: 'A green bridge.' }], reports: [] };
  const pair = (first: number, second: number, safety: readonly [number, number] = [1, 1]): string =>
    JSON.stringify({
      dimensions: Object.fromEntries(
        DEFAULT_RUBRIC.dimensions.map(({ name }) => [
          name,
          name === 'safety'
            ? { reasoning: 'Looked.', first: safety[0], second: safety[1] }
            : { reasoning: 'Looked.', first, second },
        ]),
      ),
    });

  async function compared(replies: readonly string[]) {
    const model = scriptedModel({ judge: replies });
    const compare = pairJudge({ judge: session(model, 'judge'), rubric: DEFAULT_RUBRIC });
    const verdict = await inRun((run) => compare(run, bridge(), other));
    model.assertFinished();
    return { verdict, model };
  }

  it('calls it a tie when the first one always wins [R4-CRITIC-JUDGE] [V15.5] [V15.acceptance]', async () => {
    const { verdict, model } = await compared([pair(0.9, 0.5), pair(0.9, 0.5)]);
    expect(verdict).toMatchObject({ kind: 'compared', winner: 'tie', orders: ['subject', 'other'] });
    const [straight, swapped] = [model.promptAt('judge', 1), model.promptAt('judge', 2)];
    expect(straight.indexOf('1894')).toBeLessThan(straight.indexOf('A green bridge.'));
    expect(swapped.indexOf('A green bridge.')).toBeLessThan(swapped.indexOf('opened in 1894'));
  });

  it('names the one that wins from both places [R4-CRITIC-JUDGE]', async () => {
    expect((await compared([pair(0.9, 0.5), pair(0.5, 0.9)])).verdict).toMatchObject({ winner: 'subject' });
    expect((await compared([pair(0.5, 0.9), pair(0.9, 0.5)])).verdict).toMatchObject({ winner: 'other' });
  });

  it('never lets the one win that fails a blocking dimension', async () => {
    const replies = [pair(1, 0.7, [0.2, 1]), pair(0.7, 1, [1, 0.2])];
    expect((await compared(replies)).verdict).toMatchObject({ winner: 'other' });
  });

  it('is unscored, and no win, when one order cannot be read', async () => {
    const model = scriptedModel({ judge: (_request, n) => (n === 1 ? pair(0.9, 0.5) : 'the first') });
    const compare = pairJudge({ judge: session(model, 'judge'), rubric: DEFAULT_RUBRIC });
    expect(await inRun((run) => compare(run, bridge(), other))).toMatchObject({ kind: 'unscored', winner: 'tie' });
  });
});

describe('calibration', () => {
  const origin = {
    rubric: { version: '1', hash: HASH },
    model: 'scripted/model',
    calibration: 'uncalibrated',
  } as const;
  const verdict = (aggregate: number, passed: boolean): JudgeVerdict =>
    ({ kind: 'scored', aggregate, passed, ...origin }) as unknown as JudgeVerdict;
  const cases = Array.from({ length: 50 }, (_none, index) => `case-${index}`);
  const labels = cases.map((name, index) => ({
    case: name,
    passed: index % 2 === 0,
    score: index % 2 === 0 ? 0.9 : 0.2,
  }));
  /** Agrees on the first `n`, and is the other way round on the rest. */
  const agreeing = (n: number) =>
    labels.map((label, index) => {
      const passed = index < n ? label.passed : !label.passed;
      return { case: label.case, verdict: verdict(passed ? 0.9 : 0.2, passed) };
    });

  it('makes a judge usable from 70 % agreement on, and not below [R4-CRITIC-JUDGE]', () => {
    expect(calibrate(agreeing(35), labels)).toMatchObject({ agreement: 0.7, usable: true, cases: 50 });
    const below = calibrate(agreeing(34), labels);
    expect(below).toMatchObject({ agreement: 0.68, usable: false });
    expect(below.correlation).toBeLessThan(0.6);
  });

  it('makes a judge usable whose scores rise with those of people, although it passes too few [R4-CRITIC-JUDGE]', () => {
    const strict = labels.map((label, index) => ({
      case: label.case,
      verdict: verdict(label.score / 2 + (index % 5) / 100, false),
    }));
    const found = calibrate(strict, labels);
    expect(found.agreement).toBe(0.5);
    expect(found.correlation).toBeGreaterThan(0.95);
    expect(found.usable).toBe(true);
  });

  it('counts a case without a verdict as a disagreement, and too few cases as nothing', () => {
    const unscored = { kind: 'unscored', because: 'prose', passed: false, ...origin } as const;
    const half = agreeing(50).map((result, index) => (index < 25 ? { ...result, verdict: unscored } : result));
    expect(calibrate(half, labels).agreement).toBe(0.5);
    expect(calibrate(agreeing(49), labels.slice(0, 49)).usable).toBe(false);
  });

  it('refuses cases of the suite, and verdicts of two rubrics [V15.8]', () => {
    expect(() => calibrate(agreeing(50), labels, { suite: ['case-7'] })).toThrow(/case-7.*other cases/);
    const [first, ...rest] = agreeing(50);
    const mixed = [
      { case: 'case-0', verdict: { ...first?.verdict, rubric: { version: '2', hash: 'x' } } as JudgeVerdict },
      ...rest,
    ];
    expect(() => calibrate(mixed, labels)).toThrow(/each by itself/);
  });

  it('marks verdicts of another rubric, another model or no calibration as uncalibrated [R4-CRITIC-JUDGE] [V15.7]', async () => {
    const calibration = calibrate(agreeing(50), labels);
    expect((await verdictFor(scores(), calibration)).verdict.calibration).toBe('calibrated');
    for (const other of [
      undefined,
      { ...calibration, rubric: 'x' },
      { ...calibration, model: 'other/model' },
      { ...calibration, usable: false },
    ])
      expect((await verdictFor(scores(), other)).verdict.calibration).toBe('uncalibrated');
  });
});

describe('calibration on judgments of people that are public', () => {
  const pairs = LLMBAR_NATURAL.flatMap(([preferred, ...given], pair) =>
    given.map((score, at) => ({
      case: `pair ${pair + 1}, answer ${at + 1}`,
      score,
      isPreferred: preferred === at + 1,
    })),
  );
  const labels = pairs.map(({ case: name, isPreferred }) => ({
    case: name,
    passed: isPreferred,
    score: isPreferred ? 1 : 0,
  }));
  const rated = {
    version: 'llmbar-1',
    threshold: 0.8,
    dimensions: (['correctness', 'completeness'] as const).map((name) => ({
      name,
      weight: 0.5,
      minimum: 0,
      description: `How well it follows the instruction: ${name}.`,
    })),
  };

  /** A judge that gives each answer what `score` says, asked about every one of them. */
  async function judgeOf(score: (one: (typeof pairs)[number]) => number) {
    const model = scriptedModel({
      judge: ({ messages }) => {
        const one = pairs.find(({ case: name }) => JSON.stringify(messages).includes(`<${name}>`));
        const dimension = {
          reasoning: 'Compared with the instruction.',
          score: one === undefined ? 0 : score(one) / 10,
        };
        const dimensions = { correctness: dimension, completeness: dimension };
        return JSON.stringify({ dimensions, missing: [], gaps: [] });
      },
    });
    const parts = { judge: session(model, 'judge'), rubric: rated };
    const subject = (name: string) => ({
      ...bridge(),
      outputs: { artefacts: [{ name: 'answer', text: `<${name}>` }], reports: [] },
    });
    const { verdict } = rubricJudge(parts);
    const results = await inRun(async (run) => {
      const found: { readonly case: string; readonly verdict: JudgeVerdict }[] = [];
      for (const { case: name } of pairs) found.push({ case: name, verdict: await verdict(run, subject(name)) });
      return found;
    });
    const calibration = calibrate(results, labels);
    const used = rubricJudge({ ...parts, calibration });
    const after = await inRun((run) => used.verdict(run, subject('pair 1, answer 1')));
    return { calibration, after: after.calibration };
  }

  it('admits a judge that agrees with them in 7 of 10 cases, and not one that praises everything [V15.acceptance]', async () => {
    const { calibration, after } = await judgeOf(({ score }) => score);
    expect(calibration).toMatchObject({ cases: 68, usable: true });
    expect(calibration.agreement).toBeCloseTo(54 / 68);
    expect(after).toBe('calibrated');
    const praising = await judgeOf(() => 9);
    expect(praising.calibration).toMatchObject({ agreement: 0.5, correlation: 0, usable: false });
    expect(praising.after).toBe('uncalibrated');
  });
});

describe('a rubric judge as a test', () => {
  const judged = (replies: readonly string[]) => {
    const model = scriptedModel({ writer: ['A first draft.', 'A second draft.'], judge: replies });
    const writer = { ...session(model, 'writer') };
    const agent: Agent<string, string> = async (run, task) => done((await run.ask(writer, task)).text);
    return { model, agent, test: rubricJudge({ judge: session(model, 'judge'), rubric }) };
  };

  it('is the only one that reads its rubric, and changes nothing in what it judges [V15.1] [V15.11]', async () => {
    const { model, agent, test } = judged([scores({ coherence: 0.2 }), scores()]);
    const { outcome, uses } = await ended(untilApproved(agent, { test }), 'Describe the bridge.');
    expect(outcome).toMatchObject({ stop: 'done', value: 'A second draft.' });
    for (const n of [1, 2]) {
      expect(model.promptAt('writer', n)).not.toContain('CANARY');
      expect(model.promptAt('judge', n)).toContain('CANARY');
    }
    expect(model.promptAt('writer', 2)).toContain('coherence (0.20): Looked at coherence.');
    expect(uses.filter(({ pattern }) => pattern === 'rubricJudge')).toMatchObject([
      { params: { id: 'V15', rubric: '1', hash: HASH }, learned: { passed: false, calibration: 'uncalibrated' } },
      { learned: { passed: true } },
    ]);
  });

  it('never passes what could not be scored [V15.10]', async () => {
    const { agent, test } = judged(['no', 'nope', 'never']);
    const { outcome } = await ended(untilApproved(agent, { test }, { maxRounds: 1 }), 'Describe the bridge.');
    expect(outcome).toMatchObject({ stop: 'bounded', partial: 'A first draft.' });
  });

  it('needs a session of its own, even on the same model [V15.2]', () => {
    const { model, test } = judged([]);
    const itself = rubricJudge({ judge: session(model, 'judge'), rubric }) as unknown as Agent<string, string>;
    expect(() => untilApproved(itself, { test })).toThrow('needs a test that is not the session of its agent');
  });

  it('says before it runs what it costs, as does one that compares two [R11-PATTERN-USE]', () => {
    const { model, test } = judged([]);
    expect(useOf(test)).toMatchObject({ id: 'V15', name: 'rubricJudge', predicted: { min: 1, max: 3 } });
    const pair = pairJudge({ judge: session(model, 'judge'), rubric });
    expect(useOf(pair)).toMatchObject({ id: 'V15', name: 'pairJudge', predicted: { min: 2, max: 6 } });
  });
});
