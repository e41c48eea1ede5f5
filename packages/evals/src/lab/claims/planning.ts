import { type Agent, blocked, done } from 'flyball';
import { planAndSolve } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { askedOnce, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, type Expectation, exactly } from '../exactly.js';
import type { Family, SimulatedCall, SimulatedModel } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';

interface Planning {
  readonly steps: number;
  readonly error: number;
  readonly replans: number;
  /** Share of replies that are no plan. */
  readonly malformed: number;
  /** Share of plans that have one step more than is allowed. */
  readonly long?: number;
  /** Share of plans that are careless, which a reviewer in code sees; one that was told so once is not. */
  readonly careless?: number;
}

const CAREFULLY = 'Do the last step carefully.';

/** What is done stays word for word; the step that failed comes back in another way. */
function planOf(call: SimulatedCall, { steps, long = 0, careless = 0 }: Planning): string {
  const ways = new Map([...call.text.matchAll(/Do (s\d+) way (\d+)/g)].map(([, id = '', way]) => [id, Number(way)]));
  const trouble = /step (s\d+) cannot be done/.exec(call.text)?.[1];
  const isCareless = !call.text.includes(CAREFULLY) && call.chance('careless') < careless;
  const step = (n: number) => {
    const id = `s${n}`;
    const way = (ways.get(id) ?? 0) + (trouble === id ? 1 : 0);
    const tooMany = n > steps ? ` in ${call.chance('words')} parts` : ''; // the same reply twice would end it
    return {
      id,
      description: `Do ${id} way ${way}${isCareless && n === steps ? ' in haste' : ''} of ${mark(call.item)}${tooMany}.`,
      expectedOutcome: '',
      ...(n === 1 ? {} : { dependsOn: [`s${n - 1}`], bindings: { before: { from: `s${n - 1}` } } }),
    };
  };
  const length = steps + (call.chance('long') < long ? 1 : 0);
  return JSON.stringify({
    goal: arithmetic.ask(call.item),
    shape: 'ordered',
    steps: Array.from({ length }, (_none, n) => step(n + 1)),
  });
}

/** Says something else each time: the same reply twice would end it. */
const planner =
  (given: Planning): Family =>
  (call) =>
    call.chance('malformed') < given.malformed
      ? `I would look around first, for ${call.chance('words')}.`
      : planOf(call, given);

const resultsIn = (text: string): string => [...text.matchAll(/done-s(\d+)/g)].map(([, n]) => n).join();

/** A step needs the result of the one before it, and no other. */
const stepper =
  (error: number): Family =>
  (call) => {
    const n = Number(/Do s(\d+) way/.exec(call.text)?.[1]);
    const isReady = resultsIn(call.text) === (n === 1 ? '' : String(n - 1));
    if (!isReady || call.chance('error') < error) return 'FAIL';
    return call.text.includes('in haste') ? `hurried-s${n}` : `done-s${n}`;
  };

const workerOf =
  (model: SimulatedModel): Agent<string, string> =>
  async (run, task) => {
    const { text } = await run.ask(seat(model, 'worker'), task);
    return text === 'FAIL' ? blocked('it did not work') : done(text);
  };

export function planningArm(given: Planning): Arm {
  const { steps, error, replans, long, careless } = given;
  const all = Array.from({ length: steps }, (_none, n) => n + 1).join();
  return solving(`R3 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      planner: planner(given),
      worker: stepper(error),
      answerer: ({ item, text }) => (resultsIn(text) === all ? arithmetic.truth(item) : arithmetic.wrong(item, 0)),
    },
    agent: (model) =>
      planAndSolve(
        {
          planner: seat(model, 'planner'),
          worker: workerOf(model),
          answerer: seat(model, 'answerer'),
          ...(careless === undefined
            ? {}
            : {
                test: (_run, plan) =>
                  plan.steps.some(({ description }) => description.includes('in haste'))
                    ? { ok: false, because: CAREFULLY }
                    : { ok: true },
              }),
        },
        { maxReplans: replans, ...(long === undefined ? {} : { maxSteps: steps }) },
      ),
  });
}

const MOST_DRAFTS = 3;

export const planningExpected = ({ steps, error, replans, malformed, long = 0, careless = 0 }: Planning): Expectation =>
  exactly((flip) => {
    let calls = 0;
    let done = 0;
    let isTold = false;
    for (let plans = 0; plans <= replans; plans++) {
      let drafts = 1;
      while (flip(malformed + (1 - malformed) * long)) {
        if (drafts === MOST_DRAFTS) return { value: false, calls: calls + drafts };
        drafts++;
      }
      calls += drafts;
      isTold = !isTold && flip(careless);
      if (isTold) continue; // no step of it runs
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

const STEPS = 4;

/** Steps that need nothing of each other. Wall time: of the plan, of the steps, and of the answer. */
function sideBySide(width: number): Arm {
  const plan = JSON.stringify({
    goal: 'All four.',
    shape: 'partial',
    steps: Array.from({ length: STEPS }, (_none, n) => ({ id: `s${n}`, description: `Do ${n}.`, expectedOutcome: '' })),
  });
  const slow = (says: string): Family => families.slow(() => says, { fixedMs: 1_000 });
  return solving(`R3 wall ${width}`, {
    questions: arithmetic,
    families: { planner: slow(plan), worker: slow('done'), answerer: slow('done') },
    agent: (model) =>
      planAndSolve(
        { planner: seat(model, 'planner'), worker: workerOf(model), answerer: seat(model, 'answerer') },
        { width },
      ),
    isRight: (_item, _answer, { ms }) => ms / 10_000, // tenths of ten seconds
    more: () => ({ isTimed: true, serial: true }),
  });
}

export const plans: readonly Claim[] = [
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
  planning(
    'R3-refused',
    'holds',
    'One of five replies is no plan, and two of five plans are too long: each is sent back, two times at most.',
    { steps: 2, error: 0.2, replans: 1, malformed: 0.2, long: 0.4 },
    0.5,
  ),
  planning(
    'R3-reviewed',
    'holds',
    'Half of the plans are careless. A reviewer in code sends them back, and what it says makes the next one careful.',
    { steps: 3, error: 0.2, replans: 2, malformed: 0, careless: 0.5 },
    0.5,
  ),
  {
    id: 'R3-wall',
    pattern: 'R3',
    world: 'W1',
    family: 'F14',
    parameters: { steps: STEPS, width: STEPS, latencyMs: 1_000 },
    says: 'Steps that need nothing of each other take the time of one. Scores are wall time in units of ten seconds.',
    side: 'holds',
    formula: 'plan + max + answer, against plan + sum + answer',
    arm: sideBySide(STEPS),
    baseline: sideBySide(1),
    expected: () => ({ value: always(0.3), calls: always(STEPS + 2) }),
    expectedBaseline: () => ({ value: always((STEPS + 2) / 10) }),
    weight: 30,
  },
];
