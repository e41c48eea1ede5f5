import { isBlank } from './blank.js';
import { contentId } from './codec.js';
import type { Formula, Interval } from './formula.js';
import type { Session } from './session.js';

/** The id of a pattern in the catalogue, such as `R17`. */
export type PatternId = `${'S' | 'K' | 'R' | 'O' | 'V' | 'I' | 'H' | 'Y'}${number}`;

/** A model in a role of a pattern. */
export interface SeatedSession {
  readonly session: string;
  readonly model: string;
  /** Of its setup; absent where the setup is empty, and in a description that does not say. */
  readonly setup?: string;
  readonly tools: number;
  readonly temperature?: number;
  readonly seed?: number;
  /** Patterns that were put on it, such as constraints (S5) and a shape (S6); absent where there are none. */
  readonly provides?: readonly PatternId[];
}

/** A part that nobody has described: what it does is its own secret. */
export interface OpaquePart {
  readonly opaque: string;
}

/** What fills a role: a session, another pattern, or an agent that says nothing about itself. */
export type Part = SeatedSession | Use | OpaquePart;

/**
 * One use of a pattern: what its function was given, as data. It is attached to what the function returned, so that a
 * composition of plain functions can be read before it runs.
 */
export interface Use {
  readonly id: PatternId;
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parts: Readonly<Record<string, Part | readonly Part[]>>;
  /** Roles that must not be played by one session. */
  readonly apart: readonly (readonly [string, string])[];
  readonly calls: Formula;
  readonly predicted: Interval;
  /** Patterns that are present in it by construction. */
  readonly provides: readonly PatternId[];
}

const USE: unique symbol = Symbol.for('flyball.pattern') as never;

/** What carries a description of itself. */
export type Described<T> = T & { readonly [USE]: Use };

/** What pattern this is, where it says so: an agent, a framing, a guard, a tool. */
export function useOf(value: unknown): Use | undefined {
  const isCarrier = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isCarrier ? (value as { readonly [USE]?: Use })[USE] : undefined;
}

/** The same value with its description. It is not enumerable: a copy by spreading has none, because it is another thing. */
export function described<T extends object>(value: T, use: Use): Described<T> {
  return Object.defineProperty(value, USE, { value: use }) as Described<T>;
}

const CARRIED: unique symbol = Symbol.for('flyball.carried') as never;

/**
 * The same session, which says that these patterns were put on it. Copies by spreading say so too: whoever seats a session
 * adds to it and takes nothing away.
 */
export function carrying<T extends object>(session: T, ids: readonly PatternId[]): T {
  const all = [...new Set([...carriedBy(session), ...ids])];
  return all.length === 0 ? session : { ...session, [CARRIED]: all };
}

/** The patterns that were put on a session. */
export function carriedBy(session: object): readonly PatternId[] {
  return (session as { readonly [CARRIED]?: readonly PatternId[] })[CARRIED] ?? [];
}

const JOINED: unique symbol = Symbol.for('flyball.joined') as never;

/** Something made of several things that describe themselves, such as seams that were joined. */
export function joinedOf<T extends object>(value: T, uses: readonly Use[]): T {
  return uses.length === 0 ? value : Object.defineProperty(value, JOINED, { value: uses });
}

/** Every pattern that a value says it is, or was joined from. */
export function usesOf(value: unknown): readonly Use[] {
  const own = useOf(value);
  const isCarrier = typeof value === 'object' && value !== null;
  const joined = isCarrier ? (value as { readonly [JOINED]?: readonly Use[] })[JOINED] : undefined;
  return [...(own === undefined ? [] : [own]), ...(joined ?? [])];
}

/** A use and everything below it, itself first. */
export function usesIn(use: Use): readonly Use[] {
  const below = Object.values(use.parts)
    .flat()
    .flatMap((part) => ('parts' in part ? usesIn(part) : []));
  return [use, ...below];
}

/** What is in a role: how one use of it is shown, and what it costs. */
export function partOf(value: object): { readonly part: Part; readonly predicted: Interval; readonly own: number } {
  if (isSession(value)) {
    const { output, maxReasks = 2 } = value;
    const part = seated(value);
    return { part, predicted: { min: 1, max: output === undefined ? 1 : 1 + maxReasks }, own: 1 };
  }
  const use = useOf(value);
  if (use !== undefined) return { part: use, predicted: use.predicted, own: 0 };
  const name = 'name' in value && typeof value.name === 'string' && value.name !== '' ? value.name : 'agent';
  // a retriever and a test in code are given no run, so they call no model of one
  const max = 'retrieve' in value || NO_MODEL in value ? 0 : Number.POSITIVE_INFINITY;
  return { part: { opaque: name }, predicted: { min: 0, max }, own: 0 };
}

const NO_MODEL: unique symbol = Symbol.for('flyball.no-model') as never;

/** The same value, known to call no model: for parts that are code and have no pattern of their own. */
export function callingNoModel<T extends object>(value: T): T {
  return Object.defineProperty(value, NO_MODEL, { value: true });
}

const SESSION: unique symbol = Symbol.for('flyball.session') as never;

/**
 * The session itself, for whoever reads its instructions and tools. It is no part of the data: a description that was
 * copied, or written by hand, has none.
 */
export function sessionOf(seat: SeatedSession): Session<unknown> | undefined {
  return (seat as { readonly [SESSION]?: Session<unknown> })[SESSION];
}

/** A session as a description shows it. */
export function seated(session: Session<unknown>): SeatedSession {
  const { name, model, setup, tools = [], sampling } = session;
  const provides = carriedBy(session);
  const seat = {
    session: name,
    model: model.id,
    ...(isBlank(setup) ? {} : { setup: contentId(setup) }),
    tools: tools.length,
    ...(sampling?.temperature === undefined ? {} : { temperature: sampling.temperature }),
    ...(sampling?.seed === undefined ? {} : { seed: sampling.seed }),
    ...(provides.length === 0 ? {} : { provides }),
  };
  return Object.defineProperty(seat, SESSION, { value: session });
}

/**
 * Whether two seats are filled by one session: the same model with the same setup, whatever it is called. Without a setup
 * its name is all that says which role it has.
 */
export function isOneSession(one: SeatedSession, other: SeatedSession): boolean {
  if (one.model !== other.model || one.setup !== other.setup) return false;
  return one.setup !== undefined || one.session === other.session;
}

/** A session is a plain object with a model and a setup; agents and descriptions of agents have neither. */
export function isSession(value: object): value is Session<unknown> {
  return typeof value !== 'function' && 'model' in value && 'setup' in value;
}
