import { describe, expect, it } from 'vitest';
import { FIGURES, type FigureName } from '../../packages/evals/src/metrics/figures.js';
import { reportCsv, reportJson } from '../../packages/evals/src/reports/plain-forms.js';
import { reportOf } from '../../packages/evals/src/reports/report.js';
import type { Cell } from '../../packages/evals/src/reports/table.js';
import type { SimulationRecord } from '../../packages/evals/src/results/simulation-record.js';
import type { SimMessage } from '../../packages/evals/src/world/message.js';
import { call, gold, made, results, SHOP, said, simulation, task } from './stage-results.js';

/*
 * A small experiment: three tasks, two trials each, two agents. Every cell of its tables is worked out here by hand, from
 * what stands in the simulations below. Gold writes: t1 has one (refund a), t2 two (refund a, close a), t3 one (close a).
 * A message with calls costs 100 prompt tokens, 40 of them cached, 10 output tokens and one model call.
 */
const refund = gold('refund', { id: 'a' });
const close = gold('close', { id: 'a' });
const tasks = [task('t1', [refund], ['doc_refunds']), task('t2', [refund, close]), task('t3', [close])];

type Trial = {
  readonly reward: 0 | 1;
  readonly matched?: readonly boolean[];
  readonly cut?: true;
  readonly calls: readonly (readonly [name: string, id: string, result?: string])[];
  readonly seconds: number;
  readonly cost: number | null;
};

function trialOf(taskId: string, trial: number, given: Trial): SimulationRecord {
  const messages: readonly SimMessage[] = [
    said('assistant', 'Hi'),
    said('user', 'Hello'),
    ...given.calls.flatMap(([name, id, result = 'ok']) => made([call(name, { id }), result])),
  ];
  const one = simulation(taskId, given.reward, {
    trial,
    messages,
    seconds: given.seconds,
    agentCost: given.cost,
    ...(given.cut === true ? { termination: 'max_steps' as const } : {}),
  });
  const actions = tasks.find(({ id }) => id === taskId)?.criteria?.actions ?? [];
  const checks = actions.map((action, index) => {
    const matched = given.matched?.[index] ?? false;
    return { action, matched, reward: Number(matched), toolType: 'write' as const };
  });
  const checked = given.cut === true ? { db: null, actions: null } : { actions: checks };
  return { ...one, reward: one.reward && { ...one.reward, ...checked } };
}

const baseline = results(
  { agent: 'baseline' },
  [
    trialOf('t1', 0, {
      reward: 1,
      matched: [true],
      calls: [
        ['verify', 'a'],
        ['refund', 'a'],
      ],
      seconds: 10,
      cost: 0.1,
    }),
    trialOf('t1', 1, {
      reward: 1,
      matched: [true],
      calls: [
        ['verify', 'a'],
        ['refund', 'a'],
      ],
      seconds: 20,
      cost: 0.1,
    }),
    // the refund is right, and made before anybody is verified; the account stays open
    trialOf('t2', 0, { reward: 0, matched: [true, false], calls: [['refund', 'a']], seconds: 30, cost: 0.2 }),
    // stopped at a limit after the refund
    trialOf('t2', 1, {
      reward: 0,
      cut: true,
      calls: [
        ['verify', 'a'],
        ['refund', 'a'],
      ],
      seconds: 60,
      cost: null,
    }),
    trialOf('t3', 0, {
      reward: 0,
      matched: [false],
      calls: [
        ['verify', 'a'],
        ['close', 'b'],
      ],
      seconds: 40,
      cost: 0.2,
    }),
    trialOf('t3', 1, {
      reward: 1,
      matched: [true],
      calls: [
        ['verify', 'a'],
        ['close', 'a'],
      ],
      seconds: 20,
      cost: 0.2,
    }),
  ],
  tasks,
);

const declarative = results(
  { agent: 'declarative' },
  [
    ...[0, 1].flatMap((trial) => [
      trialOf('t1', trial, {
        reward: 1,
        matched: [true],
        calls: [
          ['KB_search', 'x', 'doc_refunds'],
          ['verify', 'a'],
          ['refund', 'a'],
        ],
        seconds: 10,
        cost: 0.3,
      }),
      trialOf('t2', trial, {
        reward: 1,
        matched: [true, true],
        calls: [
          ['verify', 'a'],
          ['refund', 'a'],
          ['close', 'a'],
        ],
        seconds: 10,
        cost: 0.3,
      }),
    ]),
    trialOf('t3', 0, {
      reward: 1,
      matched: [true],
      calls: [
        ['verify', 'a'],
        ['close', 'a'],
      ],
      seconds: 10,
      cost: 0.3,
    }),
    {
      ...simulation('t3', null, { trial: 1, termination: 'infrastructure_error' }),
      messages: [], // says nothing about the agent, and is in no N
    },
  ],
  tasks,
);

