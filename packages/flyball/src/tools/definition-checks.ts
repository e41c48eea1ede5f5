import { checkedRules } from '../core/approval.js';
import { ConfigError, failureOf } from '../core/errors.js';
import type { InvocationPolicy } from '../core/tool.js';
import { TRIFECTA_LEGS } from './governance/trifecta.js';
import type { LooseDefinition } from './tool-definition.js';

/** What OpenAI, Anthropic, Google and Ollama all accept as the name of a function. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The name, once everything beside effect and input has been found sound. */
export function requireSoundParts(definition: LooseDefinition): string {
  const { name, description, execute, surface } = definition;
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    throw new ConfigError(
      `${JSON.stringify(name) ?? 'Nothing'} is not a valid tool name. Providers accept 1 to 64 letters, digits, "_" and "-". Rename it.`,
    );
  }
  const fail = failure(name);
  if (typeof description !== 'string' || description.trim() === '') {
    fail('the description is empty. Say what it does, when to use it and when not to.');
  }
  if (typeof execute !== 'function') fail('execute is not a function. Set execute: async (args, how) => result.');
  requireWords(definition, fail);
  requirePositive(definition.timeoutMs, 'timeoutMs', fail);
  if (surface !== undefined && !(Number.isInteger(surface) && surface >= 1)) {
    fail(`surface is ${String(surface)}, but counts the tools behind this one: a whole number of at least 1.`);
  }
  requirePolicy(definition.retry ?? {}, fail);
  requireApproval(definition.approval, fail);
  for (const method of ['reserve', 'touches', 'asks', 'delegates', 'transfers', 'review', 'present'] as const) {
    const value: unknown = definition[method];
    if (value !== undefined && typeof value !== 'function') fail(`${method} is not a function.`);
  }
  return name;
}

export type Fail = (why: string) => never;

export function failure(name: string): Fail {
  return (why) => {
    throw new ConfigError(`Tool "${name}": ${why}`);
  };
}

function requireWords({ legs, scopes, tags }: LooseDefinition, fail: Fail): void {
  for (const [what, words] of Object.entries({ legs, scopes, tags })) {
    if (words === undefined) continue;
    const sound = Array.isArray(words) && words.every((word) => typeof word === 'string' && word.trim() !== '');
    if (!sound) fail(`${what} must be a list of words, got ${JSON.stringify(words)}.`);
  }
  const stray = legs?.find((leg) => !TRIFECTA_LEGS.includes(leg));
  if (stray !== undefined) fail(`there is no leg "${stray}". The legs are ${TRIFECTA_LEGS.join(', ')}.`);
}

function requirePositive(value: unknown, what: string, fail: Fail): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value > 0)) return;
  fail(`${what} is ${String(value)}, but must be a finite number above 0.`);
}

/** Rules that nobody can meet would hold every call for ever; a misspelt one would ask for less. */
function requireApproval(approval: LooseDefinition['approval'], fail: Fail): void {
  if (approval === undefined) return;
  try {
    checkedRules(approval);
  } catch (error) {
    fail(`its approval is not valid. ${failureOf(error).message}`);
  }
}

function requirePolicy(retry: Partial<InvocationPolicy>, fail: Fail): void {
  const { retries, breaker } = retry;
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0)) {
    fail(`retry.retries is ${String(retries)}, but must be a whole number of at least 0.`);
  }
  for (const what of ['baseDelayMs', 'maxDelayMs', 'jitterMs'] as const) {
    const value = retry[what];
    if (value === undefined || (Number.isFinite(value) && value >= 0)) continue;
    fail(`retry.${what} is ${String(value)}, but must be a finite number of at least 0.`);
  }
  if (breaker === undefined) return;
  if (!(Number.isInteger(breaker.failures) && breaker.failures >= 1)) {
    fail(`retry.breaker.failures is ${String(breaker.failures)}, but must be a whole number of at least 1.`);
  }
  requirePositive(breaker.openMs, 'retry.breaker.openMs', fail);
}
