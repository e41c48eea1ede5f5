import { describe, expect, it } from 'vitest';
import { scoreCase } from './check-case.js';
import { type Baseline, bypassGate, type Measurement, promote, releaseGate } from './gate.js';
import {
  CATEGORIES,
  type Category,
  type GoldenCase,
  type GoldenSet,
  leakedCases,
  lintSuite,
  suiteHash,
} from './golden-set.js';
import { runSuite, type UnderTest } from './run-suite.js';

const PINS = { model: 'a/one', judge: 'b/judge', rubric: 'r1' };
const BY = { by: 'mara', reason: 'first accepted state', at: '2026-01-01' };

/** Forty questions over the five categories; the right answer to each is "right <id>". */
function questions(): GoldenSet {
  const cases = Array.from(
    { length: 40 },
    (_, index): GoldenCase => ({
      id: `case-${index}`,
      category: CATEGORIES[index % CATEGORIES.length] as Category,
      input: `What does the customer of account number ${index} pay in March?`,
      check: { kind: 'text', contains: [`right ${index}`], lacks: ['secret'] },
    }),
  );
  return { name: 'desk', version: '3', owner: 'mara', repetitions: 1, cases };
}

const numberIn = (input: unknown) => /number (\d+)/.exec(String(input))?.[1] ?? '';

/** Answers right except where `wrong` says otherwise. */
function system(wrong: (index: number) => boolean = () => false, costUsd = 0.01): UnderTest {
  return async (input) => {
    const index = numberIn(input);
    return { answer: wrong(Number(index)) ? 'secret' : `Right ${index}, thank you`, costUsd, latencyMs: 10 };
  };
}

const measure = (underTest: UnderTest, suite = questions()): Promise<Measurement> =>
  runSuite({ load: async () => suite, underTest, pins: PINS });
const baselineOf = async (underTest: UnderTest): Promise<Baseline> => promote(await measure(underTest), BY);

