import type { ToolRef } from 'flyball';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { planText, runPlan, thinking, toolStep } from './stage-plan.js';

/** Lamps that are really on or off, with a log of every switch. */
function lamps() {
  const log: string[] = [];
  const lit = new Set<string>();
  const input = { type: 'object', properties: { lamp: { type: 'string' } }, required: ['lamp'] } as const;
  const description = 'Switches a lamp. Not for anything else.';
  const turn = (name: string, lamp: unknown): string => {
    log.push(`${name} ${String(lamp)}`);
    if (name.endsWith('on')) lit.add(String(lamp));
    else lit.delete(String(lamp));
    return 'switched';
  };
  const idempotent = (name: string) =>
    tool({ name, description, effect: 'idempotent', input, execute: async ({ lamp }) => turn(name, lamp) });
  const undoable = (name: string) =>
    tool({
      name,
      description,
      effect: 'undoable',
      input,
      execute: async ({ lamp }) => turn(name, lamp),
      compensate: async ({ lamp }) => {
        turn(name.endsWith('on') ? 'undo-off' : 'undo-on', lamp);
      },
    });
  const tools = [
    idempotent('on'),
    idempotent('off'),
    undoable('soft-on'),
    undoable('soft-off'),
  ] as unknown as readonly ToolRef[];
  return { log, lit, tools };
}

const light = (lamp: string, on = 'on', off = 'off') =>
  toolStep(`light-${lamp}`, on, {
    description: `Light ${lamp}.`,
    reversibility: 'idempotent',
    compensation: { tool: off, args: { lamp } },
  });
const hopeless = toolStep('hopeless', 'off');
const lighting = (lamp: string, on = 'on') => [proposes(on, { lamp }), `${lamp} is on.`];

describe('a plan that fails after it changed something', () => {
  it('calls the compensations of its steps, newest first, where the runtime cannot undo them', async () => {
    const { tools, log, lit } = lamps();
    const { outcome, result, notes } = await runPlan(
      { planner: planText([light('a'), light('b'), hopeless]), worker: [...lighting('a'), ...lighting('b'), 'No.'] },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome.stop).toBe('failed');
    expect(log).toEqual(['on a', 'on b', 'off b', 'off a']);
    expect([...lit]).toEqual([]);
    expect(result.compensations).toMatchObject([
      { step: 'light-b', tool: 'off', ok: true },
      { step: 'light-a', tool: 'off', ok: true },
    ]);
    expect(notes('compensation').map(({ step }) => step)).toEqual(['light-b', 'light-a']);
  });

  it('leaves to the runtime what tools undo themselves: nothing is taken back twice', async () => {
    const { tools, log, lit } = lamps();
    const { outcome, result } = await runPlan(
      {
        planner: planText([light('a', 'soft-on'), light('b'), hopeless]),
        worker: [...lighting('a', 'soft-on'), ...lighting('b'), 'No.'],
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(outcome).toMatchObject({ stop: 'failed', rollback: { entries: expect.anything() } });
    expect(log.filter((line) => line.endsWith(' a'))).toEqual(['soft-on a', 'undo-off a']);
    expect(log.filter((line) => line.endsWith(' b'))).toEqual(['on b', 'off b']);
    expect([...lit]).toEqual([]);
    expect(result.compensations).toMatchObject([{ step: 'light-b' }]);
  });

  it('does not let the rollback of the run take a compensation back', async () => {
    const { tools, log, lit } = lamps();
    await runPlan(
      { planner: planText([light('a', 'on', 'soft-off'), hopeless]), worker: [...lighting('a'), 'No.'] },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(log).toEqual(['on a', 'soft-off a']);
    expect([...lit]).toEqual([]);
  });

  it('takes back what a failed step had done before it failed', async () => {
    const { tools, lit, log } = lamps();
    const half = { ...light('a'), requiredTools: ['on', 'soft-on'] };
    await runPlan({ planner: planText([half]), worker: lighting('a') }, { tools, execution: { maxReprompts: 0 } });
    expect(log).toEqual(['on a', 'off a']);
    expect([...lit]).toEqual([]);
  });

  it('tells of a compensation that failed, and goes on with the others', async () => {
    const { tools, lit } = lamps();
    const broken = light('b');
    const { result } = await runPlan(
      {
        planner: planText([light('a'), { ...broken, compensation: { tool: 'off', args: { lamp: 7 } } }, hopeless]),
        worker: [...lighting('a'), ...lighting('b'), 'No.'],
      },
      { tools, execution: { maxReprompts: 0 } },
    );
    expect(result.compensations).toMatchObject([
      { step: 'light-b', ok: false },
      { step: 'light-a', ok: true },
    ]);
    expect([...lit]).toEqual(['b']);
  });

  it('calls none when it completes, when a bound stops it, and for steps that called nothing', async () => {
    const fine = lamps();
    const completed = await runPlan({ planner: planText([light('a')]), worker: lighting('a') }, { tools: fine.tools });
    expect(completed.result).not.toHaveProperty('compensations');
    expect(fine.log).toEqual(['on a']);
    const short = lamps();
    const bounded = await runPlan(
      { planner: planText([light('a'), thinking('b')]), worker: [...lighting('a'), 'B.'] },
      { tools: short.tools, limits: { iterations: 2 } },
    );
    expect(bounded.outcome.stop).toBe('bounded');
    expect(short.log).toEqual(['on a']);
    const idle = lamps();
    await runPlan(
      { planner: planText([{ ...light('a'), toolValidationMode: 'advisory' }, hopeless]), worker: ['Lit.', 'No.'] },
      { tools: idle.tools, execution: { maxReprompts: 0 } },
    );
    expect(idle.log).toEqual([]);
  });
});
