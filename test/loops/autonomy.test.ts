import type { Run } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { toolRegistry } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { autonomyBudget, type StopCondition } from '../../packages/flyball/src/tools/autonomy/index.js';
import { RUN, still } from '../runtime/stage.js';
import { smallTools } from './small-tools.js';
import { forEver, governed, proposes, resultIn, runLoop } from './stage-loop.js';

const ONCE = { doubleConfirmation: false };

describe('autonomy', () => {
  it('that blocks an iteration ends the loop as budget_exceeded [R3-CASE-05]', async () => {
    const tools = smallTools();
    const autonomy = autonomyBudget({ limits: { iterations: 3 } });
    const { outcome, result, model, stage } = await runLoop(
      forEver(() => proposes('next')),
      { tools: tools.all, autonomy },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 3 });
    expect(result).toMatchObject({ termination: 'budget_exceeded', iterations: 3, toolCalls: 3 });
    expect(result.why).toMatch(/4 of 3 iteration/);
    expect(model.requests).toHaveLength(3);
    const notes = (await stage.events('note')).map(({ event }) => event);
    expect(notes).toContainEqual(
      expect.objectContaining({ kind: 'decision', guard: 'autonomy-budget', verdict: 'blocked', rule: 'EF-05' }),
    );
  });

  it('counts what the budget of the run counted, not what the loop did: an earlier loop of the run counts [R3-CASE-05]', async () => {
    const view = toolRegistry(smallTools().all).toolset();
    const model = scriptedModel({ worker: forEver(() => proposes('next')) as never });
    const loop = toolLoop({
      session: { name: 'worker', model, setup: 'x' },
      tools: view,
      config: { maxIterations: 3 },
      autonomy: autonomyBudget({ limits: { iterations: 5 } }),
    });
    const agent = async (run: Run) => {
      const first = await loop(run, 'one');
      const second = await loop(run, 'two');
      return {
        stop: 'done' as const,
        value: [resultIn(first), resultIn(second)].map(({ termination, iterations }) => [termination, iterations]),
      };
    };
    const outcome = await still()
      .open(agent, { seams: governed(view) })
      .start();
    expect(outcome).toMatchObject({
      value: [
        ['max_iterations', 3],
        ['budget_exceeded', 2],
      ],
    });
  });

  it('that blocks for time ends the loop as duration_exceeded [R3-LOOP-REASONS]', async () => {
    const stage = still();
    const model = scriptedModel(
      { worker: [{ ...proposes('next'), latencyMs: 61_000 }, 'Late.'] },
      { clock: stage.clock },
    );
    const agent = toolLoop({
      session: { name: 'worker', model, setup: 'x' },
      tools: smallTools().all,
      autonomy: autonomyBudget({ limits: { minutes: 1 } }),
    });
    const outcome = stage.open((run) => agent(run, 'go')).start();
    await model.reached('worker');
    await stage.clock.advance(61_000);
    expect(await outcome).toMatchObject({ stop: 'bounded', bound: 'wallMs', limit: 60_000 });
    expect(resultIn((await outcome) as never)).toMatchObject({ termination: 'duration_exceeded', iterations: 1 });
  });

  it('has a default profile where none is given: a hundred iterations, whatever the loop allows [R3-LOOP-DEFAULTS]', async () => {
    const { result } = await runLoop(
      forEver(() => proposes('next')),
      {
        tools: smallTools().all,
        config: { maxIterations: 500 },
        limits: { iterations: 1000, modelCalls: 1000, toolCalls: 1000 },
      },
    );
    expect(result).toMatchObject({ termination: 'budget_exceeded', iterations: 100 });
  });

  it('that only warns lets the loop go on, and says so once', async () => {
    const { result, stage } = await runLoop([proposes('next'), proposes('next'), proposes('next'), 'Done.'], {
      tools: smallTools().all,
      config: ONCE,
      autonomy: autonomyBudget({ limits: { iterations: 2 }, modes: { 'EF-05': 'warn' } }),
    });
    expect(result).toMatchObject({ termination: 'completed', iterations: 4 });
    const told = (await stage.events('note')).filter(({ event }) => event.kind === 'decision');
    expect(told).toHaveLength(1);
    expect(told[0]?.event).toMatchObject({ verdict: 'warned', rule: 'EF-05' });
  });

  it.each(['approve', 'reject'] as const)(
    'that escalates is an approval that a person decides, once: %s [R7-APPROVE-ESCALATION]',
    async (verdict) => {
      const stage = still();
      const model = scriptedModel({ worker: [proposes('next'), proposes('next'), proposes('next'), 'Done.'] });
      const agent = toolLoop({
        session: { name: 'worker', model, setup: 'x' },
        tools: smallTools().all,
        config: ONCE,
        autonomy: autonomyBudget({ limits: { iterations: 2 }, warnAt: 1, modes: { 'EF-05': 'escalate' } }),
      });
      const life = stage.open((run) => agent(run, 'go'), { options: { suspendAfterMs: 5 } });
      const suspended = life.start();
      await model.reached('worker', 2);
      await stage.clock.advance(10);
      const rest = await suspended;
      expect(rest).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval', name: 'go-on:EF-05' }] });
      expect(model.requests).toHaveLength(2);
      await expect(life.runtime.signal(RUN, 'go-on:EF-05', { verdict })).rejects.toThrow('token');
      const token = rest?.stop === 'suspended' ? rest.waiting[0]?.token : undefined;
      await life.runtime.signal(RUN, token ?? '', { verdict, reason: 'as agreed' }, { from: 'ann' });
      const outcome = await life.resume();
      const result = resultIn(outcome as never);
      if (verdict === 'approve') expect(result).toMatchObject({ termination: 'completed', iterations: 4 });
      else expect(result).toMatchObject({ termination: 'budget_exceeded', iterations: 2 });
    },
  );

  it('stops the loop where a condition is met, and not where none is [R3-LOOP-REASONS]', async () => {
    const stops = async (...stopWhen: readonly StopCondition[]) => {
      const { result } = await runLoop([proposes('next'), proposes('fail'), 'FINISHED here.', 'Done.'], {
        tools: smallTools().all,
        autonomy: autonomyBudget({ stopWhen }),
      });
      return [result.termination, result.iterations];
    };
    expect(await stops()).toEqual(['completed', 4]);
    expect(await stops({ kind: 'toolCallsAtLeast', calls: 2 })).toEqual(['stop_condition', 2]);
    expect(await stops({ kind: 'errorCodeSeen', code: 'EFFECT_FAILED' })).toEqual(['stop_condition', 2]);
    expect(await stops({ kind: 'replyMatches', pattern: 'FINISHED*' })).toEqual(['stop_condition', 3]);
    expect(await stops({ kind: 'toolCalled', tool: 'write' })).toEqual(['completed', 4]);
  });
});
