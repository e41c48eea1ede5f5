import type { EffectKind } from '../core/effect-kind.js';
import { ConfigError } from '../core/errors.js';
import type { ActionGuard, ToolSeams } from '../core/seams.js';
import type { EffectClass, ToolRef } from '../core/tool.js';

/** What kind of thing an action is, where its effect kind alone is too coarse: `edit-docs`, say. */
export interface ActionClass {
  readonly name: string;
  readonly effect: EffectKind;
  matches(tool: ToolRef, args: unknown): boolean;
}

/** How well the agent did on a held-out suite with these classes of action: what the trust in it rests on. */
export interface Baseline {
  /** Name and version of the suite. */
  readonly suite: string;
  readonly score: number;
  /** What was asked of it. */
  readonly minimum: number;
  /** Names of the classes that it was measured with. */
  readonly classes: readonly string[];
}

/** What an agent may do under supervision, and the baseline it needs. */
export interface ScopeOptions {
  readonly allow: readonly (EffectKind | ActionClass)[];
  /** Without one nothing starts. */
  readonly baseline: Baseline;
}

const KINDS: readonly EffectKind[] = ['pure', 'idempotent', 'undoable', 'irreversible'];

/**
 * Guards for a run that acts while somebody only watches: a class of action that is not in the scope is denied, however
 * many tools are loaded. What cannot be undone is never in it: that takes an approval beforehand. Fixed when it is made.
 */
export function supervisedScope(options: ScopeOptions): ToolSeams {
  return seamsFor(classesIn(options));
}

/** Classes of action in a scope, once its baseline bears them out. */
export function classesIn({ allow, baseline }: ScopeOptions): readonly ActionClass[] {
  const classes = allow.map((given) => Object.freeze(typeof given === 'string' ? kindClass(given) : { ...given }));
  const irreversible = classes.find(({ effect }) => effect === 'irreversible');
  if (irreversible !== undefined)
    throw new ConfigError(
      `"${irreversible.name}" cannot be undone, so supervision would be too late. Remove it from the scope and require approval for it.`,
    );
  requireBaseline(classes, baseline);
  return classes;
}

function kindClass(kind: EffectKind): ActionClass {
  if (!KINDS.includes(kind))
    throw new ConfigError(`There is no effect kind "${kind}". Available kinds: ${KINDS.join(', ')}.`);
  return { name: kind, effect: kind, matches: (tool) => kindOf(tool.effect) === kind };
}

function requireBaseline(classes: readonly ActionClass[], baseline: Baseline | undefined): void {
  if (baseline === undefined)
    throw new ConfigError('A supervised scope needs a baseline: measure the agent on a held-out suite first.');
  const { suite, score, minimum, classes: measured } = baseline;
  if (!Number.isFinite(score) || !Number.isFinite(minimum) || score < minimum)
    throw new ConfigError(`The baseline ${suite} is ${score}, below the required ${minimum}. Nothing was started.`);
  const stray = classes.find(({ name }) => !measured.includes(name));
  if (stray !== undefined)
    throw new ConfigError(
      `The baseline ${suite} was measured without "${stray.name}". Measure it again before you extend the scope.`,
    );
}

/** What the classes let pass, at tool calls and at steps. */
export function seamsFor(classes: readonly ActionClass[]): ToolSeams {
  const guard: ActionGuard = (next) => async (value, ctx) => {
    const { tool } = value;
    const verdict = await next(value, ctx); // what runs is what middleware further in made of it
    if (!verdict.allow) return verdict;
    const kind = kindOf(tool.effect);
    const isInScope = kind !== 'irreversible' && classes.some((one) => one.matches(tool, verdict.args));
    if (isInScope) return verdict;
    const scope = classes.map(({ name }) => name).join(', ') || 'nothing';
    const why = `${tool.name} is ${kind} and outside the supervised scope (${scope}). Continue without it.`;
    ctx.decide({ guard: 'supervised-scope', verdict: 'denied', why });
    return { allow: false, why };
  };
  return Object.freeze({ 'tool.pre': Object.freeze([guard]), 'step.pre': Object.freeze([guard]) });
}

function kindOf(effect: EffectClass<never>): EffectKind {
  return typeof effect === 'string' ? effect : effect.class;
}
