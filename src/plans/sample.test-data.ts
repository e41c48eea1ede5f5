import fc from 'fast-check';
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

/** A random plan without cycles: steps depend on earlier ones only, in a list that is then shuffled. */
export function acyclicPlans(most: number, conditions: readonly string[] = []): fc.Arbitrary<Plan> {
  const some = fc.subarray(conditions.flatMap((name) => [name, `!${name}`]));
  const oneSided = some.map((all) => all.filter((name) => name.startsWith('!') || !all.includes(`!${name}`)));
  return fc
    .integer({ min: 1, max: most })
    .chain((size) =>
      fc.tuple(
        ...Array.from({ length: size }, (_, index) =>
          fc.record({
            dependsOn: fc.subarray(Array.from({ length: index }, (_, earlier) => `s${earlier}`)),
            preconditions: fc.oneof(fc.constant([]), oneSided),
            effects: fc.oneof(fc.constant([]), oneSided),
            priority: fc.integer({ min: 0, max: 2 }),
            estimatedMs: fc.integer({ min: 0, max: 9 }),
          }),
        ),
      ),
    )
    .map((all) => all.map((fields, index) => step(`s${index}`, fields)))
    .chain((steps) => fc.shuffledSubarray(steps, { minLength: steps.length }))
    .map((steps) => partial(steps));
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
