import type { Agent } from 'flyball';
import { reAct, selfRefine, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { tool } from 'flyball/tools';
import { askedOnce, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { chanceOf, type Expectation, exactly } from '../exactly.js';
import { corridor } from '../formulas.js';
import type { Family, SimulatedCall } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';
import { maze } from '../worlds/maze.js';

interface Refining {
  readonly p: number;
  /** Finds a fault in what is wrong, and in what is right. */
  readonly finds: number;
  readonly alarms: number;
  readonly mends: number;
  readonly keeps: number;
  readonly rounds: number;
}

const resultIn = ({ text }: SimulatedCall): string => /<result>\n([\s\S]*?)\n<\/result>/.exec(text)?.[1] ?? '';
const isRightIn = (call: SimulatedCall): boolean => resultIn(call) === arithmetic.truth(call.item);
const ISSUES = JSON.stringify({ issues: [{ text: 'The number is off.', severity: 'high' }] });

export function refiningArm(given: Refining): Arm {
  const { p, finds, alarms, mends, keeps, rounds } = given;
  const reviser: Family = (call) => {
    const isMeant = call.text.includes('The number is off.');
    const able = isRightIn(call) ? keeps : isMeant ? mends : 0; // a critique that is not passed on mends nothing
    return call.chance('revises') < able
      ? arithmetic.truth(call.item)
      : arithmetic.wrong(call.item, 1 + Math.floor(call.chance('which') * 1e6));
  };
  return solving(`R8 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      writer: families.oracle({ questions: arithmetic, p }),
      critic: families.judge({
        isGood: isRightIn,
        tpr: 1 - alarms,
        fpr: 1 - finds,
        says: (isContent) => (isContent ? 'DONE' : ISSUES),
      }),
      reviser,
    },
    agent: (model) =>
      selfRefine(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        { critic: seat(model, 'critic'), reviser: seat(model, 'reviser') },
        { maxRounds: rounds },
      ),
  });
}

export const refiningExpected = ({ p, finds, alarms, mends, keeps, rounds }: Refining): Expectation =>
  exactly((flip) => {
    let isRight = flip(p);
    let calls = 1;
    for (let round = 1; round <= rounds; round++) {
      calls++;
      if (!flip(isRight ? alarms : finds)) break;
      calls++;
      isRight = flip(isRight ? keeps : mends);
    }
    return { value: isRight, calls };
  });

function refining(id: string, side: Claim['side'], says: string, given: Refining): Claim {
  return {
    id,
    pattern: 'R8',
    world: 'W1',
    family: 'F2, F3',
    parameters: { ...given },
    says,
    side,
    formula: 'chain over critiques and revisions',
    arm: refiningArm(given),
    baseline: askedOnce(arithmetic, given.p),
    expected: () => refiningExpected(given),
    expectedBaseline: onceExpected(given.p),
  };
}

interface Walking {
  readonly length: number;
  readonly hit: number;
  readonly iterations: number;
}

const SMALL = {
  type: 'object',
  properties: { room: { type: 'string' }, door: { type: 'string' } },
  required: ['room', 'door'],
} as const;

export function walkingArm({ length, hit, iterations }: Walking): Arm {
  const world = maze(length);
  const pick = families.mover((call) => world.doors(call.item, roomIn(call)), hit);
  const walker: Family = (call) => {
    const room = roomIn(call);
    if (room === world.goal) return world.truth(call.item);
    const door = pick(call) as string;
    return { text: '', toolCalls: [{ id: call.key, name: 'go', arguments: JSON.stringify({ room, door }) }] };
  };
  const go = tool({
    name: 'go',
    description: 'Goes through a door of a room. Not for looking around.',
    input: SMALL,
    effect: 'pure',
    execute: async ({ room, door }) =>
      `You are in ${world.go(Number(String(room).split(/[ -]/)[1]), String(room), String(door))}.`,
  });
  return solving(`R4 ${length} ${hit} ${iterations}`, {
    questions: world,
    families: { worker: walker },
    agent: (model) =>
      reAct({ worker: seat(model, 'worker'), tools: [go] }, { maxIterations: iterations, repeatLimit: 1_000 }) as Agent<
        string,
        string
      >,
  });
}

const roomIn = ({ text }: SimulatedCall): string =>
  [...text.matchAll(/You are in (the goal|room [\d-]+)/g)].at(-1)?.[1] ?? '';

/** The last of the turns answers: one that has just come to the goal has no turn left to say so. */
export function walkingExpected({ length, hit, iterations }: Walking): Expectation {
  const { reached, at } = corridor(length, hit, iterations - 1);
  const ends = at.map((chance, step) => ({ chance, calls: step + 2 }));
  const all = [...ends, { chance: 1 - reached, calls: iterations }];
  const mean = all.reduce((sum, { chance, calls }) => sum + chance * calls, 0);
  const square = all.reduce((sum, { chance, calls }) => sum + chance * calls * calls, 0);
  return { value: chanceOf(reached), calls: { mean, variance: Math.max(0, square - mean * mean) } };
}

/** All doors named at once. */
function inOneGo({ length, hit }: Walking, gap: number): Arm {
  const world = maze(length);
  return solving(`S1 maze ${length} ${hit} ${gap}`, {
    questions: world,
    families: { answerer: families.hopper({ questions: world, p: hit, hops: length, gap }) },
    agent: (model) => zeroShot(seat(model, 'answerer')) as Agent<string, string>,
  });
}

function walking(id: string, side: Claim['side'], says: string, given: Walking, gap: number): Claim {
  return {
    id,
    pattern: 'R4',
    world: 'W2',
    family: 'F5, F6',
    parameters: { ...given, gap },
    says,
    side,
    formula: 'walk with an absorbing end, against p^h · (1 - g)',
    arm: walkingArm(given),
    baseline: inOneGo(given, gap),
    expected: () => walkingExpected(given),
    expectedBaseline: onceExpected(given.hit ** given.length * (1 - gap)),
  };
}

export const reasoning: readonly Claim[] = [
  refining(
    'R8-sharp',
    'gains',
    'A critic that finds 80% of the faults, and a reviser that mends 70% of what it names.',
    { p: 0.5, finds: 0.8, alarms: 0.1, mends: 0.7, keeps: 0.95, rounds: 3 },
  ),
  refining(
    'R8-mild',
    'loses',
    'A critic that cannot tell right from wrong, and a reviser that breaks more than it mends.',
    { p: 0.7, finds: 0.5, alarms: 0.5, mends: 0.3, keeps: 0.6, rounds: 3 },
  ),
  walking(
    'R4-maze',
    'gains',
    'Looking after each of four doors, with ten turns, against naming all doors at once.',
    { length: 4, hit: 0.8, iterations: 10 },
    0.3,
  ),
  walking(
    'R4-one-door',
    'loses',
    'One door: looking behind it takes a second call and changes nothing.',
    { length: 1, hit: 0.8, iterations: 2 },
    0,
  ),
];
