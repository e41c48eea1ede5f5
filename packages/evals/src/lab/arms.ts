import { type Agent, done, type Model, type Outcome, type Session } from 'flyball';
import { checked, zeroShot } from 'flyball/patterns';
import { families, type Questions, simulatedModel } from 'flyball/testing/simulated';
import type { Arm, ArmSetting, Ended, ReadyArm } from './claim.js';
import { always, chanceOf, type Expectation } from './exactly.js';
import type { Family, SimulatedModel } from './simulated.js';

/** A session of a simulated model. Samples have to differ. */
export const seat = (model: Model, name: string, more: Partial<Session> = {}): Session => ({
  name,
  model,
  setup: '',
  sampling: { temperature: 0.8 },
  ...more,
});

/** What an agent delivers: its value, or the best it has. */
export function delivered(outcome: Outcome<unknown>): unknown {
  if ('value' in outcome) return outcome.value;
  return 'partial' in outcome ? outcome.partial : undefined;
}

export interface Solving {
  readonly questions: Questions;
  readonly families: Readonly<Record<string, Family>> | ((setting: ArmSetting) => Readonly<Record<string, Family>>);
  readonly agent: (
    model: SimulatedModel,
    setting: ArmSetting,
  ) => Agent<string, unknown> | Promise<Agent<string, unknown>>;
  /** Right where the answer is the truth, if it does not say otherwise. */
  readonly isRight?: (item: number, answer: unknown, ended: Ended) => boolean | number;
  readonly more?: (setting: ArmSetting) => Omit<Partial<ReadyArm>, 'agent' | 'models' | 'score'>;
}

/** An arm that answers the questions of a world. */
export function solving(name: string, { questions, families: given, agent, isRight, more }: Solving): Arm {
  return {
    name,
    open: async (setting) => {
      const model = simulatedModel({
        seed: setting.seed,
        families: typeof given === 'function' ? given(setting) : given,
        clock: setting.clock,
      });
      const inner = await agent(model, setting);
      const score = isRight ?? ((item: number, answer: unknown) => answer === questions.truth(item));
      return {
        agent: (run, item) => inner(run, questions.ask(item)),
        models: [model],
        score: (ended) => Number(score(ended.item, delivered(ended.outcome), ended)),
        ...more?.(setting),
      };
    },
  };
}

/** The cheapest baseline: one call. */
export function askedOnce(questions: Questions, p: number, more: { readonly wrong?: number } = {}): Arm {
  return solving(`S1 p=${p} of ${questions.ask(0).slice(12, 24)}`, {
    questions,
    families: { answerer: families.oracle({ questions, p, ...more }) },
    agent: (model) => zeroShot(seat(model, 'answerer')) as Agent<string, string>,
  });
}

export const onceExpected =
  (p: number): (() => Expectation) =>
  () => ({ value: chanceOf(p), calls: always(1) });

/** Tries again without a word about what was wrong. */
export function resampled(
  questions: Questions,
  p: number,
  tries: number,
  isGood: (item: number, answer: string) => boolean,
): Arm {
  return solving(`resampled p=${p} tries=${tries}`, {
    questions,
    families: { answerer: families.oracle({ questions, p, wrong: 1_000_000 }) },
    agent: (model) =>
      checked(
        zeroShot(seat(model, 'answerer')) as Agent<string, string>,
        {
          test: (_run, value, input) =>
            isGood(itemOf(input), value) ? { ok: true } : { ok: false, because: 'It is wrong.' },
        },
        { maxRetries: tries - 1 },
      ),
  });
}

export const itemOf = (text: string): number => Number(/Task #(\d+)/.exec(text)?.[1] ?? -1);

/** The agent answers at once. */
export const saying =
  <O>(value: O): Agent<unknown, O> =>
  async () =>
    done(value);
