import { budget, createRuntime, done, memoryEngine, type Session } from 'flyball';
import { rubricJudge } from 'flyball/patterns/reliability';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { bridge, scores } from '../../../../test/checks/stage-checks.js';
import { DEFAULT_RUBRIC } from '../../../flyball/src/checks/rubric.js';
import { calibrationSet } from './calibration-set.js';
import { type OnlineParts, onlineEval, type TraceJudge } from './online-eval.js';
import { traceSampler } from './sampler.js';
import { memorySeries } from './series.js';
import type { TraceFacts } from './trace-facts.js';

const LABELLED = 'Your parcel left Bergen on Tuesday,\nand is due on Friday.';
const set = calibrationSet([{ case: 'parcel', text: LABELLED }]);
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

/** A judge that asks a model about what each run answered. `setup`: what it is told beside its rubric. */
function judging(answers: Readonly<Record<string, string>>, setup = 'You judge support.') {
  const model = scriptedModel({ judge: () => scores() }, { id: 'b/judge' });
  const session: Session = set.withheldFrom({ name: 'judge', model, setup });
  const { verdict } = rubricJudge({ judge: session, rubric: DEFAULT_RUBRIC });
  const runtime = createRuntime({
    engine: memoryEngine(),
    agents: {
      judge: async (run, text: string) =>
        done(await verdict(run, { ...bridge(), outputs: { artefacts: [{ name: 'answer', text }], reports: [] } })),
    },
  });
  const judge: TraceJudge = {
    model: 'b/judge',
    rubric: 'r1',
    metric: 'quality',
    withholds: set.hash,
    score: async ({ runId }) => {
      const handle = await runtime.start('judge', answers[runId] ?? '', { budget: budget() });
      const outcome = await handle.outcome();
      await runtime.close({ drainMs: 0 }).catch(() => undefined);
      return outcome.stop === 'done' && outcome.value.kind === 'scored' ? outcome.value.aggregate : null;
    },
  };
  return { judge, model };
}

function online(judge: TraceJudge, more: Partial<OnlineParts> = {}) {
  const store = memorySeries({ keepMs: 1e9 });
  const watch = onlineEval({
    sampler: traceSampler({ share: 1 }),
    judge,
    agentModels: ['a/one'],
    calibration: set,
    metrics: [],
    store,
    rules: [],
    alert: () => undefined,
    ...more,
  });
  return { watch, scoresOf: () => store.between('quality', 0, 1e9).map(({ value }) => value) };
}

describe('a calibration set', () => {
  it('never enters a prompt of the judge: neither as the run that is judged [V17.7]', async () => {
    const { judge, model } = judging({ a: `Hello. ${LABELLED.toUpperCase().replace('\n', '  ')} Goodbye.` });
    const { watch, scoresOf } = online(judge);
    watch.observe(facts('a'));
    await watch.settled();
    expect(model.requests).toEqual([]);
    expect(watch.state()).toMatchObject({ judged: 0, unread: 1 });
    expect(scoresOf()).toEqual([]);
  });

  it('nor as an example in its instructions, and everything else is judged as before [V17.7]', async () => {
    const taught = judging({ a: 'It is on its way.' }, `You judge support. A good answer: ${LABELLED}`);
    const { watch } = online(taught.judge);
    watch.observe(facts('a'));
    await watch.settled();
    expect(taught.model.requests).toEqual([]);
    expect(watch.state()).toMatchObject({ judged: 0, unread: 1 });
    const plain = judging({ a: 'It is on its way.' });
    const other = online(plain.judge);
    other.watch.observe(facts('a'));
    await other.watch.settled();
    expect(plain.model.requests).toHaveLength(1);
    expect(other.scoresOf()).toHaveLength(1);
  });

  it('has to be withheld by the judge, and by this one [V17.7]', () => {
    const { judge } = judging({});
    const { withholds: _none, ...open } = judge;
    expect(() => online(open)).toThrow('may read its own calibration cases');
    expect(() => online({ ...judge, withholds: calibrationSet([{ case: 'b', text: 'x'.repeat(20) }]).hash })).toThrow(
      'calibration.withheldFrom(session)',
    );
    expect(() => online(judge)).not.toThrow();
  });

  it('needs cases that can be told from other texts', () => {
    expect(() => calibrationSet([])).toThrow('at least one case');
    expect(() => calibrationSet([{ case: 'short', text: ' yes \n' }])).toThrow('"short" has 3 characters');
  });
});
