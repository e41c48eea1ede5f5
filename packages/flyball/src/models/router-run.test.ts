import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryEngine } from '../adapters/engine-memory/memory-engine.js';
import { type Budget, budget } from '../core/budget.js';
import type { Model } from '../core/model.js';
import { done, type Outcome } from '../core/outcome.js';
import type { Run } from '../core/run.js';
import { createRuntime } from '../create-runtime.js';
import type { Clock } from '../ports/clock.js';
import type { Runtime } from '../runtime/runtime.js';
import { autoClock } from '../testing/auto-clock.js';
import { turns } from '../testing/turns.js';
import { virtualClock } from '../testing/virtual-clock.js';
import { type Act, answers, cutOff, fails, hangs, type Puppet, puppet, routed } from './routing.test-data.js';

/** A run that asks the model once. Its worst case: 10 tokens in, 50 out, for every attempt that may be paid for. */
function runtimeFor(model: Model, clock: Clock): Runtime {
  const session = { name: 'writer', model, setup: 'Be brief.', sampling: { maxOutputTokens: 50 } };
  const agent = async (run: Run): Promise<Outcome<string>> => done((await run.ask(session, 'Say hello.')).text);
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent }, clock, options: { worker: false } });
  onTestFinished(() => runtime.abandon());
  return runtime;
}

const dollarsPerToken = (input: number, output: number) => ({ input: input * 1e6, output: output * 1e6 });
const cheap = (act: readonly Act[]): Puppet => puppet('a/one', act, { price: dollarsPerToken(0.01, 0.01) });
const dear = (act: readonly Act[]): Puppet => puppet('b/two', act, { price: dollarsPerToken(0.1, 0.1) });

async function outcomeOf(runtime: Runtime, limits: Partial<Budget>): Promise<Outcome<unknown>> {
  const handle = await runtime.start('agent', null, { budget: budget(limits) });
  return handle.outcome();
}

describe('a run that asks a routed model', () => {
  it('starts no call whose attempts its budget could not pay [R3-ROUTER-BUDGET]', async () => {
    const clock = autoClock();
    const one = cheap([fails(cutOff()), answers('hello')]);
    const { model } = await routed(clock, [one]);
    expect(await outcomeOf(runtimeFor(model, clock), { tokensOut: 99 })).toMatchObject({
      stop: 'bounded',
      bound: 'tokensOut',
    });
    expect(one.requests).toHaveLength(0);
    expect(await outcomeOf(runtimeFor(model, clock), { tokensOut: 100 })).toMatchObject({
      stop: 'done',
      value: 'hello',
    });
  });

  it('reserves at the price of the dearest model of the chain [R3-ROUTER-BUDGET] [R3-ROUTER-FALLBACK]', async () => {
    const clock = autoClock();
    const { model } = await routed(clock, [cheap([answers('hello')]), dear([answers('hello')])]);
    const worst = 2 * (10 + 50) * 0.1;
    expect(await outcomeOf(runtimeFor(model, clock), { costUsd: worst - 0.01 })).toMatchObject({ stop: 'bounded' });
    expect(await outcomeOf(runtimeFor(model, clock), { costUsd: worst })).toMatchObject({ stop: 'done' });
  });

  it('counts what a failed attempt may have cost, and the price of who answered [R3-ROUTER-BUDGET] [R3-ROUTER-FALLBACK]', async () => {
    const clock = autoClock();
    const { model } = await routed(clock, [cheap([fails(cutOff())]), dear([answers('hello')])]);
    const outcome = await outcomeOf(runtimeFor(model, clock), { costUsd: 12 });
    expect(outcome).toMatchObject({ stop: 'done', usage: { tokensIn: 10 + 5, tokensOut: 50 + 2 } });
    expect(outcome.usage?.costUsd).toBeCloseTo((10 + 50) * 0.1 + (5 + 2) * 0.1, 9);
  });

  it('counts all attempts of a call that failed, and never more than was reserved [R3-ROUTER-BUDGET]', async () => {
    const clock = autoClock();
    const { model } = await routed(clock, [cheap([fails(cutOff())])]);
    expect(await outcomeOf(runtimeFor(model, clock), { tokensOut: 100, tokensIn: 20 })).toMatchObject({
      stop: 'failed',
      usage: { tokensIn: 20, tokensOut: 100 },
    });
  });

  it('aborts its call in flight, or in line, when it is cancelled [R3-ROUTER-TIMEOUT]', async () => {
    const clock = virtualClock();
    const one = cheap([hangs]);
    const { model } = await routed(clock, [one], { concurrency: { limit: 1 } });
    const runtime = runtimeFor(model, clock);
    const inFlight = await runtime.start('agent', null, { id: 'in-flight', budget: budget({}) });
    await turns(20);
    const inLine = await runtime.start('agent', null, { id: 'in-line', budget: budget({}) });
    await turns(20);
    await runtime.cancel('in-line', { why: 'changed my mind' });
    await runtime.cancel('in-flight', { why: 'changed my mind' });
    expect(await inFlight.outcome()).toMatchObject({ stop: 'cancelled' });
    expect(await inLine.outcome()).toMatchObject({ stop: 'cancelled' });
    expect([one.requests.length, one.inFlight.now, one.signals[0]?.aborted]).toEqual([1, 0, true]);
  });
});
