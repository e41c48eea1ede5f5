import { describe, expect, it } from 'vitest';
import { conditionOf } from '../../packages/evals/src/metrics/condition.js';
import { researchVerdicts } from '../../packages/evals/src/metrics/research-questions.js';
import { summaryOf } from '../../packages/evals/src/metrics/summary.js';
import { costPlot } from '../../packages/evals/src/reports/cost-plot.js';
import { firstDivergence } from '../../packages/evals/src/reports/divergence.js';
import { failuresOf } from '../../packages/evals/src/reports/failures.js';
import { reportHtml } from '../../packages/evals/src/reports/html.js';
import { reportCsv, reportJson, reportMarkdown, tableCsv } from '../../packages/evals/src/reports/plain-forms.js';
import { reportOf } from '../../packages/evals/src/reports/report.js';
import { signed, word } from '../../packages/evals/src/reports/table.js';
import type { Results } from '../../packages/evals/src/results/simulation-record.js';
import { call, gold, made, results, SHOP, simulation, task } from './stage-results.js';

const early = { messages: [...made([call('refund'), 'done'])] };

/** `share` of twenty tasks succeed. */
function ran(agent: string, share: number, more: { model?: string; retrieval?: string; early?: number } = {}): Results {
  return results(
    {
      agent,
      ...(more.model === undefined ? {} : { model: more.model }),
      retrieval: more.retrieval ?? 'golden_retrieval',
    },
    Array.from({ length: 20 }, (_, index) =>
      simulation(`t${index}`, index < share * 20 ? 1 : 0, index < (more.early ?? 0) ? early : {}),
    ),
  );
}

const verdictsOf = (all: readonly Results[]) =>
  researchVerdicts(
    all.map((one) => {
      const condition = conditionOf(one, SHOP);
      return { condition, summary: summaryOf(condition) };
    }),
  );
const answer = (all: readonly Results[], id: string) => verdictsOf(all).find((one) => one.id === id)?.answer;

describe('a report', () => {
  it('leaves a question undecided where no task can be compared, and says so [R5-MET-RQ]', () => {
    const one = (agent: string, id: string) => results({ agent, retrieval: 'golden_retrieval' }, [simulation(id, 1)]);
    // the only task needs no verification, so that nothing is left to compare writes on
    const exempt = ['baseline', 'imperative'].map((agent) => one(agent, 'task_free'));
    expect(reportOf(exempt.map((each) => ({ results: each, domain: SHOP }))).questions[1]?.answer).toBe('undecided');
    const apart = [one('baseline', 'a'), one('declarative', 'b')];
    const report = reportOf(apart.map((each) => ({ results: each, domain: SHOP })));
    expect(report.questions.map((each) => each.answer)).toEqual(['undecided', 'undecided', 'undecided']);
    expect(report.comparisons).toEqual([]);
  });

  it('keeps the domains apart where it has several [R5-MET-RQ]', () => {
    const other = { ...SHOP, name: 'desk' };
    const report = reportOf([
      { results: ran('baseline', 0.5), domain: SHOP },
      { results: ran('baseline', 0.2, { retrieval: 'bm25' }), domain: other },
    ]);
    const table = report.tables.find(({ id }) => id === 'retrieval');
    expect(table?.columns.map(({ label }) => label)).toEqual(['Domain', 'Model', 'Agent', 'golden_retrieval', 'bm25']);
    expect(table?.rows.map((row) => [row[0]?.text, row[3]?.text, row[4]?.text])).toEqual([
      ['desk', '–', '20.00 (n = 20)'],
      [SHOP.name, '50.00 (n = 20)', '–'],
    ]);
    expect(report.questions[2]?.figures.join()).not.toContain('against golden');
  });
});

