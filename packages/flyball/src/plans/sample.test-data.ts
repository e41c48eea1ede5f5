import type { FeasibilityContext } from './feasibility.js';
import type { Plan, PlanStep } from './plan.js';

/** A step with nothing in it but what a test is about. */
export function step(id: string, fields: Partial<Omit<PlanStep, 'id'>> = {}): PlanStep {
  return {
    id,
    description: `Do ${id}`,
    stepType: 'reasoning',
    requiredTools: [],
    expectedOutcome: '',
    toolValidationMode: 'advisory',
    dependsOn: [],
    preconditions: [],
    effects: [],
    bindings: {},
    priority: 0,
    reversibility: 'pure',
    estimatedTokens: 100,
    estimatedMs: 1_000,
    ...fields,
  };
}

export function partial(steps: readonly PlanStep[], fields: Partial<Plan> = {}): Plan {
  return { goal: 'Get it done', shape: 'partial', steps, ...fields };
}

/** Everything is allowed and there is plenty of all. */
export function context(fields: Partial<FeasibilityContext> = {}): FeasibilityContext {
  return { tools: [], facts: [], tokensLeft: 1_000_000, width: 100, permits: () => true, ...fields };
}

/** A plan without cycles out of random numbers: steps depend on earlier ones only, in a list that is then shuffled. */
export function randomPlan(size: number, draw: (below: number) => number, conditions: readonly string[] = []): Plan {
  const some = (all: readonly string[]) => all.filter(() => draw(2) === 0);
  const sides = () => (draw(2) === 0 ? [] : some(conditions).map((name) => (draw(2) === 0 ? name : `!${name}`)));
  const steps = Array.from({ length: size }, (_, index) =>
    step(`s${index}`, {
      dependsOn: some(Array.from({ length: index }, (_, earlier) => `s${earlier}`)),
      preconditions: sides(),
      effects: sides(),
      priority: draw(3),
      estimatedMs: draw(10),
    }),
  );
  const shuffled: PlanStep[] = [];
  while (steps.length > 0) shuffled.push(...steps.splice(draw(steps.length), 1));
  return partial(shuffled);
}

/** Every order in which the steps can run, found by trying. */
export function allOrders(plan: Plan, before: (a: string, b: string) => boolean): readonly (readonly PlanStep[])[] {
  const walk = (done: readonly PlanStep[], left: readonly PlanStep[]): readonly (readonly PlanStep[])[] =>
    left.length === 0
      ? [done]
      : left
          .filter((next) => !left.some((other) => other !== next && before(other.id, next.id)))
          .flatMap((next) =>
            walk(
              [...done, next],
              left.filter((other) => other !== next),
            ),
          );
  return walk([], plan.steps);
}
