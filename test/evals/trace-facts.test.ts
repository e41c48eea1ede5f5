import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { type TraceFacts, traceFactsOf } from '../../packages/evals/src/online/trace-facts.js';

const COHORT = { task: 'support', segment: 'private', model: 'scripted/model', region: 'eu' };
const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 'seen' });

/** What the journal of a real run says about it. */
async function factsOf(agent: Agent<unknown, string>, denied = false): Promise<TraceFacts> {
  const runtime = createRuntime({
    engine: memoryEngine(),
    agents: { agent },
    prices: { 'scripted/model': { input: 1000, output: 1000 } },
    seams: denied
      ? {
          'tool.pre': [
            () => async (_call, ctx) => {
              ctx.decide({ guard: 'policy', verdict: 'denied', why: 'not today' });
              return { allow: false, why: 'not today' };
            },
          ],
        }
      : {},
  });
  const handle = await runtime.start('agent', null, { id: 'r1', budget: budget({ modelCalls: 1, toolCalls: 2 }) });
  await handle.outcome();
  const facts = traceFactsOf('r1', await runtime.entries('r1'), COHORT);
  await runtime.close();
  return facts;
}

const session = { name: 'writer', model: scriptedModel({ writer: () => 'a line' }), setup: 'You write.' };

describe('the facts of a trace', () => {
  it('tell what a run cost and that it went well [R5-ONLINE-DRIFT] [V17.3]', async () => {
    const facts = await factsOf(async (run) => done((await run.ask(session, 'go')).text));
    expect(facts).toMatchObject({
      stop: 'done',
      failed: false,
      capped: false,
      guarded: false,
      denied: false,
      cohort: COHORT,
    });
    expect(facts.costUsd).toBeGreaterThan(0);
    expect(facts.tokens).toBeGreaterThan(0);
    expect(facts.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('tell a failure, a bound and a refused call, which are always judged [R5-ONLINE-DRIFT]', async () => {
    const failing = await factsOf(async () => {
      throw new Error('broken');
    });
    expect(failing).toMatchObject({ stop: 'failed', failed: true });
    const capped = await factsOf(async (run) => {
      for (;;) await run.ask(session, 'again');
    });
    expect(capped).toMatchObject({ stop: 'bounded', capped: true });
    const refused = await factsOf(async (run) => done((await run.call(look, {})).content), true);
    expect(refused).toMatchObject({ stop: 'done', guarded: true, denied: true });
  });
});
