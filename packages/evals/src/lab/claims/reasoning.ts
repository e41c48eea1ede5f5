import { type Agent, blocked, done } from 'flyball';
import { planAndSolve, reAct, reflexion, selfConsistency, selfRefine, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { tool } from 'flyball/tools';
import { askedOnce, itemOf, onceExpected, resampled, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, type Expectation, exactly } from '../exactly.js';
import { corridor, plurality, pluralityOver } from '../formulas.js';
import type { Family, SimulatedCall } from '../simulated.js';
import { arithmetic, game24, makes24, mark } from '../worlds/arithmetic.js';
import { maze } from '../worlds/maze.js';

interface Voting {
  readonly p: number;
  readonly wrong: number;
  readonly samples: number;
  readonly common?: number;
  readonly abstains?: number;
  readonly difficulty?: { readonly a: number; readonly b: number };
}

export function votingArm(given: Voting): Arm {
  const { samples, ...model } = given;
  return solving(`R17 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { answerer: families.oracle({ questions: arithmetic, ...model }) },
    agent: (simulated) =>
      selfConsistency(zeroShot(seat(simulated, 'answerer')) as Agent<string, string>, {}, { samples }),
  });
}

export function votingExpected({ p, wrong, samples, common = 0, abstains = 0, difficulty }: Voting): Expectation {
  const alone = (1 - abstains) * p;
  const voted =
    difficulty === undefined ? plurality(samples, p, wrong, abstains) : pluralityOver(samples, difficulty, wrong);
  return { value: chanceOf(common * alone + (1 - common) * voted), calls: always(samples) };
}

function voting(id: string, side: Claim['side'], says: string, given: Voting): Claim {
  const { p, wrong, difficulty } = given;
  const single = difficulty === undefined ? p : difficulty.a / (difficulty.a + difficulty.b);
  return {
    id,
    pattern: 'R17',
    world: 'W1',
    family: 'F1',
    parameters: {
      ...given,
      ...(difficulty === undefined ? {} : { difficulty: `Beta(${difficulty.a},${difficulty.b})` }),
    } as Claim['parameters'],
    says,
    side,
    formula: 'ρp + (1 - ρ) · P(plurality of n is right)',
    arm: votingArm(given),
    baseline: askedOnce(arithmetic, single, { wrong }),
    expected: () => votingExpected(given),
    expectedBaseline: onceExpected(single),
  };
}

interface Reflecting {
  readonly p: number;
  readonly helped: number;
  readonly useful: number;
  readonly attempts: number;
}

export function reflectingArm(given: Reflecting): Arm {
  return solving(`R7 ${JSON.stringify(given)}`, {
    questions: game24,
    families: {
      actor: families.improver({ questions: game24, ...given, wrong: 1_000_000 }),
      critic: families.critic(given),
    },
    agent: (model) =>
      reflexion(
        zeroShot(seat(model, 'actor')) as Agent<string, string>,
        {
          // the checker of the game, not the solver: any right expression passes
          test: (_run, value, input) =>
            makes24(game24.hand(itemOf(input)), value)
              ? { ok: true }
              : { ok: false, because: `It is not 24: ${value}` },
          critic: seat(model, 'critic'),
        },
        { maxAttempts: given.attempts, keep: 1 },
      ),
    isRight: (item, answer) => makes24(game24.hand(item), String(answer)),
  });
}

export const reflectingExpected = ({ p, helped, useful, attempts }: Reflecting): Expectation =>
  exactly((flip) => {
    let able = p;
    for (let attempt = 1, calls = 1; ; attempt++, calls += 2) {
      if (flip(able)) return { value: true, calls };
      if (attempt === attempts) return { value: false, calls };
      able = flip(useful) ? helped : p; // one critique is kept
    }
  });

const reflectingClaim = (given: Reflecting): Omit<Claim, 'id' | 'side' | 'says' | 'baseline' | 'expectedBaseline'> => ({
  pattern: 'R7',
  world: 'W1 (game of 24)',
  family: 'F2',
  parameters: { ...given },
  formula: 'absorbing chain over attempts',
  arm: reflectingArm(given),
  expected: () => reflectingExpected(given),
});

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

interface Planning {
  readonly steps: number;
  readonly error: number;
  readonly replans: number;
  readonly malformed: number;
}

export function planningArm(given: Planning): Arm {
  const { steps, error, replans, malformed } = given;
  const plan = (call: SimulatedCall): string => {
    // what is done stays word for word; the step that failed comes back in another way
    const ways = new Map([...call.text.matchAll(/Do (s\d+) way (\d+)/g)].map(([, id = '', way]) => [id, Number(way)]));
    const trouble = /step (s\d+) cannot be done/.exec(call.text)?.[1];
    const step = (n: number) => {
      const id = `s${n + 1}`;
      const way = (ways.get(id) ?? 0) + (trouble === id ? 1 : 0);
      return {
        id,
        description: `Do ${id} way ${way} of ${mark(call.item)}.`,
        expectedOutcome: '',
        dependsOn: n === 0 ? [] : [`s${n}`],
      };
    };
    return JSON.stringify({
      goal: arithmetic.ask(call.item),
      shape: 'ordered',
      steps: Array.from({ length: steps }, (_none, n) => step(n)),
    });
  };
  return solving(`R3 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      planner: families.planner({ plan, malformed }),
      worker: families.stepper({ error, done: () => 'OK', failed: () => 'FAIL' }),
      answerer: ({ item }) => arithmetic.truth(item),
    },
    agent: (model) => {
      const worker: Agent<string, string> = async (run, task) => {
        const { text } = await run.ask(seat(model, 'worker'), task);
        return text === 'FAIL' ? blocked('it did not work') : done(text);
      };
      return planAndSolve(
        { planner: seat(model, 'planner'), worker, answerer: seat(model, 'answerer') },
        { maxReplans: replans },
      );
    },
  });
}

