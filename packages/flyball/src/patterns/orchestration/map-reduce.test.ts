import { type Agent, blocked, budget, createRuntime, done, memoryEngine, type Outcome } from 'flyball';
import { mapReduce, type Slot, useOf, zeroShot } from 'flyball/patterns';
import { autoClock, scriptedModel } from 'flyball/testing';
import { patternsIn } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { ended, session } from '../../../../../test/patterns/bed.js';

const DIFF = 'diff --git a/pay.ts b/pay.ts\n+  db.query("SELECT * FROM users WHERE id = " + id);';
const LENSES = ['security', 'speed', 'style'] as const;
const split = (diff: string) => LENSES.map((lens) => `${lens}: ${diff}`);
const join = (slots: readonly Slot<string>[]) => slots.map(({ value, because }) => value ?? `(${because})`);
const values = (slots: readonly Slot<string>[]) => slots.map(({ value }) => value);
const numbered = (count: number) => (_input: string) => Array.from({ length: count }, (_none, n) => `task ${n}`);

describe('mapReduce', () => {
  it('takes as long as its slowest worker, and keeps the order of the input [O4.3] [O4.6] [O4.acceptance]', async () => {
    const clock = autoClock();
    const latencies: Readonly<Record<string, number>> = { security: 30, speed: 20, style: 10 };
    const lensOf = (text: string) => LENSES.find((lens) => text.includes(`${lens}: diff`)) ?? 'style';
    const model = scriptedModel(
      {
        critic: ({ messages }) => {
          const lens = lensOf(messages.at(-1)?.content ?? '');
          return { text: `${lens} looked`, latencyMs: latencies[lens] ?? 0 };
        },
      },
      { clock },
    );
    const agent = mapReduce({ split, worker: zeroShot(session(model, 'critic')), join: values }, { maxWorkers: 3 });
    const runtime = createRuntime({
      engine: memoryEngine(),
      clock,
      agents: { agent: agent as Agent<unknown, unknown> },
    });
    const handle = await runtime.start('agent', DIFF, { budget: budget() });
    const outcome = (await handle.outcome()) as Outcome<readonly string[]>;
    const [use] = patternsIn(await runtime.entries(handle.id));
    await runtime.close();
    clock.stop();
    expect(outcome).toMatchObject({ stop: 'done', value: ['security looked', 'speed looked', 'style looked'] });
    expect((use?.endedAt ?? 0) - (use?.startedAt ?? 0)).toBe(30);
  });

  it('joins with a gap when the quorum is met, and not at all below it [O4.4] [O4.5] [O4.acceptance]', async () => {
    const worker: Agent<string, string> = async (_run, task) => {
      if (task.startsWith('speed')) throw new Error('overloaded');
      return done(task.split(':')[0] ?? '');
    };
    const two = await ended(mapReduce({ split, worker, join }, { maxWorkers: 3, quorum: 2 }), DIFF);
    expect(two.outcome).toMatchObject({
      stop: 'done',
      value: ['security', expect.stringContaining('overloaded'), 'style'],
    });
    let joined = 0;
    const counting = (slots: readonly Slot<string>[]) => {
      joined++;
      return join(slots);
    };
    const three = await ended(mapReduce({ split, worker, join: counting }, { maxWorkers: 3, quorum: 3 }), DIFF);
    expect(three.outcome).toMatchObject({ stop: 'blocked', reason: { code: 'quorum', data: { need: 3, got: 2 } } });
    expect(three.uses[0]?.learned).toMatchObject({ filled: [0, 2], missing: [{ index: 1 }] });
    expect(joined).toBe(0);
  });

  it('refuses tasks beyond its cap, and says so in their slots [O4.4] [O4.acceptance]', async () => {
    const model = scriptedModel({ worker: () => 'ok' });
    const worker = zeroShot(session(model, 'worker'));
    const agent = mapReduce({ split: numbered(12), worker, join }, { maxWorkers: 10, quorum: 10 });
    const { outcome, uses } = await ended(agent, 'x');
    expect(model.requests).toHaveLength(10);
    const value = (outcome as { value: readonly string[] }).value;
    expect(value.slice(10)).toEqual([
      expect.stringContaining('maxWorkers is 10'),
      expect.stringContaining('maxWorkers'),
    ]);
    expect(uses[0]).toMatchObject({ modelCalls: 10, learned: { tasks: 10 } });
    expect(
      (await ended(mapReduce({ split: numbered(12), worker, join }, { maxWorkers: 10 }), 'x')).outcome,
    ).toMatchObject({
      stop: 'blocked',
    });
  });

  it('shows a worker its own task and no other [O4.1]', async () => {
    const model = scriptedModel({ worker: (request) => `did ${JSON.stringify(request).match(/task \d/)?.[0]} CANARY` });
    const agent = mapReduce(
      { split: numbered(3), worker: zeroShot(session(model, 'worker')), join },
      { maxWorkers: 3 },
    );
    await ended(agent, 'x');
    for (const [n, { messages }] of model.requests.entries()) {
      expect(JSON.stringify(messages)).not.toContain('CANARY');
      expect(JSON.stringify(messages).match(/task \d/g)).toEqual([`task ${n}`]);
    }
  });

  it('has at most its width in flight, and all of them where it is wide enough [O4.2]', async () => {
    const peakOf = async (width: number) => {
      let [now, peak] = [0, 0];
      const worker: Agent<string, string> = async (run, task) => {
        now++;
        peak = Math.max(peak, now);
        await run.step('work', task, () => Promise.resolve(task), 'pure');
        now--;
        return done(task);
      };
      await ended(mapReduce({ split: numbered(6), worker, join }, { maxWorkers: 6, width }), 'x');
      return peak;
    };
    expect([await peakOf(2), await peakOf(6)]).toEqual([2, 6]);
  });

  it('gives equal parts of the budget, and each its own [O4.1]', async () => {
    const seen: number[] = [];
    const worker: Agent<string, string> = async (run, task) => {
      seen.push(run.budget.limits.toolCalls);
      return done(task);
    };
    await ended(mapReduce({ split: numbered(4), worker, join }, { maxWorkers: 4 }), 'x');
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toBe(Math.floor(budget().toolCalls / 4));
  });

  it('takes the majority, and the first of a tie as uncertain [O4.acceptance]', async () => {
    const voter: Agent<string, string> = async (_run, task) => done(task);
    const vote = (votes: readonly string[]) =>
      ended(mapReduce({ split: () => votes, worker: voter, join: 'majority' }, { maxWorkers: 5 }), 'x');
    expect((await vote(['A', 'B', 'A'])).outcome).toMatchObject({ stop: 'done', value: 'A' });
    expect((await vote(['A', 'B'])).outcome).toMatchObject({
      stop: 'degraded',
      value: 'A',
      reason: { code: 'uncertain' },
    });
  });

  it('returns a candidate word for word, or none: never words of the judge [O4.7]', async () => {
    const judged = async (replies: readonly string[]) => {
      const model = scriptedModel({ judge: replies });
      const worker: Agent<string, string> = async (_run, task) => done(`candidate ${task}`);
      const parts = { split: numbered(3), worker, join: session(model, 'judge') };
      return ended(mapReduce(parts, { maxWorkers: 3 }), 'x');
    };
    const chosen = await judged(['I would write: THE BEST', '2']);
    expect(chosen.outcome).toMatchObject({ stop: 'done', value: 'candidate task 1' });
    expect(chosen.uses[0]?.learned).toMatchObject({ judged: 2 });
    expect((await judged(['NO_CANDIDATE'])).outcome).toMatchObject({
      stop: 'blocked',
      reason: { code: 'no-match', data: { label: 'NO_CANDIDATE' } },
    });
    expect((await judged(['7', '8'])).outcome).toMatchObject({ stop: 'blocked' });
  });

  it('refuses votes of one model at temperature 0 [O4.8]', () => {
    const cold = zeroShot(session(scriptedModel({}), 'voter', { sampling: { temperature: 0 } }));
    const parts = { split: numbered(3), worker: cold };
    expect(() => mapReduce({ ...parts, join: 'majority' }, { maxWorkers: 3 })).toThrow('votes that can differ');
    expect(() => mapReduce({ ...parts, join }, { maxWorkers: 3 })).not.toThrow();
    expect(() => mapReduce({ ...parts, join }, { maxWorkers: 0 })).toThrow('needs maxWorkers');
    expect(() => mapReduce({ ...parts, join }, { maxWorkers: 3, quorum: 4 })).toThrow('can never be reached');
  });

  it('says before it runs what it can cost, and keeps a worker that stopped short as a gap [O4.4]', async () => {
    const model = scriptedModel({});
    const worker = zeroShot(session(model, 'worker'));
    expect(useOf(mapReduce({ split, worker, join }, { maxWorkers: 4 }))).toMatchObject({
      id: 'O4',
      provides: ['O17'],
      predicted: { min: 0, max: 4 },
    });
    const stuck: Agent<string, string> = async () => blocked('nobody is in');
    const { outcome } = await ended(mapReduce({ split, worker: stuck, join }, { maxWorkers: 3 }), DIFF);
    expect(outcome).toMatchObject({ stop: 'blocked', because: expect.stringContaining('nobody is in') });
  });
});
