import type { Clock, Run, Seams } from 'flyball';
import { systemClock } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { gate, Stage } from '../runtime/stage.js';
import { call, proposesAll, runLoop } from './stage-loop.js';

const ONCE = { doubleConfirmation: false };
const NAMED = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** Tools whose calls begin and end where a test can see it: each call waits at a gate of its own. */
function gated() {
  const log: string[] = [];
  const gates = new Map<string, ReturnType<typeof gate<void>>>();
  const gateOf = (name: string) => {
    const known = gates.get(name) ?? gate();
    gates.set(name, known);
    return known;
  };
  const began = new Map<string, ReturnType<typeof gate<void>>>();
  const beganOf = (name: string) => {
    const known = began.get(name) ?? gate();
    began.set(name, known);
    return known;
  };
  const make = (name: string, effect: 'pure' | 'idempotent'): DefinedTool =>
    tool({
      name,
      description: 'Waits at a gate. Not for anything else.',
      effect,
      input: NAMED,
      execute: async (args) => {
        const which = String(args['name']);
        log.push(`begin ${which}`);
        beganOf(which).open();
        await gateOf(which).opened;
        log.push(`end ${which}`);
        return `result ${which}`;
      },
    }) as unknown as DefinedTool;
  return {
    log,
    open: (name: string) => gateOf(name).open(),
    began: (name: string) => beganOf(name).opened,
    look: make('look', 'pure'),
    put: make('put', 'idempotent'),
  };
}

const look = (name: string) => call('look', { name }, name);
const put = (name: string) => call('put', { name }, name);
const contents = (messages: readonly { readonly content: string }[] = []) => messages.map(({ content }) => content);

