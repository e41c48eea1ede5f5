import { type PatternId, usesIn } from '../core/use.js';
import { patterns } from './catalogue.js';
import { knownSystem, systemOf } from './derived.js';
import { type Composition, hostOf, type Placed, placedIn, type System, seatedSessions, sessionsBy } from './subject.js';
import type { FactName, MeasureName, PatternSpec, Profile, Relation } from './types.js';

/** A composition as the rules see it. */
export interface Context {
  readonly subject: Composition;
  /** What was read off the agents, and what was stated. */
  readonly system: System;
  readonly placed: readonly Placed[];
  readonly host: ReadonlySet<string>;
  readonly profile: ReadonlySet<Profile>;
  /** Every pattern that is there, from the host included. */
  readonly present: ReadonlySet<string>;
  /** Undefined where nobody knows. */
  readonly fact: (name: FactName, agent?: string) => boolean | undefined;
  /** What can be counted before anything runs; undefined for what only journals tell. */
  readonly measure: (name: MeasureName) => number | undefined;
}

/** The most tools of which a model still chooses well. */
export const FEW_TOOLS = 15;
export const loops: readonly PatternSpec[] = patterns.filter(({ isLoop }) => isLoop === true);

export function contextOf(subject: Composition): Context {
  const placed = placedIn(subject.agents);
  const host = new Set<string>(subject.host ?? hostOf(subject.seams));
  const stated = subject.system ?? {};
  const read = Object.fromEntries(Object.entries(subject.agents).map(([name, agent]) => [name, systemOf(name, agent)]));
  const system = knownSystem(Object.values(read), subject.seams, stated);
  const facts = factsOf(placed, system, stated);
  // what one agent reads or does binds no other
  const own = Object.fromEntries(
    Object.entries(read).map(([name, each]) => {
      const at = placed.filter(({ agent }) => agent === name);
      return [name, factsOf(at, knownSystem([each], subject.seams, stated), stated)];
    }),
  );
  const measures = counted(placed);
  return {
    subject,
    system,
    placed,
    host,
    profile: new Set(subject.profile ?? []),
    present: presentIn(placed, host),
    fact: (name, agent) =>
      subject.decisions?.facts?.[name] ?? (agent === undefined ? facts : (own[agent] ?? facts))[name],
    measure: (name) => measures[name],
  };
}

function counted(placed: readonly Placed[]): Readonly<Partial<Record<MeasureName, number>>> {
  const crews = placed
    .filter(({ use }) => use.id === 'O6')
    .map(({ use }) => [use.parts['workers'] ?? []].flat().length);
  return {
    workers: Math.max(0, ...crews),
    tools: mostTools(placed.map(({ use }) => use)),
    'shared-tools': sharedTools(placed),
  };
}

const MANY_USERS = 3;

/** Tools that so many sessions have. */
function sharedTools(placed: readonly Placed[]): number {
  const sessions = new Set(placed.flatMap(({ use }) => seatedSessions(use)));
  const users = new Map<string, number>();
  for (const { tools = [] } of sessions) for (const { name } of tools) users.set(name, (users.get(name) ?? 0) + 1);
  return [...users.values()].filter((count) => count >= MANY_USERS).length;
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
function factsOf(
  placed: readonly Placed[],
  { tools, delegates, segments }: System,
  { agents, crossings }: System,
): Readonly<Partial<Record<FactName, boolean>>> {
  const legs = new Set(tools?.flatMap((tool) => tool.legs ?? []));
  const ofTools = (is: (tool: NonNullable<typeof tools>[number]) => boolean) => tools?.some(is);
  const has = (id: string) => placed.some(({ use }) => use.id === id);
  return defined({
    'irreversible-action': ofTools((tool) => isUnasked(tool)),
    'privileged-tool': ofTools((tool) => tool.privileged === true || isUnasked(tool)),
    'outside-result': ofTools(({ legs: own = [] }) => own.includes('untrusted')),
    'third-party-content': ofTools(({ legs: own = [] }) => own.includes('untrusted')),
    'code-execution': ofTools(({ runs, privileged }) => runs === 'code' || privileged === true),
    'mutating-command': ofTools(
      ({ runs, effect = 'pure', asks }) => runs !== undefined && effect !== 'pure' && asks !== true,
    ),
    'outside-input': crossings === undefined ? undefined : crossings.input !== undefined,
    trifecta: tools === undefined ? undefined : legs.size === 3,
    'unknown-executor': delegates?.some(({ card }) => card !== 'verified'),
    'executor-elsewhere': delegates === undefined ? undefined : delegates.length > 0,
    'shared-prefix': has('R17') ? true : undefined,
    'retries-trajectory': has('R7') && has('R4') ? true : undefined,
    'examples-per-call': segments?.some(({ name, varies }) => name === 'examples' && varies === 'call'),
    'several-roles': agents === undefined ? undefined : Object.keys(agents).length > 1,
    'judge-reads-quarantine': has('V4') && has('V15') ? true : undefined,
    'structured-inner': structuredIn(placed),
  });
}

/** What cannot be undone, and nobody is asked about. */
const isUnasked = ({ effect, asks }: { readonly effect?: string; readonly asks?: boolean }): boolean =>
  effect === 'irreversible' && asks !== true;

/** Whether what H3 wraps answers in a form: a shape, or a session with a schema. Undefined where no session is known. */
function structuredIn(placed: readonly Placed[]): boolean | undefined {
  const inner = placed.filter(({ use }) => use.id === 'H3').flatMap(({ use }) => usesIn(use).slice(1));
  if (inner.some(({ id, provides }) => id === 'S6' || provides.includes('S6'))) return true;
  const sessions = inner.flatMap(seatedSessions);
  return sessions.length === 0 ? undefined : sessions.some(({ output }) => output !== undefined);
}

function defined<T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
