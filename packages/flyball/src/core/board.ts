import { ConfigError, FlyballError } from './errors.js';
import type { StandardSchema } from './schema.js';

/** An entry of a board, with who put it there. */
export interface Posted<E> {
  readonly entry: E;
  /** Path of the scope that posted it. */
  readonly author: string;
  /** Its place on the board, counted from 0. */
  readonly position: number;
}

/**
 * State that a run shares with its branches and children. Every post is an entry of the journal, so that a board holds
 * the same after a crash, a suspension or in a fork, also what was posted by children that are not run again.
 * A new generation (`continueWith`) begins with empty boards: hand on what it needs in its state.
 */
export interface Board<E> {
  /** Puts an entry on the board; answers its position. Entries stay: a board is only added to. */
  post(entry: E): Promise<number>;
  /** What is on the board now, oldest first. The same at the same place of the code, live and on replay. */
  read(): readonly Posted<E>[];
}

const NAME = /^[\w.-]{1,100}$/;

export function checkBoardName(name: unknown): void {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw new ConfigError(
    `The name of a board can contain letters, digits, "_", "-" and ".", at most 100 of them: got ${JSON.stringify(name)}.`,
  );
}

/** What the schema makes of an entry. It has to say so at once: a post has its place in the order of the code. */
export function checkedEntry<E>(board: string, schema: StandardSchema<unknown, E> | undefined, entry: E): E {
  if (schema === undefined) return entry;
  const result = schema['~standard'].validate(entry);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw new ConfigError(`The schema of the board "${board}" validates asynchronously. Use one that does not.`);
  }
  if (result.issues === undefined) return result.value;
  const problem = result.issues.map(({ message }) => message).join('; ');
  throw new FlyballError('INPUT_INVALID', `The entry does not fit the board "${board}": ${problem}.`);
}
