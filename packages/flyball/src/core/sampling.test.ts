import { type Agent, budget, createRuntime, done, memoryEngine, type Run, type Sampling, type Session } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { toolLoop } from 'flyball/loops';
import { selfConsistency, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';

const model = scriptedModel({ clerk: () => 'yes' });
const session = (sampling: Sampling): Session => ({ name: 'clerk', model, setup: '', sampling });

describe('sampling outside its range', () => {
  it.each([
    [{ topP: 4 }, 'topP of the session "clerk" must be a number above 0 and at most 1: got 4.'],
    [{ topP: 0 }, 'topP of the session "clerk" must be a number above 0 and at most 1: got 0.'],
    [{ temperature: -1 }, 'temperature of the session "clerk" must be a number from 0 to 2: got -1.'],
    [{ temperature: 20 }, 'temperature of the session "clerk" must be a number from 0 to 2: got 20.'],
    [{ temperature: Number.NaN }, 'temperature of the session "clerk" must be a number from 0 to 2: got NaN.'],
    [{ temperature: '1' as never }, 'temperature of the session "clerk" must be a number from 0 to 2: got 1.'],
    [{ seed: 0.5 }, 'seed of the session "clerk" must be a whole number: got 0.5.'],
    [{ maxOutputTokens: 0 }, 'maxOutputTokens of the session "clerk" must be a whole number of at least 1: got 0.'],
    [{ logProbs: -1 }, 'logProbs of the session "clerk" must be a whole number of at least 0: got -1.'],
  ] as const)('%j is refused where an agent is made of the session [R11-N10-SAMPLING]', (sampling, message) => {
    expect(() => zeroShot(session(sampling))).toThrow(message);
    expect(() => toolLoop({ session: session(sampling) })).toThrow(message);
    const definition = { name: 'clerk', description: 'A clerk.', model, sampling };
    expect(() => defineAgent(definition)).toThrow('sampling.');
  });

  it.each([
    ['a session', (asked: Run) => asked],
    ['a framing', (asked: Run) => asked.dressed({ id: 'hot', session: (one) => ({ ...one, sampling: { topP: 4 } }) })],
  ] as const)('of %s that is asked ends the run before anything is sent [R11-N10-SAMPLING]', async (who, dressed) => {
    const asked = scriptedModel({ clerk: () => 'yes' });
    const clerk = { ...session(who === 'a session' ? { topP: 4 } : {}), model: asked };
    const agent: Agent<null, string> = async (run) => done((await dressed(run).ask(clerk, 'Well?')).text);
    const runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });
    const outcome = await (await runtime.start('agent', null, { budget: budget() })).outcome();
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
    expect(JSON.stringify(outcome)).toContain('must be a number above 0 and at most 1: got 4.');
    expect(asked.requests).toEqual([]);
    await runtime.close();
  });

  it('lets pass what a provider may take', () => {
    for (const sampling of [{ temperature: 0 }, { temperature: 2, topP: 1 }, { topP: 0.01, seed: -1, logProbs: 0 }])
      expect(() => zeroShot(session(sampling))).not.toThrow();
    const solver = zeroShot(session({}));
    expect(() => selfConsistency(solver, {}, { topP: 4 })).toThrow('topP of selfConsistency (R17) must be');
    expect(() => selfConsistency(solver, {}, { temperature: 3 })).toThrow(
      'temperature of selfConsistency (R17) must be',
    );
  });
});