const MOST_DRAFTS = 3;

export const planningExpected = ({ steps, error, replans, malformed }: Planning): Expectation =>
  exactly((flip) => {
    let calls = 0;
    let done = 0;
    for (let plans = 0; plans <= replans; plans++) {
      let drafts = 1;
      while (flip(malformed)) {
        if (drafts === MOST_DRAFTS) return { value: false, calls: calls + drafts };
        drafts++;
      }
      calls += drafts;
      let isStopped = false;
      while (done < steps && !isStopped) {
        calls++;
        isStopped = flip(error);
        if (!isStopped) done++;
      }
      if (!isStopped) return { value: true, calls: calls + 1 };
    }
    return { value: false, calls };
  });

function planning(id: string, side: Claim['side'], says: string, given: Planning, direct: number): Claim {
  return {
    id,
    pattern: 'R3',
    world: 'W1',
    family: 'F7',
    parameters: { ...given, direct },
    says,
    side,
    formula: 'Σ_j C(k - 1 + j, j) (1 - e)^k e^j over at most r new plans',
    arm: planningArm(given),
    baseline: askedOnce(arithmetic, direct),
    expected: () => planningExpected(given),
    expectedBaseline: onceExpected(direct),
  };
}

const R7: Reflecting = { p: 0.5, helped: 0.8, useful: 0.7, attempts: 3 };
const R7_BLIND: Reflecting = { p: 0.5, helped: 0.5, useful: 0, attempts: 3 };

export const reasoning: readonly Claim[] = [
  voting('R17-five', 'gains', 'Five samples of a model that is right in 60% and has four ways to be wrong.', {
    p: 0.6,
    wrong: 4,
    samples: 5,
  }),
  voting('R17-seven', 'gains', 'Seven samples of the same model.', { p: 0.6, wrong: 4, samples: 7 }),
  voting('R17-common', 'gains', 'Half of the items have an error that all samples share.', {
    p: 0.6,
    wrong: 4,
    samples: 5,
    common: 0.5,
  }),
  voting('R17-weak', 'loses', 'Below one half with one wrong answer, more samples make it worse.', {
    p: 0.4,
    wrong: 1,
    samples: 7,
  }),
  voting(
    'R17-abstains',
    'loses',
    'Half of the samples give no answer: they have no vote, and the rest still decides.',
    { p: 0.5, wrong: 4, samples: 3, abstains: 0.5 },
  ),
  voting('R17-difficulty', 'gains', 'Items differ in difficulty.', {
    p: 0,
    wrong: 4,
    samples: 5,
    difficulty: { a: 3, b: 2 },
  }),
  {
    ...reflectingClaim(R7),
    id: 'R7-useful',
    side: 'gains',
    says: 'Critiques that help in 70% lift the next attempt from 50% to 80%.',
    baseline: askedOnce(game24, R7.p),
    expectedBaseline: onceExpected(R7.p),
  },
  {
    ...reflectingClaim(R7_BLIND),
    id: 'R7-useless',
    side: 'loses',
    says: 'Critiques that never help: trying again without them is as good and cheaper.',
    baseline: resampled(game24, R7_BLIND.p, R7_BLIND.attempts, (item, answer) => makes24(game24.hand(item), answer)),
    expectedBaseline: () => ({ value: chanceOf(1 - (1 - R7_BLIND.p) ** R7_BLIND.attempts) }),
  },
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
  planning(
    'R3-errors',
    'gains',
    'Four steps that fail in 20%, and three new plans, against one call that is right in 40%.',
    { steps: 4, error: 0.2, replans: 3, malformed: 0.1 },
    0.4,
  ),
  planning(
    'R3-easy',
    'loses',
    'Steps that never fail: one call that is always right is cheaper.',
    { steps: 3, error: 0, replans: 3, malformed: 0 },
    1,
  ),
];