describe('the research questions', () => {
  it('find skill files helpful when they help and help good models less [R5-MET-RQ]', () => {
    const models = [
      ['m1', 0.1, 0.6],
      ['m2', 0.4, 0.7],
      ['m3', 0.8, 0.85],
    ] as const;
    const all = (gain: (base: number, with_: number) => number) =>
      models.flatMap(([model, base, better]) => [
        ran('baseline', base, { model }),
        ran('declarative', gain(base, better), { model }),
      ]);
    expect(
      answer(
        all((_, better) => better),
        'RQ1',
      ),
    ).toBe('supported');
    expect(
      answer(
        all((base) => base),
        'RQ1',
      ),
    ).toBe('undecided');
    expect(
      answer(
        all((base) => Math.max(0, base - 0.6)),
        'RQ1',
      ),
    ).toBe('not supported');
    expect(answer([ran('baseline', 0.1), ran('declarative', 0.6)], 'RQ1')).toBe('undecided');
    expect(answer([], 'RQ1')).toBe('undecided');
  });

  it('judge the phase machine by early writes over tasks that need verification [R5-MET-RQ]', () => {
    const with_ = (machine: number) => [
      ran('baseline', 0.5, { early: 10 }),
      ran('imperative', 0.5, { early: machine }),
    ];
    expect(answer(with_(0), 'RQ2')).toBe('supported');
    expect(answer(with_(10), 'RQ2')).toBe('not supported');
    expect(answer(with_(18), 'RQ2')).toBe('not supported');
    expect(answer([ran('baseline', 0.5)], 'RQ2')).toBe('undecided');
    expect(answer([ran('baseline', 0.5), ran('imperative', 0.5)], 'RQ2')).toBe('undecided'); // nothing to reduce
    const both = verdictsOf([...with_(10), ran('declarative', 0.5, { early: 10 })]).find(({ id }) => id === 'RQ2');
    expect(both?.because).toMatch(/no fewer than baseline \/ .*, declarative \/ /);
    const governed = verdictsOf([...with_(0), ran('governed', 0.5)]).find(({ id }) => id === 'RQ2');
    expect(governed?.figures.join('\n')).toMatch(/governed.*0 of 20/);
  });

  it('see whether noisy retrieval takes the advantage away [R5-MET-RQ]', () => {
    const all = (noisy: number) => [
      ran('baseline', 0.2),
      ran('declarative', 0.7),
      ran('baseline', 0.1, { retrieval: 'dense' }),
      ran('declarative', noisy, { retrieval: 'dense' }),
    ];
    expect(answer(all(0.1), 'RQ3')).toBe('supported');
    expect(answer(all(0.7), 'RQ3')).toBe('not supported');
    expect(answer([ran('baseline', 0.2), ran('declarative', 0.7)], 'RQ3')).toBe('undecided');
  });
});

describe('the first divergence', () => {
  const refund = gold('refund', { id: 'a' });
  const close = gold('close', { id: 'a' });
  const path = task('t', [gold('verify'), refund, close]);
  const writes = SHOP.compliance.writes;
  const of = (messages: ReturnType<typeof made>) => firstDivergence({ messages }, path, writes);

  it('is a call that was never made [R5-REP-FAILURES]', () => {
    expect(of([...made([call('refund', { id: 'a' }), 'ok'])])).toMatchObject({
      kind: 'missing',
      gold: { name: 'close' },
    });
    expect(of([])).toMatchObject({ kind: 'missing', gold: { name: 'refund' } });
  });

  it('is a call with other arguments, and names them [R5-REP-FAILURES]', () => {
    expect(of([...made([call('refund', { id: 'b' }), 'ok'])])).toMatchObject({
      kind: 'wrong-arguments',
      fields: ['id'],
    });
  });

  it('is a call out of order [R5-REP-FAILURES]', () => {
    expect(of([...made([call('close', { id: 'a' }), 'ok'])])).toMatchObject({
      kind: 'order',
      gold: { name: 'refund' },
    });
  });

  it('is a call that the gold path does not have, unless it failed [R5-REP-FAILURES]', () => {
    const right = [...made([call('refund', { id: 'a' }), 'ok']), ...made([call('close', { id: 'a' }), 'ok'])];
    expect(of(right)).toEqual({ kind: 'none' });
    const path2 = { ...path, criteria: { ...path.criteria, actions: [refund] } } as typeof path;
    const extra = [...made([call('refund', { id: 'a' }), 'ok']), ...made([call('close', { id: 'z' }), 'ok'])];
    expect(firstDivergence({ messages: extra }, path2, writes)).toMatchObject({ kind: 'extra' });
    const failed = [...made([call('refund', { id: 'a' }), 'ok']), ...made([call('close', { id: 'z' }), 'Error: no'])];
    expect(firstDivergence({ messages: failed }, path2, writes)).toEqual({ kind: 'none' });
  });

  it('looks at the tool inside a wrapper [R5-REP-FAILURES]', () => {
    const wrapped = (tool: string, id: string) => ({ agent_tool_name: tool, arguments: `{"id": "${id}"}` });
    const path2 = task('t', [gold('refund', wrapped('inner_1', 'a')), gold('refund', wrapped('inner_2', 'a'))]);
    const messages = [...made([call('refund', wrapped('inner_2', 'a')), 'ok'])];
    expect(firstDivergence({ messages }, path2, writes)).toMatchObject({ kind: 'order' });
  });
});

