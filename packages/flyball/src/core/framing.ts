import { ConfigError } from './errors.js';
import type { Session } from './session.js';

/**
 * A change to the sessions that are asked through a run: their setup, closing, sampling or model. A wrapper dresses the run it
 * hands on (`run.dressed`), and so reaches what is inside it without owning its sessions.
 */
export interface Framing {
  /** Journaled with every ask that it changes. Another text or setting is another id. */
  readonly id: string;
  /**
   * The session to ask instead. A pure function, applied once to each session: a replay makes the same one again.
   * Name, tools and output stay what they are, because whoever asks goes by them.
   */
  session<T>(session: Session<T>): Session<T>;
}

/** Ids are listed in journals and in paths of people's reports: one word, or several without spaces. */
const ID = /^[^\s\p{C}]{1,200}$/u;

export function checkFraming({ id, session }: Framing): void {
  if (typeof id !== 'string' || !ID.test(id))
    throw new ConfigError('A framing needs an id of 1 to 200 characters without spaces.');
  if (typeof session !== 'function') throw new ConfigError(`Framing "${id}" needs a function session(session).`);
}

/** The session as it is asked under these framings, outermost first: what is outermost has the last word. */
export function framed<T>(framings: readonly Framing[], session: Session<T>): Session<T> {
  return framings.reduceRight((inner: Session<T>, framing) => framedBy(framing, inner), session);
}

/** Each session is framed once, so that its setup is hashed once too. */
const made = new WeakMap<Framing, WeakMap<object, Session<never>>>();

function framedBy<T>(framing: Framing, session: Session<T>): Session<T> {
  const known = made.get(framing) ?? new WeakMap<object, Session<never>>();
  made.set(framing, known);
  const before = known.get(session) as Session<T> | undefined;
  if (before !== undefined) return before;
  const after = framing.session(session);
  checkKept(framing, session, after);
  known.set(session, after as Session<never>);
  return after;
}

const KEPT = ['name', 'tools', 'output', 'outputJsonSchema', 'reads'] as const;

function checkKept<T>({ id }: Framing, before: Session<T>, after: Session<T>): void {
  if (typeof after !== 'object' || after === null || typeof after.setup !== 'string')
    throw new ConfigError(`Framing "${id}" must return a session, such as { ...session, setup }.`);
  const other = KEPT.find((field) => before[field] !== after[field]);
  if (other === undefined) return;
  throw new ConfigError(
    `Framing "${id}" changes "${other}" of the session "${before.name}". A framing can change setup, closing, sampling, model, tool choice and limits; change the rest where the session is made.`,
  );
}
