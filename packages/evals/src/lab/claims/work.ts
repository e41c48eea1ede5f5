import { type Agent, done } from 'flyball';
import { codeTest, reAct, reflexion, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { tool } from 'flyball/tools';
import { askedOnce, itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf } from '../exactly.js';
import type { Family, SimulatedCall } from '../simulated.js';
import { repository } from '../worlds/repository.js';
import { toolGraph } from '../worlds/tool-graph.js';
import { reflectingExpected } from './reflecting.js';

interface Repairing {
  readonly p: number;
  readonly helped: number;
  readonly useful: number;
  readonly attempts: number;
}

/** Repairs the source until the tests of the repository pass: they are run on every attempt. */
function repairing(given: Repairing): Arm {
  return solving(`R7 W6 ${JSON.stringify(given)}`, {
    questions: repository,
    families: {
      actor: families.improver({ questions: repository, ...given }),
      critic: families.critic(given),
    },
    agent: (model) =>
      reflexion(
        zeroShot(seat(model, 'actor')) as Agent<string, string>,
        {
          test: codeTest((source, input) => {
            const { failed, passed, says } = repository.tests(itemOf(input), source);
            const score = passed / (passed + failed);
            return failed === 0 ? { ok: true, score } : { ok: false, because: says, score };
          }),
          critic: seat(model, 'critic'),
        },
        { maxAttempts: given.attempts, keep: 1 },
      ),
    isRight: (item, source) => repository.isGreen(item, String(source)),
  });
}

const repairClaim = (given: Repairing): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'R7',
  world: 'W6',
  family: 'F2',
  parameters: { ...given },
  formula: 'absorbing chain over attempts',
  arm: repairing(given),
  baseline: askedOnce(repository, given.p, { wrong: 1_000 }),
  expected: () => reflectingExpected(given),
  expectedBaseline: onceExpected(given.p),
});

interface Looking {
  readonly calls: number;
  /** Share of calls after the first that need what the one before returned. */
  readonly share: number;
  /** Probability of a wrong key. */
  readonly error: number;
}

const KEY = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const;

/** The key of the next call: what the task says, or what the last call returned as far as it is known; now and then a wrong one. */
function nextKey(call: SimulatedCall, world: ReturnType<typeof toolGraph>, nth: number, before: string, error: number) {
  return call.chance(`key ${nth}`) < error ? `wrong-${nth}` : (world.key(call.item, nth) ?? before);
}

/** One call after the other, each with what the last one returned. */
function oneByOne({ calls, share, error }: Looking): Arm {
  const world = toolGraph({ calls, share });
  const worker: Family = (call) => {
    const found = [...call.text.matchAll(/found (v\d+)/g)].map(([, value = '']) => value);
    if (found.length === calls) return found.join(' ');
    const key = nextKey(call, world, found.length, found.at(-1) ?? '', error);
    return { text: '', toolCalls: [{ id: call.key, name: 'look', arguments: JSON.stringify({ key }) }] };
  };
  const look = tool({
    name: 'look',
    description: 'Looks up a key. Not for lists of keys.',
    input: KEY,
    effect: 'pure',
    execute: async ({ key }) => `found ${world.look(String(key))}`,
  });
  return solving(`R4 W3 ${calls} ${share} ${error}`, {
    questions: world,
    families: { worker },
    agent: (model) =>
      reAct({ worker: seat(model, 'worker'), tools: [look] }, { maxIterations: calls + 1 }) as Agent<string, string>,
  });
}

/** All keys named in one reply, before anything was looked up: a key that depends on a result can only be guessed. */
function atOnce({ calls, share, error }: Looking): Arm {
  const world = toolGraph({ calls, share });
  return solving(`S1 W3 ${calls} ${share} ${error}`, {
    questions: world,
    families: {
      planner: (call) =>
        JSON.stringify(Array.from({ length: calls }, (_none, nth) => nextKey(call, world, nth, 'a guess', error))),
    },
    agent: (model): Agent<string, string> => {
      const plan = zeroShot(seat(model, 'planner')) as Agent<string, string>;
      return async (run, ask) => {
        const planned = await plan(run, ask);
        if (planned.stop !== 'done') return planned;
        const keys = JSON.parse(planned.value) as readonly string[];
        return done(keys.map(world.look).join(' '));
      };
    },
  });
}

const lookingClaim = (given: Looking): Omit<Claim, 'id' | 'side' | 'says'> => {
  const { calls, share, error } = given;
  const right = (1 - error) ** calls;
  return {
    pattern: 'R4',
    world: 'W3',
    family: 'F7',
    parameters: { ...given },
    formula: '(1 - e)^k, against (1 - e)^k · (1 - d)^(k - 1)',
    arm: oneByOne(given),
    baseline: atOnce(given),
    expected: () => ({ value: chanceOf(right), calls: always(calls + 1) }),
    expectedBaseline: () => ({ value: chanceOf(right * (1 - share) ** (calls - 1)) }),
  };
};

/** Claims in a repository with failing tests, and in graphs of tool calls. */
export const work: readonly Claim[] = [
  {
    ...repairClaim({ p: 0.4, helped: 0.7, useful: 0.6, attempts: 4 }),
    id: 'R7-repository',
    side: 'gains',
    says: 'A wrong operator is repaired in four attempts, with the tests of the repository run on each.',
  },
  {
    ...lookingClaim({ calls: 4, share: 0.5, error: 0.05 }),
    id: 'R4-graph',
    side: 'gains',
    says: 'Four look-ups, half of which need what the one before returned, against naming all keys at once.',
  },
  {
    ...lookingClaim({ calls: 4, share: 0, error: 0.05 }),
    id: 'R4-flat',
    side: 'loses',
    says: 'Four look-ups that need nothing of each other: five calls for what one call plans as well.',
  },
];