describe('pure calls of one reply', () => {
  it('run side by side, and their results come in call order whatever order they end in [R3-LOOP-PARALLEL] [I2.acceptance]', async () => {
    const tools = gated();
    const running = runLoop([proposesAll(look('a'), look('b'), look('c')), 'Done.'], {
      tools: [tools.look],
      config: ONCE,
    });
    await Promise.all(['a', 'b', 'c'].map(tools.began)); // all have begun before any has ended
    expect(tools.log).toEqual(['begin a', 'begin b', 'begin c']);
    for (const name of ['c', 'a', 'b']) {
      tools.open(name);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { model } = await running;
    expect(tools.log.slice(3)).toEqual(['end c', 'end a', 'end b']);
    expect(contents(model.requests[1]?.messages.slice(-3))).toEqual(['result a', 'result b', 'result c']);
  });

  it('wait for what stands before them, and what stands after them waits for them [R3-LOOP-PARALLEL]', async () => {
    const tools = gated();
    const running = runLoop([proposesAll(look('a'), look('b'), put('w'), look('c'), look('d')), 'Done.'], {
      tools: [tools.look, tools.put],
      config: ONCE,
    });
    await Promise.all(['a', 'b'].map(tools.began));
    tools.open('b');
    await new Promise((resolve) => setImmediate(resolve));
    expect(tools.log).toEqual(['begin a', 'begin b', 'end b']); // w has not begun: a is still out
    tools.open('a');
    await tools.began('w');
    expect(tools.log).not.toContain('begin c');
    tools.open('w');
    await Promise.all(['c', 'd'].map(tools.began));
    expect(tools.log.indexOf('end w')).toBeLessThan(tools.log.indexOf('begin c'));
    tools.open('d');
    tools.open('c');
    const { model } = await running;
    expect(contents(model.requests[1]?.messages.slice(-5))).toEqual(
      ['a', 'b', 'w', 'c', 'd'].map((name) => `result ${name}`),
    );
  });

  it('run one after the other where the loop is told so [R3-LOOP-PARALLEL]', async () => {
    const tools = gated();
    for (const name of ['a', 'b', 'c']) tools.open(name);
    await runLoop([proposesAll(look('a'), look('b'), look('c')), 'Done.'], {
      tools: [tools.look],
      config: { ...ONCE, parallel: 'never' },
    });
    expect(tools.log).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
  });

  it('run at most as many side by side as the width of the budget [R3-LOOP-PARALLEL]', async () => {
    const tools = gated();
    for (const name of ['a', 'b', 'c', 'd', 'e']) tools.open(name);
    const five = proposesAll(...['a', 'b', 'c', 'd', 'e'].map(look));
    const bare = { tools: [tools.look], config: ONCE, seams: {} }; // guards would let the first end before the second begins
    const { result } = await runLoop([five, 'Done.'], { ...bare, limits: { width: 2 } });
    expect(tools.log.slice(0, 2)).toEqual(['begin a', 'begin b']);
    expect(tools.log.indexOf('begin c')).toBeGreaterThan(tools.log.indexOf('end b'));
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 5 });
  });

  it('do not use up the width of a run whose branches are loops themselves [R3-LOOP-PARALLEL]', async () => {
    const tools = gated();
    for (const name of ['a', 'b', 'c', 'd', 'e']) tools.open(name);
    const model = scriptedModel({
      worker: (request) =>
        request.messages.at(-1)?.role === 'tool' ? 'Done.' : proposesAll(...['a', 'b', 'c', 'd', 'e'].map(look)),
    });
    const loop = toolLoop({ session: { name: 'worker', model, setup: 'x' }, tools: [tools.look], config: ONCE });
    const agent = async (run: Run) => {
      const ends = await run.all(
        Array.from({ length: 3 }, () => (branch: Run) => loop(branch, 'go')),
        3,
      );
      return { stop: 'done' as const, value: ends.map((end) => (end.ok ? end.value.stop : end.error.message)) };
    };
    const life = new Stage<Clock>(systemClock()).open(agent);
    const outcome = await life.start(null, { width: 3, noProgress: 100 });
    expect(outcome).toMatchObject({ stop: 'done', value: ['done', 'done', 'done'] });
  });

  it('that fail side by side are told apart by their place [R3-LOOP-PARALLEL]', async () => {
    const odd = tool({
      name: 'odd',
      description: 'Fails for odd numbers. Not for anything else.',
      effect: 'pure',
      retry: { retries: 0 },
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      execute: async ({ n }) => {
        if (Number(n) % 2 === 1) throw new Error(`${String(n)} is odd`);
        return n;
      },
    });
    const { model } = await runLoop([proposesAll(...[1, 2, 3, 4].map((n) => call('odd', { n }, `n${n}`))), 'Done.'], {
      tools: [odd],
      config: ONCE,
    });
    expect(contents(model.requests[1]?.messages.slice(-4))).toEqual([
      'Error EFFECT_FAILED: 1 is odd',
      '2',
      'Error EFFECT_FAILED (×2), as before: 3 is odd',
      '4',
    ]);
  });

  it('all pass the guards, each on its own [R3-LOOP-PARALLEL]', async () => {
    const tools = gated();
    for (const name of ['a', 'c']) tools.open(name);
    const seams: Seams = {
      'tool.pre': [
        (next) => async (value, ctx) =>
          (value.args as { readonly name: string }).name === 'b' ? { allow: false, why: 'Not b.' } : next(value, ctx),
      ],
    };
    const { model } = await runLoop([proposesAll(look('a'), look('b'), look('c')), 'Done.'], {
      tools: [tools.look],
      config: ONCE,
      seams,
    });
    expect(contents(model.requests[1]?.messages.slice(-3))).toEqual([
      'result a',
      'Denied, not executed: Not b.',
      'result c',
    ]);
    expect(tools.log).not.toContain('begin b');
  });
});

describe('calls of tools that change something', () => {
  it('run one after the other, each after the one before has ended [R3-LOOP-PARALLEL] [R3-CASE-09]', async () => {
    const tools = gated();
    const running = runLoop([proposesAll(put('a'), put('b')), 'Done.'], { tools: [tools.put], config: ONCE });
    await tools.began('a');
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(tools.log).toEqual(['begin a']);
    tools.open('b');
    tools.open('a');
    await running;
    expect(tools.log).toEqual(['begin a', 'end a', 'begin b', 'end b']);
  });
});
