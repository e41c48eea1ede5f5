import { type Agent, done, memoryStore, type Run } from 'flyball';
import { accumulateSkills, type SuccessVerdict, solveWithSkills, storedSkills } from 'flyball/skills';
import { simulatedModel } from 'flyball/testing/simulated';
import { delivered, seat } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { type Expectation, exactly } from '../exactly.js';
import type { Family, SimulatedModel } from '../simulated.js';
import { returning, solvedIn, type Visit } from '../worlds/returning.js';

interface Learning {
  readonly sessions: number;
  /** Right by thinking, and right by a procedure that fits. */
  readonly thinks: number;
  readonly follows: number;
  /** Users want the same again, or never. */
  readonly recurs: 0 | 1;
}

const rightWith =
  (p: number): Family =>
  (call) =>
    call.chance('right') < p ? solvedIn(call.text).truth : 'nothing';

/** Distils by the rules of the world: every draft is sound. */
const distiller = ({ text }: { readonly text: string }): string => {
  const { kind, a, b } = solvedIn(text);
  return JSON.stringify({
    name: kind.replaceAll(' ', '-'),
    description: `Task: ${kind}.`,
    parameters: [
      { name: 'first', description: 'the first value', type: 'string', original: a },
      { name: 'second', description: 'the second value', type: 'string', original: b },
    ],
    body: 'Take {{first}} and {{second}} by the rule.',
    invariants: [],
    acceptance: 'There is a result.',
  });
};

function familiesOf({ thinks, follows }: Learning): Readonly<Record<string, Family>> {
  return {
    solver: rightWith(thinks),
    'd-extract': () => JSON.stringify({ procedure: ['take the values', 'apply the rule'] }),
    'd-parameterize': distiller,
    'd-validate': () => JSON.stringify({ verdict: 'accept', objections: [] }),
    adaptor: ({ text }) => {
      const { a, b } = solvedIn(text);
      return JSON.stringify({ first: a, second: b });
    },
    skilled: rightWith(follows),
  };
}

const verdictOn = (visit: Visit, answer: unknown): SuccessVerdict =>
  answer === visit.truth ? { verdict: 'passed', because: 'the rule says so' } : { verdict: 'failed', because: 'wrong' };

/** All sessions of a user, one after the other, with or without what earlier ones taught. */
function learning(given: Learning, isLearning: boolean): Arm {
  const world = returning(given.recurs);
  const visits = (user: number): readonly Visit[] =>
    Array.from({ length: given.sessions }, (_none, session) => world.visit(user, session));
  return {
    name: `H4 ${JSON.stringify(given)} ${isLearning}`,
    open: ({ seed }) => {
      const model = simulatedModel({ seed, families: familiesOf(given) });
      const store = memoryStore();
      const fresh: Agent<string, string> = async (run, ask) => done((await run.ask(seat(model, 'solver'), ask)).text);
      const session = isLearning ? learner(model, store, fresh) : thinker(fresh);
      return {
        agent: async (run, user) => {
          let right = 0;
          for (const visit of visits(user)) right += Number(await session(run, user, visit));
          return done(right / given.sessions);
        },
        models: [model],
        score: ({ outcome }) => Number(delivered(outcome)),
      };
    },
  };
}

/** Below it a procedure is about something else: the default of `solveWithSkills`. */
const HIT = 0.4;

type InSession = (run: Run, user: number, visit: Visit) => Promise<boolean>;

const thinker =
  (fresh: Agent<string, string>): InSession =>
  async (run, _user, visit) =>
    delivered(await fresh(run, visit.ask)) === visit.truth;

/** Solves by what was learned, and learns from what was solved by thinking. */
function learner(
  model: SimulatedModel,
  store: ReturnType<typeof memoryStore>,
  fresh: Agent<string, string>,
): InSession {
  const limits = { quarantineAfter: 1_000 };
  return async (run, user, visit) => {
    const shelf = storedSkills(store, { tenant: 'lab', owner: `user-${user}` });
    const skills = accumulateSkills({ shelf, session: { name: 'd', model }, policy: limits });
    let thought = false;
    const solve = solveWithSkills<string>({
      skills,
      adaptor: { name: 'adaptor', model },
      execute: async (inside, { task }) => done((await inside.ask(seat(model, 'skilled'), task)).text),
      bounds: { modelCalls: 2 },
      verify: async (_run, { value }) => verdictOn(visit, value),
      fallback: async (inside, ask) => {
        thought = true;
        return fresh(inside, ask);
      },
    });
    const known = await skills.retrieve(run, visit.ask);
    const answer = delivered(await solve(run, visit.ask));
    const step = { tool: 'apply_rule', args: { a: `n${visit.a}`, b: `m${visit.b}` }, ok: true, result: String(answer) };
    if (thought && known.every(({ confidence }) => confidence < HIT))
      await skills.distil(run, { task: visit.ask, steps: [step], answer: String(answer) }, verdictOn(visit, answer));
    return answer === visit.truth;
  };
}

const learningExpected = ({ sessions, thinks, follows, recurs }: Learning): Expectation =>
  exactly((flip) => {
    let [right, calls, isKnown] = [0, 0, false];
    for (let n = 0; n < sessions; n++) {
      const isFollowed = isKnown && flip(follows);
      calls += isKnown ? 2 : 0; // the values, and the work
      if (isFollowed) {
        right++;
        continue;
      }
      calls++;
      if (!flip(thinks)) continue;
      right++;
      if (isKnown) continue;
      calls += 3; // extract, parameterize, validate
      isKnown = recurs === 1;
    }
    return { value: right / sessions, calls };
  });

const learningClaim = (given: Learning): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'H4',
  world: 'W8',
  family: 'F2',
  parameters: { ...given },
  formula: 'chain over sessions: p by thinking until the first success, then q + (1 - q) · p by the procedure',
  arm: learning(given, true),
  baseline: learning(given, false),
  expected: () => learningExpected(given),
  expectedBaseline: () => ({
    value: { mean: given.thinks, variance: (given.thinks * (1 - given.thinks)) / given.sessions },
  }),
  weight: 6,
});

export const returningUsers: readonly Claim[] = [
  {
    ...learningClaim({ sessions: 5, thinks: 0.5, follows: 0.9, recurs: 1 }),
    id: 'H4-returns',
    side: 'gains',
    says: 'Users who want the same in five sessions, and a procedure that is followed to the right end in 90%.',
  },
  {
    ...learningClaim({ sessions: 5, thinks: 0.5, follows: 0.9, recurs: 0 }),
    id: 'H4-never-again',
    side: 'loses',
    says: 'Users who never want the same again: three calls for each procedure that nobody uses.',
  },
];