describe('an offline suite', () => {
  it('passes against its own baseline [R5-SUITE-GATE]', async () => {
    const baseline = await baselineOf(system());
    expect(releaseGate(await measure(system()), baseline)).toMatchObject({
      passed: true,
      comparable: true,
      because: [],
    });
  });

  it('fails for one adversarial case though everything together got better, and names it [R5-SUITE-GATE] [R5-SUITE-HONEST] [V16.acceptance]', async () => {
    const adversarial = questions().cases.findIndex(({ category }) => category === 'adversarial');
    const before = await baselineOf(system((index) => [0, 1, 2].includes(index)));
    const report = releaseGate(await measure(system((index) => index === adversarial)), before, { total: 0.05 });
    expect(report.total.rate).toBeGreaterThan(report.total.baseline ?? 1);
    expect(report.passed).toBe(false);
    expect(report.because.join()).toContain('adversarial fell');
    expect(report.regressions.map(({ id }) => id)).toEqual([`case-${adversarial}`]);
    expect(report.regressions[0]?.because).toContain('"secret" is there');
  });

  it('lets a small dip through and stops a larger one [R5-SUITE-GATE] [V16.acceptance]', async () => {
    const positive = questions().cases.flatMap(({ category }, index) => (category === 'positive' ? [index] : []));
    const before = await baselineOf(system());
    const falls = async (times: number) =>
      releaseGate(await measure(system((index) => positive.slice(0, times).includes(index))), before, {
        total: 0.03,
        categories: { positive: 0.3 },
      }).passed;
    expect(await falls(1)).toBe(true);
    expect(await falls(2)).toBe(false);
  });

  it('refuses a tolerance for what is about safety [R5-SUITE-HONEST] [V16.5]', async () => {
    const before = await baselineOf(system());
    const measured = await measure(system());
    for (const category of ['adversarial', 'safety'])
      expect(() => releaseGate(measured, before, { categories: { [category]: 0.01 } })).toThrow(/always 0/);
  });

  it('aborts when the suite is edited under way [R5-SUITE-HONEST] [V16.1] [V16.acceptance]', async () => {
    let reads = 0;
    const load = async () => ({ ...questions(), version: reads++ < 3 ? '3' : '4' });
    await expect(runSuite({ load, underTest: system(), pins: PINS })).rejects.toThrow(/was changed while it ran/);
  });

  it('runs each case as often as declared, and a failure is not tried again [R5-SUITE-HONEST] [V16.2]', async () => {
    const asked: string[] = [];
    const flaky: UnderTest = async (input) => {
      const index = numberIn(input);
      asked.push(index);
      const first = asked.filter((one) => one === index).length === 1;
      return { answer: first ? 'wrong' : `right ${index}`, costUsd: 0.01, latencyMs: 1 };
    };
    const once = await measure(flaky);
    expect(asked).toHaveLength(40);
    expect(once.outcomes.every(({ passes }) => passes === 0)).toBe(true);
    asked.length = 0;
    const thrice = await measure(flaky, { ...questions(), repetitions: 3 });
    expect(asked).toHaveLength(120);
    expect(thrice.outcomes[0]).toMatchObject({ runs: 3, passes: 2, costUsd: 0.03 });
  });

  it('compares nothing with another suite or other pins, and stays shut [R5-SUITE-HONEST] [V16.7]', async () => {
    const before = await baselineOf(system());
    const measured = await measure(system());
    const judged = releaseGate({ ...measured, pins: { ...PINS, judge: 'c/newer' } }, before);
    expect(judged).toMatchObject({ passed: false, comparable: false });
    expect(judged.because.join()).toContain('judge is c/newer and was b/judge');
    const changed = questions();
    const other = await measure(system(), {
      ...changed,
      cases: [...changed.cases.slice(1), ...changed.cases.slice(0, 1)],
    });
    expect(releaseGate(other, before).because.join()).toContain('the suite is another');
    expect(releaseGate(measured, undefined).passed).toBe(false);
  });

  it('does not pass by leaving a case out [R5-SUITE-HONEST]', async () => {
    const before = await baselineOf(system());
    const measured = await measure(system());
    expect(releaseGate({ ...measured, outcomes: measured.outcomes.slice(1) }, before).because.join()).toContain(
      'case-0',
    );
  });

  it('promotes and bypasses only with a name and a reason, and keeps both [R5-SUITE-HONEST] [V16.4] [V16.6]', async () => {
    const measured = await measure(system((index) => index < 20));
    expect(() => promote(measured, { ...BY, reason: '' })).toThrow(/for a reason/);
    const shut = releaseGate(measured, await baselineOf(system()));
    expect(() => bypassGate(shut, { by: '', reason: 'hurry' })).toThrow(/by somebody/);
    const open = bypassGate(shut, { by: 'mara', reason: 'the provider is down' });
    expect(open).toMatchObject({ passed: true, bypass: { reason: 'the provider is down' }, because: shut.because });
  });

  it('tells of cost and latency that rose [R5-SUITE-GATE] [V16.9]', async () => {
    const before = await baselineOf(system());
    expect(releaseGate(await measure(system(() => false, 0.02)), before).warnings).toEqual(['cost rose by 100.0 %']);
    expect(releaseGate(await measure(system(() => false, 0.011)), before).warnings).toEqual([]);
  });

  it('refuses a suite without one of the categories, and names what is wrong [R5-SUITE-HONEST] [V16.8]', async () => {
    const suite = questions();
    const happy = { ...suite, owner: ' ', cases: suite.cases.filter(({ category }) => category === 'positive') };
    expect(lintSuite(happy).errors).toEqual([
      'it has no negative case',
      'it has no edge case',
      'it has no adversarial case',
      'it has no regression case',
      'it names no owner',
    ]);
    expect(lintSuite(happy).warnings).toHaveLength(1);
    await expect(measure(system(), happy)).rejects.toThrow(/cannot gate anything/);
    expect(suiteHash(suite)).not.toBe(suiteHash(happy));
  });

  it('fails when the system was told the cases [R5-SUITE-HONEST] [V16.10]', async () => {
    const suite = questions();
    const prompt = {
      name: 'few-shot examples',
      text: `Q:  what does the customer of account NUMBER 7\n pay in March? A: right 7`,
    };
    expect(leakedCases(suite, [prompt])).toEqual([{ id: 'case-7', where: 'few-shot examples' }]);
    const told = runSuite({ load: async () => suite, underTest: system(), pins: PINS, given: [prompt] });
    await expect(told).rejects.toThrow(/case-7 in few-shot examples/);
  });
});

describe('the check of a case', () => {
  const score = (check: GoldenCase['check'], answer: unknown, judged?: number | null) =>
    scoreCase(check, 'in', answer, judged === undefined ? undefined : async () => judged);

  it('compares whole values, fields and texts [R5-SUITE-GATE] [V16.3]', async () => {
    expect((await score({ kind: 'exact', expected: { a: 1, b: 2 } }, { b: 2, a: 1 })).passed).toBe(true);
    expect((await score({ kind: 'exact', expected: 'x' }, 'y')).passed).toBe(false);
    const fields = { kind: 'structured', fields: { 'user.id': 'u1' } } as const;
    expect((await score(fields, { user: { id: 'u1', name: 'N' } })).passed).toBe(true);
    expect(await score(fields, { user: null })).toEqual({
      passed: false,
      because: 'structured check: user.id differs',
    });
  });

  it('never takes an unread judge for a pass [R5-SUITE-HONEST]', async () => {
    const rubric = { kind: 'rubric', minimum: 0.7 } as const;
    expect(await score(rubric, 'x', 0.7)).toMatchObject({ passed: true });
    expect(await score(rubric, 'x', 0.69)).toMatchObject({ passed: false });
    expect(await score(rubric, 'x', null)).toMatchObject({ passed: false });
    expect(await score(rubric, 'x')).toMatchObject({ passed: false, because: 'rubric check: there is no judge' });
  });
});
