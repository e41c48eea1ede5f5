import type { PlanStep } from './plan.js';

/** `!x` for `x`, and `x` for `!x`. */
export function negated(condition: string): string {
  return condition.startsWith('!') ? condition.slice(1) : `!${condition}`;
}

export function holds(condition: string, facts: ReadonlySet<string>): boolean {
  return condition.startsWith('!') ? !facts.has(condition.slice(1)) : facts.has(condition);
}

/** What holds after these steps, carried out in this order on top of the facts. */
export function stateAfter(facts: readonly string[], steps: readonly Pick<PlanStep, 'effects'>[]): readonly string[] {
  const state = new Set(facts);
  for (const effect of steps.flatMap(({ effects }) => effects)) {
    if (effect.startsWith('!')) state.delete(effect.slice(1));
    else state.add(effect);
  }
  return [...state];
}

/** The preconditions of a step that these facts do not meet. */
export function unmetPreconditions(step: Pick<PlanStep, 'preconditions'>, facts: readonly string[]): readonly string[] {
  const state = new Set(facts);
  return step.preconditions.filter((condition) => !holds(condition, state));
}
