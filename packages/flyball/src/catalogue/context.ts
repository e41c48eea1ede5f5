import type { PatternId } from '../core/use.js';
import { patterns } from './catalogue.js';
import { type Composition, type Placed, placedIn, RUNTIME_PATTERNS, type System, sessionsBy } from './subject.js';
import type { FactName, MeasureName, PatternSpec, Profile, Relation } from './types.js';

/** A composition as the rules see it. */
export interface Context {
  readonly subject: Composition;
  readonly system: System;
  readonly placed: readonly Placed[];
  readonly host: ReadonlySet<string>;
  readonly profile: ReadonlySet<Profile>;
  /** Every pattern that is there, from the host included. */
  readonly present: ReadonlySet<string>;
  /** Undefined where nobody knows. */
  readonly fact: (name: FactName) => boolean | undefined;
  /** What can be counted before anything runs; undefined for what only journals tell. */
  readonly measure: (name: MeasureName) => number | undefined;
}

/** The most tools of which a model still chooses well. */
export const FEW_TOOLS = 15;
export const loops: readonly PatternSpec[] = patterns.filter(({ isLoop }) => isLoop === true);

export function contextOf(subject: Composition): Context {
  const placed = placedIn(subject.agents);
  const host = new Set<string>(subject.host ?? RUNTIME_PATTERNS);
  const system = subject.system ?? {};
  const facts = factsOf(placed, system);
  return {
    subject,
    system,
    placed,
    host,
    profile: new Set(subject.profile ?? []),
    present: presentIn(placed, host),
    fact: (name) => subject.decisions?.facts?.[name] ?? facts[name],
    measure: (name) => counted(placed)[name],
  };
}

function counted(placed: readonly Placed[]): Readonly<Partial<Record<MeasureName, number>>> {
  const crews = placed
    .filter(({ use }) => use.id === 'O6')
    .map(({ use }) => [use.parts['workers'] ?? []].flat().length);
  return { workers: Math.max(0, ...crews), tools: mostTools(placed.map(({ use }) => use)) };
}

/** Patterns of some uses, and what they have by construction. */
export function presentIn(placed: readonly Placed[], host: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...host, ...placed.flatMap(({ use }) => [use.id, ...use.provides, ...impliedBy(use)])]);
}

/** What a use brings without saying so: a seat with tools calls tools. */
function impliedBy(use: Placed['use']): readonly PatternId[] {
  return [
    ...(mostTools([use]) > 0 ? (['I2'] as const) : []),
    ...(typeof use.params['baseline'] === 'string' ? (['V16'] as const) : []),
  ];
}

/** The longest list of tools that a session of some uses is shown. */
export function mostTools(uses: readonly Placed['use'][]): number {
  return Math.max(0, ...uses.flatMap((use) => sessionsBy(use).map(({ session }) => session.tools)));
}

/**
 * What the runtime itself does about a requirement: it holds the arguments of every tool to their schema, and a short list
 * of tools needs no budget.
 */
export function isKept({ from, to }: Relation, own: readonly Placed[]): boolean {
  if (from !== 'I2' || own.some(({ use }) => use.id === 'I2')) return false;
  return (
    to.includes('S6') || to.includes('V20') || (to.includes('V13') && mostTools(own.map(({ use }) => use)) <= FEW_TOOLS)
  );
}

/** What tools, sessions and the system decide. What they say nothing about stays unknown. */
function factsOf(placed: readonly Placed[], system: System): Readonly<Partial<Record<FactName, boolean>>> {
  const { tools, delegates, segments, crossings } = system;
  const legs = new Set(tools?.flatMap((tool) => tool.legs ?? []));
  const ofTools = (is: (tool: NonNullable<typeof tools>[number]) => boolean) => tools?.some(is);
  const has = (id: string) => placed.some(({ use }) => use.id === id);
  const sessions = placed.flatMap(({ use }) => sessionsBy(use));
  return defined({
    'irreversible-action': ofTools(({ effect }) => effect === 'irreversible'),
    'privileged-tool': ofTools(({ effect, privileged }) => privileged === true || effect === 'irreversible'),
    'outside-result': ofTools(({ legs: own = [] }) => own.includes('untrusted')),
    'third-party-content': ofTools(({ legs: own = [] }) => own.includes('untrusted')),
    'code-execution': ofTools(({ runs, privileged }) => runs === 'code' || privileged === true),
    'mutating-command': ofTools(({ runs, effect = 'pure' }) => runs !== undefined && effect !== 'pure'),
    'outside-input': crossings === undefined ? undefined : crossings.input !== undefined,
    trifecta: tools === undefined ? undefined : legs.size === 3,
    'unknown-executor': delegates?.some(({ card }) => card !== 'verified'),
    'executor-elsewhere': delegates === undefined ? undefined : delegates.length > 0,
    'shared-prefix': has('R17') ? true : undefined,
    'retries-trajectory': has('R7') && has('R4') ? true : undefined,
    'examples-per-call': segments?.some(({ name, varies }) => name === 'examples' && varies === 'call'),
    'several-roles': system.agents === undefined ? undefined : Object.keys(system.agents).length > 1,
    'judge-reads-quarantine': has('V4') && has('V15') ? true : undefined,
    'structured-inner': sessions.length === 0 ? undefined : has('S6') || has('V20'),
  });
}

function defined<T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
