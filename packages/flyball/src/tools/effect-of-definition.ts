import type { EffectKind } from '../core/effect-kind.js';
import type { EffectClass, EffectRules } from '../core/tool.js';
import { type Fail, failure } from './definition-checks.js';
import type { LooseDefinition } from './tool-definition.js';

type AnyClass = Exclude<EffectClass<never, never>, string>;
type Rules = Omit<EffectRules<never, never>, 'timeoutMs'> & { readonly why?: string };

const KINDS: readonly EffectKind[] = ['pure', 'idempotent', 'undoable', 'irreversible'];
const RULES = ['verify', 'compensate', 'simulate'] as const;

/** The effect class of a definition: its own, or made of a plain kind and the rules beside it. */
export function effectOf(name: string, definition: LooseDefinition): EffectClass<never, never> {
  const fail = failure(name);
  const { effect } = definition;
  const kind = kindOf(effect, fail);
  if (typeof effect === 'object') {
    const beside = [...RULES, 'why' as const].find((rule) => definition[rule] !== undefined);
    if (beside !== undefined) fail(`${beside} cannot be set next to a complete effect class. Move it into the class.`);
  }
  const rules: Rules = typeof effect === 'object' ? (effect as Rules) : definition;
  requireFitting(kind, rules, fail);
  requireRetryable(kind, definition, fail);
  if (definition.asks !== undefined && kind !== 'pure')
    fail(`it asks a person and is ${kind}, but a question changes nothing: declare it pure.`);
  if ((definition.delegates !== undefined || definition.transfers !== undefined) && kind !== 'pure')
    fail(`it hands its work to another agent and is ${kind}, but that changes nothing by itself: declare it pure.`);
  return typeof effect === 'object' ? effect : classOf(kind, definition);
}

export function kindOf(effect: LooseDefinition['effect'], fail: Fail): EffectKind {
  const kind = typeof effect === 'object' && effect !== null ? effect.class : effect;
  if (KINDS.includes(kind as EffectKind)) return kind as EffectKind;
  return fail(
    `effect is ${JSON.stringify(kind) ?? 'missing'}. Set the effect class: ${KINDS.join(', ')}. It has no default, because it decides what happens after a crash.`,
  );
}

function requireFitting(kind: EffectKind, rules: Rules, fail: Fail): void {
  for (const rule of RULES) {
    const method: unknown = rules[rule];
    if (method !== undefined && typeof method !== 'function') fail(`${rule} is not a function.`);
    if (method !== undefined && kind === 'pure') fail(`it is pure, so it has nothing to ${rule}. Drop ${rule}.`);
  }
  if (rules.why !== undefined && kind !== 'irreversible') {
    fail(`why is shown to the person who approves an irreversible effect, but this one is ${kind}.`);
  }
  if (kind === 'undoable' && rules.compensate === undefined) {
    fail('it is undoable, but nothing says how. Give compensate, or declare it irreversible.');
  }
  if (kind === 'irreversible' && rules.compensate !== undefined) {
    fail('it is irreversible and has a compensation. Declare it undoable, or drop compensate.');
  }
}

function requireRetryable(kind: EffectKind, { retry }: LooseDefinition, fail: Fail): void {
  if (kind === 'pure' || kind === 'idempotent' || (retry?.retries ?? 0) === 0) return;
  fail(
    `it asks for ${retry?.retries} retries, but an ${kind} effect is never repeated by itself. Drop retry.retries, or declare it idempotent if repeating it under the same key changes nothing more.`,
  );
}

function classOf(kind: EffectKind, definition: LooseDefinition): EffectClass<never, never> {
  const methods = RULES.flatMap((rule) => {
    const method = definition[rule];
    return method === undefined ? [] : [[rule, method.bind(definition)] as const];
  });
  if (methods.length === 0 && (kind === 'pure' || kind === 'idempotent')) return kind;
  const why = definition.why === undefined ? {} : { why: definition.why };
  return { class: kind, ...why, ...Object.fromEntries(methods) } as unknown as AnyClass;
}