const report = reportOf([baseline, declarative].map((one) => ({ results: one, domain: SHOP })));
const rowsOf = (id: string) =>
  report.tables.find((table) => table.id === id)?.rows.map((row) => row.map(({ text }) => text));

describe('the tables of a small experiment, by hand', () => {
  it('aggregate [F-T7] [R8-EVAL-BYHAND]', () => {
    // baseline. N = 6 simulations of 3 tasks. Passed: t1 twice, t3 once: 3 / 6 = .500.
    //   pass^2 by task: t1 2 of 2 → 1; t2 0 of 2 → 0; t3 1 of 2 → 0: (1 + 0 + 0) / 3 = .333
    //   DB match: 3 of 6, the one at the limit is one of the six: 50.0 %
    //   gold calls: t1 1+1, t2 2+2, t3 1+1 = 8; made: t1 1+1, t2 1+1 (the limit came after the refund), t3 0+1 = 5: 62.5 %
    //   cost: (.1 + .1 + .2 + .2 + .2) / 5 = .8 / 5 = .16; one has none, so n = 5
    // declarative. N = 5: the infrastructure error is left out. Passed 5 / 5; pass^k only to k = 1, t3 has one trial.
    //   gold calls: 1+1 + 2+2 + 1 = 7, all made; cost .3; difference 1 − .5 = +.500
    expect(rowsOf('aggregate-golden_retrieval')?.map((row) => row.map((text) => text.replace(/ \[.*\]/, '')))).toEqual([
      ['m1', 'baseline', '6', '3', '0.500', '0.333', '–', '3 / 6 = 50.0 %', '5 / 8 = 62.5 %', '$0.1600 (n = 5)'],
      ['m1', 'declarative', '5', '3', '1.000', '–', '+0.500', '5 / 5 = 100.0 %', '7 / 7 = 100.0 %', '$0.3000'],
    ]);
  });

  it('write accuracy [F-T7] [R8-EVAL-BYHAND]', () => {
    // issued writes (refund, close): baseline 6 (one each), 5 of them gold (close b is not): 83.3 %
    //   declarative: t1 1+1, t2 2+2, t3 1 = 7, all gold
    expect(rowsOf('writes')).toEqual([
      ['m1', 'baseline', 'golden_retrieval', '6', '5 / 8 = 62.5 %', '5 / 6 = 83.3 %', '$0.1600 (n = 5)'],
      ['m1', 'declarative', 'golden_retrieval', '5', '7 / 7 = 100.0 %', '7 / 7 = 100.0 %', '$0.3000'],
    ]);
  });

  it('compliance [F-T7] [R8-EVAL-BYHAND]', () => {
    // baseline: only t2's first trial writes before verification: 1 of 6 simulations, 1 of its 6 writes
    // turns: the greeting and a message for each call: 3 + 3 + 2 + 3 + 3 + 3 = 17; 17 / 6 = 2.8
    // declarative: 4 + 4 + 4 + 4 + 3 = 19; 19 / 5 = 3.8
    expect(rowsOf('compliance')).toEqual([
      [
        'm1',
        'baseline',
        'golden_retrieval',
        '6',
        '1 / 6 = 16.7 %',
        '0 / 6 = 0.0 %',
        '1 / 6 = 16.7 %',
        '1 / 6 = 16.7 %',
        '0',
        '0',
        '2.8',
      ],
      [
        'm1',
        'declarative',
        'golden_retrieval',
        '5',
        '0 / 5 = 0.0 %',
        '0 / 5 = 0.0 %',
        '0 / 7 = 0.0 %',
        '0 / 7 = 0.0 %',
        '0',
        '0',
        '3.8',
      ],
    ]);
  });

  it('duration, calls and entropy [R8-EVAL-BYHAND] [F-E3]', () => {
    // baseline: (10 + 20 + 30 + 60 + 40 + 20) / 6 = 180 / 6 = 30 s; calls 2+2+1+2+2+2 = 11; 11 / 6 = 1.8
    //   entropy: of 11 actions, 6 are first: verify 5, refund 1. H = 5/6 log2(6/5) + 1/6 log2 6 = .650
    //     5 follow verify: refund 3, close 2. H = .6 log2(5/3) + .4 log2(5/2) = .971
    //     together: 6/11 · .650 + 5/11 · .971 = .796
    // declarative: 10 s; calls 3+3+3+3+2 = 14; 14 / 5 = 2.8
    //   entropy: 5 first: KB_search 2, verify 3, H = .971; 2 after KB_search: verify, H = 0;
    //     5 after verify: refund 4, close 1, H = .722; 2 after refund: close, H = 0
    //     together: (5 · .971 + 5 · .722) / 14 = .605
    expect(rowsOf('effort')).toEqual([
      ['m1', 'baseline', 'golden_retrieval', '6', '30.0', '1.8', '1.8', '2.8', '0.796'],
      ['m1', 'declarative', 'golden_retrieval', '5', '10.0', '2.8', '2.8', '3.8', '0.605'],
    ]);
  });

  it('tokens and retrieval [R8-EVAL-BYHAND]', () => {
    // baseline: 11 messages · 100 = 1,100 prompt tokens, / 6 = 183; 110 / 6 = 18; cached 11 · 40 = 440: 40.0 %
    //   t1 is the only task that names a document; its two trials never saw it: 0 of n = 2
    // declarative: 14 · 100 / 5 = 280; 140 / 5 = 28; 560 / 1,400 = 40.0 %; both trials of t1 saw it
    expect(rowsOf('efficiency')).toEqual([
      [
        'm1',
        'baseline',
        'golden_retrieval',
        '6',
        '183',
        '18',
        '440 / 1100 = 40.0 %',
        '0.0 % (n = 2)',
        '$0.0100',
        '0',
        '0',
      ],
      [
        'm1',
        'declarative',
        'golden_retrieval',
        '5',
        '280',
        '28',
        '560 / 1400 = 40.0 %',
        '100.0 % (n = 2)',
        '$0.0100',
        '1',
        '0',
      ],
    ]);
  });

  it('are what their simulations add up to, cell by cell [R8-EVAL-CELLS]', () => {
    const cells = report.tables.flatMap(({ rows }) => rows.flat()).filter((cell) => cell.behind !== undefined);
    expect(cells.length).toBeGreaterThan(40);
    for (const cell of cells) checkCell(cell);
  });

  it('say what each figure is over in CSV and JSON too [F-T7]', () => {
    const [head = '', first = ''] = (reportCsv(report).get('aggregate-golden_retrieval.csv') ?? '').split('\r\n');
    const value = (column: string) => first.split(',')[head.split(',').indexOf(column)];
    expect([value('DB match'), value('DB match n'), value('Cost/task n')]).toEqual(['0.5', '6', '5']);
    const { tables } = JSON.parse(reportJson(report)) as { tables: { id: string; rows: Cell[][] }[] };
    const json = tables.find(({ id }) => id === 'writes')?.rows[0]?.[4];
    const condition = 'm1 / baseline / golden_retrieval';
    expect(json).toEqual({ value: 0.625, n: 8, behind: { condition, figure: 'gold-writes' } });
  });
});

/** Adds up what each simulation says of the figure, as somebody would who does not believe the cell. */
function checkCell({ value, n, text, behind }: Cell): void {
  if (behind === undefined) return;
  const facts = (report.facts.get(behind.condition) ?? []).filter((one) => !(behind.withoutExempt && one.exempt));
  const figure = FIGURES[behind.figure as FigureName];
  if (behind.figure === 'pass^1') return; // pass^k and differences are worked out above
  let [hits, of, sum, count] = [0, 0, 0, 0];
  for (const one of facts) {
    const part = figure.part(one);
    if (part === null) continue;
    if (typeof part === 'number') [sum, count] = [sum + part, count + 1];
    else [hits, of] = [hits + part.hits, of + part.of];
  }
  const expected = {
    share: { value: of === 0 ? null : hits / of, n: of },
    mean: { value: count === 0 ? null : sum / count, n: count },
    sum: { value: sum, n: facts.length },
  };
  expect({ value, n }, `${behind.condition} ${behind.figure} ${text}`).toEqual(expected[figure.kind]);
}
