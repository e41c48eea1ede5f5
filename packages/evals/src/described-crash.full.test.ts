import { type Agent, createRuntime, done, memoryEngine, type Outcome } from 'flyball';
import { assertSame, exercise, type Outside, type Scenario, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { onlineEval } from './online/online-eval.js';
import { traceSampler } from './online/sampler.js';
import { memorySeries } from './online/series.js';
import type { TraceFacts } from './online/trace-facts.js';
import { CATEGORIES, type GoldenSet } from './suites/golden-set.js';
import { runSuite } from './suites/run-suite.js';

const HOUR = 3_600_000;

async function holds(name: string, make: (outside: Outside) => Agent<unknown, unknown>): Promise<void> {
  const scenario: Scenario = {
    name,
    open: (life, outside) => createRuntime({ ...life, agents: { agent: make(outside) } }),
    input: null,
    ends: { stop: 'done' },
  };
  const report = await exercise(scenario, { engine: memoryEngine });
  assertSame(report);
  expect(report.plays).toBeGreaterThan(20);
}

const modelOf = (outside: Outside) =>
  outside.keep('model', () =>
    scriptedModel({
      desk: (request) => `right ${/number (\d+)/.exec(JSON.stringify(request.messages))?.[1] ?? ''}`,
      judge: (request) => (JSON.stringify(request.messages).includes('run-2') ? '0.2' : '0.9'),
    }),
  );

/** Answers, and leaves a mark outside. */
const desk =
  (outside: Outside): Agent<string, string> =>
  async (run, question) => {
    const { text } = await run.ask({ name: 'desk', model: modelOf(outside), setup: '' }, question);
    await run.step('answer', text, (it, how) => outside.act(`answer ${it}`, how), 'idempotent');
    return done(text);
  };
const said = (outcome: Outcome<string>): string => (outcome.stop === 'done' ? outcome.value : outcome.stop);

const SUITE: GoldenSet = {
  name: 'desk',
  version: '1',
  owner: 'mara',
  repetitions: 1,
  cases: CATEGORIES.map((category, index) => ({
    id: `case-${index}`,
    category,
    input: `What does the customer of account number ${index} pay in March?`,
    check: { kind: 'text', contains: [`right ${index}`], lacks: ['secret'] },
  })),
};

const facts = (runId: string): TraceFacts => ({
  runId,
  endedAt: 1000,
  stop: 'done',
  cohort: { task: 'support', segment: 'private', model: 'a/one', region: 'eu' },
  failed: false,
  capped: false,
  guarded: false,
  denied: false,
  costUsd: 0,
  tokens: 0,
  durationMs: 0,
  iterations: 1,
});

describe('ends the same after a crash at every write, with parts that act:', () => {
  it('a suite whose cases are children of the run [V16.crash]', () =>
    holds('runSuite', (outside) => async (run) => {
      const measured = await runSuite({
        load: async () => SUITE,
        underTest: async (input) => {
          const outcome = await run.spawn(desk(outside), String(input), { share: 0.1 });
          return { answer: said(outcome), costUsd: 0, latencyMs: 0 };
        },
        pins: { model: 'scripted/model', judge: 'none', rubric: 'none' },
      });
      return done(measured.outcomes.map(({ id, passes }) => `${id}: ${passes}`));
    }));

  it('online evaluation whose judge and alert are effects of the run [V17.crash]', () =>
    holds('onlineEval', (outside) => async (run) => {
      const alerts: string[] = [];
      const store = memorySeries({ keepMs: 1e9 });
      const judge = { name: 'judge', model: modelOf(outside), setup: 'You judge.' };
      const online = onlineEval({
        sampler: traceSampler({ share: 1 }),
        agentModels: ['a/one'],
        judge: {
          model: 'scripted/model',
          rubric: 'r',
          metric: 'quality',
          score: async ({ runId }) => Number((await run.ask(judge, runId)).text),
        },
        metrics: [],
        store,
        width: 1,
        rules: [
          {
            name: 'quality',
            signal: 'quality',
            metric: 'quality',
            method: 'threshold',
            below: 0.8,
            windowMs: HOUR,
            minScores: 2,
            owner: 'desk-team',
            runbook: 'runbook.md',
          },
        ],
        alert: ({ rule }) => alerts.push(rule),
      });
      for (const id of ['run-1', 'run-2', 'run-3']) online.observe(facts(id));
      await online.settled();
      const found = online.close(HOUR).map(({ rule, verdict }) => `${rule} ${verdict}`);
      for (const rule of alerts)
        await run.step('alert', rule, (it, how) => outside.act(`alert ${it}`, how), 'idempotent');
      return done({ found, alerts, scores: store.between('quality', 0, HOUR).map(({ value }) => value) });
    }));
});
