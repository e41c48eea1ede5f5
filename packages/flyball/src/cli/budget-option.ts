import { type Budget, budget } from '../core/budget.js';
import { ConfigError } from '../core/errors.js';

type Limits = Partial<Record<keyof Budget, number>>;

/** Collects `--budget costUsd=0.5 --budget modelCalls=10`, also written `costUsd=0.5,modelCalls=10`. */
export function collectBudget(given: string, before: Limits = {}): Limits {
  const limits: Limits = { ...before };
  for (const part of given.split(',')) {
    const [axis = '', value] = part.split('=', 2);
    if (value === undefined || value.trim() === '') {
      throw new ConfigError(`--budget takes axis=value, as in costUsd=0.5; got "${part}". Axes: ${axes()}.`);
    }
    if (!isAxis(axis)) throw new ConfigError(`--budget has no axis "${axis}". Axes: ${axes()}.`);
    limits[axis] = amount(axis, value);
  }
  budget(limits as Partial<Budget>); // refuses negative and infinite limits in the runtime's own words
  return limits;
}

function amount(axis: string, value: string): number {
  const parsed = axis === 'deadline' && Number.isNaN(Number(value)) ? Date.parse(value) : Number(value);
  if (!Number.isNaN(parsed)) return parsed;
  const wanted = axis === 'deadline' ? 'a time such as 2030-01-31T12:00:00Z' : 'a number';
  throw new ConfigError(`--budget ${axis} must be ${wanted}, got "${value}".`);
}

function isAxis(axis: string): axis is keyof Budget {
  return axis === 'deadline' || Object.hasOwn(budget(), axis);
}

function axes(): string {
  return [...Object.keys(budget()), 'deadline'].join(', ');
}