describe('the class of a failure', () => {
  const needs = (messages: ReturnType<typeof made>, more = {}) => {
    const path = task(
      't',
      [gold('verify'), gold('refund', { id: 'a' }), gold('close', { id: 'a' })],
      ['doc_refunds', 'doc_closing'],
    );
    const condition = conditionOf(results({}, [simulation('t', 0, { messages, ...more })], [path]), SHOP);
    return failuresOf(condition)[0]?.failureClass;
  };
  const verified = made([call('verify'), 'ok']);
  const looked = (text: string) => made([call('KB_search'), text]);

  it('is one of the causes, by what the trajectory shows [R5-REP-FAILURES]', () => {
    expect(needs([], { termination: 'max_steps' })).toBe('limits');
    expect(needs([...verified, ...made([call('close', { id: 'a' }), 'ok'])])).toBe('ordering');
    expect(needs([...looked('doc_refunds'), ...made([call('refund', { id: 'b' }), 'ok'])])).toBe('overtrust');
    expect(needs([...verified, ...looked('nothing')])).toBe('search');
    expect(
      needs([...verified, ...looked('doc_refunds doc_closing'), ...made([call('refund', { id: 'b' }), 'ok'])]),
    ).toBe('interdependence');
    const all = [
      ...verified,
      ...made([call('refund', { id: 'a' }), 'ok']),
      ...made([call('close', { id: 'a' }), 'ok']),
    ];
    expect(needs(all)).toBe('other');
    const right = simulation('t', 0);
    expect(needs(all, { reward: { ...right.reward, db: { match: true, reward: 1 } } })).toBe('communication');
  });

  it('is given to failed tasks only [R5-REP-FAILURES]', () => {
    expect(failuresOf(conditionOf(results({}, [simulation('t', 1)]), SHOP))).toEqual([]);
  });
});

