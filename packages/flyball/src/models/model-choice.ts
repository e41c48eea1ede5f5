import { roleKey } from './model-name.js';
import type { Environment } from './provider-settings.js';
import { DEFAULT_ROLE } from './router.js';

/** Which models answer in which role, and which stand in for them. */
export interface ModelChoice {
  readonly roles: Readonly<Record<string, string>>;
  readonly fallback: Readonly<Record<string, readonly string[]>>;
}

const VARIABLE = 'FLYBALL_MODEL';

/**
 * The choice of the settings with that of the environment laid over it. `FLYBALL_MODEL` is for every role,
 * `FLYBALL_MODEL_JUDGE` for the judge; after a comma follow the models that may answer instead.
 */
export function modelChoice(env: Environment, settings: Partial<ModelChoice> = {}): ModelChoice {
  const roles = byRole(settings.roles);
  const fallback = { ...settings.fallback };
  for (const [variable, value] of Object.entries(env)) {
    const role = roleOf(variable);
    const [model, ...others] = (value ?? '').split(',').flatMap((name) => name.trim() || []);
    if (role === undefined || model === undefined) continue;
    roles[role] = model;
    if (others.length > 0) fallback[role] = others;
  }
  return { roles, fallback };
}

function roleOf(variable: string): string | undefined {
  if (variable === VARIABLE) return DEFAULT_ROLE;
  if (!variable.startsWith(`${VARIABLE}_`) || variable.length === VARIABLE.length + 1) return undefined;
  return roleKey(variable.slice(VARIABLE.length + 1));
}

function byRole(roles: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(roles).map(([role, model]) => [roleKey(role), model]));
}
