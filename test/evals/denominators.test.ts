import { describe, expect, it } from 'vitest';
import { conditionOf } from '../../packages/evals/src/metrics/condition.js';
import { researchVerdicts } from '../../packages/evals/src/metrics/research-questions.js';
import { summaryOf } from '../../packages/evals/src/metrics/summary.js';
import { reportHtml } from '../../packages/evals/src/reports/html.js';
import { reportCsv, reportJson, reportMarkdown } from '../../packages/evals/src/reports/plain-forms.js';
import { reportOf } from '../../packages/evals/src/reports/report.js';
import type { Results, SimulationRecord } from '../../packages/evals/src/results/simulation-record.js';
import { call, gold, made, results, SHOP, simulation, task } from './stage-results.js';

const refund = gold('refund', { id: 'a' });
const close = gold('close', { id: 'a' });
const look = gold('look', { id: 'a' });

/** Ended by itself: every check was made. */
function ended(id: string, reward: 0 | 1, matched: readonly [refund: boolean, close: boolean]): SimulationRecord {
  const one = simulation(id, reward);
  const check = (action: typeof refund, isMatched: boolean, toolType: 'read' | 'write') => ({
    action,
    matched: isMatched,
    reward: Number(isMatched),
    toolType,
  });
  return {
    ...one,
    reward: one.reward && {
      ...one.reward,
      actions: [check(refund, matched[0], 'write'), check(close, matched[1], 'write'), check(look, true, 'read')],
    },
  };
}

/** Stopped at a limit: the benchmark grades such a simulation with a bare 0 and checks nothing. */
function cutOff(id: string, messages: SimulationRecord['messages'] = []): SimulationRecord {
  const one = simulation(id, 0, { termination: 'max_steps', messages });
  const bare = { db: null, actions: null, basis: null, breakdown: null };
  return { ...one, reward: one.reward && { ...one.reward, ...bare } };
}

const tasks = ['t1', 't2', 't3'].map((id) => task(id, [refund, close, look]));

describe('figures over simulations of which some ended at a limit', () => {
  const condition = conditionOf(
    results(
      {},
      [
        ended('t1', 1, [true, true]),
        ended('t2', 0, [true, false]),
        cutOff('t3', [...made([call('refund', { id: 'a' }), 'done'])]),
      ],
      tasks,
    ),
    SHOP,
  );

  it('count them in the database match, as N does [F-T7]', () => {
    expect(summaryOf(condition)).toMatchObject({ simulations: 3, dbMatch: { of: 3, hits: 1 } });
  });

  it('count all gold calls of their tasks, and what they made of them before the limit [F-T7]', () => {
    const summary = summaryOf(condition);
    // 3 simulations of 2 gold writes; t1 made both, t2 one, t3 the refund before it was cut off
    expect(summary.goldWrites).toEqual({ of: 6, hits: 4 });
    // 3 of 3 gold calls each; the two that ended looked, the third did not
    expect(summary.reads).toEqual({ of: 3, hits: 2 });
    expect(summary.actionMatch).toEqual({ of: 9, hits: 6 });
  });

  it('leave out only what could not be compared at all: a task without criteria [F-T7]', () => {
    const open = { ...task('t9'), criteria: null };
    const one = simulation('t9', 1);
    const bare = { ...one, reward: one.reward && { ...one.reward, db: null, actions: null } };
    expect(summaryOf(conditionOf(results({}, [bare], [open]), SHOP)).dbMatch).toEqual({ of: 0, hits: 0 });
  });
});

describe('a verdict on a research question', () => {
  /** `wins` of 96 tasks that only the second agent solves; 20 that both solve. */
  const pair = (model: string, wins: number, retrieval = 'golden_retrieval'): readonly Results[] =>
    ['baseline', 'declarative'].map((agent) =>
      results(
        { agent, model, retrieval },
        Array.from({ length: 96 }, (_, index) =>
          simulation(`t${index}`, index < 20 || (agent === 'declarative' && index < 20 + wins) ? 1 : 0),
        ),
      ),
    );
  const answer = (all: readonly Results[], id: string) =>
    researchVerdicts(
      all.map((one) => {
        const condition = conditionOf(one, SHOP);
        return { condition, summary: summaryOf(condition) };
      }),
    ).find((one) => one.id === id)?.answer;
  const models = ['m1', 'm2', 'm3'];

  it('takes 3 won, 0 lost and 93 tied, p = .25, for no advantage [F-T7]', () => {
    expect(
      answer(
        models.flatMap((model) => pair(model, 3)),
        'RQ1',
      ),
    ).toBe('undecided');
    expect(
      answer(
        models.flatMap((model) => pair(model, 8)),
        'RQ1',
      ),
    ).toBe('supported'); // 8 : 0, p = .008
  });

  it('sees nothing collapse that was not there [F-T7]', () => {
    const under = (clean: number) => [...pair('m1', clean), ...pair('m1', 0, 'dense')];
    expect(answer(under(3), 'RQ3')).toBe('undecided');
    expect(answer(under(8), 'RQ3')).toBe('supported');
    // and keeps nothing that three tasks would not show
    expect(answer([...pair('m1', 8), ...pair('m1', 3, 'dense')], 'RQ3')).toBe('supported');
  });
});

describe('every format of a report', () => {
  const twice = (taskId: string, first: 0 | 1, second: 0 | 1) => [
    simulation(taskId, first, { seconds: 10 }),
    simulation(taskId, second, { trial: 1, seconds: 30 }),
  ];
  const report = reportOf([{ results: results({}, [...twice('t1', 1, 1), ...twice('t2', 1, 0)]), domain: SHOP }]);

  it('has pass^k for every k, durations and calls [F-T7] [R8-EVAL-FORMATS]', () => {
    const forms = [
      reportMarkdown(report).replaceAll('\\', ''),
      [...reportCsv(report).values()].join('\n'),
      reportJson(report),
      reportHtml(report),
    ];
    for (const form of forms) {
      for (const column of ['pass^2', 'Seconds/task', 'Model calls/task', 'Tool calls/task'])
        expect(form).toContain(column);
    }
    // t1 passes both trials, t2 one of two: pass^2 = (1 + 0) / 2
    expect(forms[0]).toMatch(/\| 0\.500 \|/);
    expect(forms[0]).toContain('| 20.0 |'); // (10 + 30 + 10 + 30) / 4
  });
});