describe('a report', () => {
  const report = reportOf(
    [
      ran('baseline', 0.3, { early: 4 }),
      ran('declarative', 0.6),
      ran('imperative', 0.25, { early: 3 }),
      ran('baseline', 0.1, { retrieval: 'dense' }),
      ran('declarative', 0.1, { retrieval: 'dense' }),
    ].map((one) => ({ results: one, domain: SHOP })),
  );

  it('has the tables of the comparison, one for each retrieval [R5-REP-TABLES]', () => {
    expect(report.tables.map(({ id }) => id)).toEqual([
      'retrieval',
      'aggregate-golden_retrieval',
      'aggregate-dense',
      'writes',
      'compliance',
      'compliance-without-exempt',
      'effort',
      'efficiency',
      'figure',
    ]);
    const [retrieval, golden] = report.tables;
    expect(retrieval?.rows[0]?.map(({ text }) => text)).toEqual([
      'm1',
      'baseline',
      '30.00 (n = 20)',
      '10.00 (−20.0; n = 20)',
    ]);
    expect(golden?.rows[1]?.map(({ text }) => text).slice(0, 3)).toEqual(['m1', 'declarative', '20']);
    expect(golden?.rows[1]?.[5]?.text).toBe('+0.300');
    const compliance = report.tables.find(({ id }) => id === 'compliance');
    expect(compliance?.rows[0]?.map(({ text }) => text)).toContain('4 / 4 = 100.0 %');
  });

  it('compares every pair of agents under the same model and retrieval, and no others [R5-REP-TABLES]', () => {
    expect(report.comparisons.map(({ first, second }) => `${first} – ${second}`)).toHaveLength(4);
  });

  it('is written as Markdown, CSV, JSON and one HTML page with the same figures [R5-REP-TABLES]', () => {
    expect(reportMarkdown(report)).toContain('| m1 | declarative | 20 | 20 | 0.600');
    expect(reportCsv(report).get('aggregate-golden_retrieval.csv')).toContain('m1,declarative,20,20,0.6,20,');
    const json = JSON.parse(reportJson(report)) as { summaries: { pass1: { value: number } }[]; failures: unknown[] };
    expect(json.summaries[2]?.pass1.value).toBeCloseTo(0.6, 12);
    expect(json.failures).toHaveLength(report.failures.length);
    const html = reportHtml(report);
    expect(html).toMatch(/<td class="n"><a class="cell" href="#condition-\d" title="n = 20">\+0\.300<\/a><\/td>/);
    expect(html).not.toMatch(/(src|href)="?https?:/);
  });

  it('lets no text of a results file become markup or a formula [R5-REP-TABLES]', () => {
    const hostile = reportOf([
      { results: ran('<img src=x onerror=alert(1)>|`a`', 0.5, { model: '=cmd()' }), domain: SHOP },
    ]);
    expect(reportHtml(hostile)).not.toContain('<img');
    expect(reportMarkdown(hostile)).not.toContain('<img');
    expect(
      tableCsv({ id: 'x', title: 'x', columns: [{ label: 'a', numeric: false }], rows: [[word('=cmd()')]] }),
    ).toContain("'=cmd()");
  });

  it('tells two files of the same condition apart [R5-REP-TABLES]', () => {
    const twice = reportOf([ran('baseline', 0.5), ran('baseline', 0.6)].map((one) => ({ results: one, domain: SHOP })));
    expect(twice.summaries.map(({ label }) => label)).toEqual([
      'm1 / baseline / golden_retrieval',
      'm1 / baseline / golden_retrieval (2)',
    ]);
    expect(twice.facts.size).toBe(2);
  });
});

describe('the cost plot', () => {
  const summaries = [ran('baseline', 0.3), ran('declarative', 0.6, { retrieval: 'dense' })].map((one) =>
    summaryOf(conditionOf(one, SHOP)),
  );

  it('has a mark for each condition, filled for golden retrieval [R5-REP-TABLES]', () => {
    const svg = costPlot(summaries) ?? '';
    expect(svg.match(/<title>/g)).toHaveLength(2);
    expect(svg).toMatch(/class="mark c0 filled"[^>]*><title>m1 \/ baseline/);
    expect(svg).toMatch(/class="mark c1"[^>]*><title>m1 \/ declarative/);
  });

  it('is left out where no price is known [R5-REP-TABLES]', () => {
    expect(costPlot(summaries.map((one) => ({ ...one, costPerTask: { value: null, of: 0 } })))).toBeUndefined();
  });
});

it('writes no sign before what rounds to nought', () => {
  expect(signed(-0.0001, 3).text).toBe('0.000');
  expect(signed(-0.1, 3).text).toBe('−0.100');
});

it('blames nobody for what the task began with [R5-REP-FAILURES]', () => {
  const history = [...made([call('close', { id: 'z' }), 'ok'])];
  const began = {
    ...task('t', [gold('refund', { id: 'a' })]),
    initialState: { agentData: null, userData: null, actions: null, history },
  };
  const messages = [...history, ...made([call('refund', { id: 'a' }), 'ok'])];
  expect(firstDivergence({ messages }, began, SHOP.compliance.writes)).toEqual({ kind: 'none' });
  expect(firstDivergence({ messages }, task('t', [gold('refund', { id: 'a' })]), SHOP.compliance.writes)).toMatchObject(
    { kind: 'extra' },
  );
});
