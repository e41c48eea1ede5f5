import type { Sampling, Session } from 'flyball';
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
