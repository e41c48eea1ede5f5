import { FlyballError } from './errors.js';
import type { TellingKind } from './event-kinds.js';
import type { EventOf, EventType, RunEvent } from './events.js';

/**
 * A fold over events, as a table: one row for each kind. A new kind of event does not compile until every table says
 * what it makes of it, also where that is nothing.
 */
export type ByKind<Rest extends readonly unknown[], Answer> = {
  readonly [Kind in EventType]: (event: EventOf<Kind>, ...rest: Rest) => Answer;
};

/** The answer of the row for this event. */
export function byKind<Rest extends readonly unknown[], Answer>(
  table: ByKind<Rest, Answer>,
  event: RunEvent,
  ...rest: Rest
): Answer {
  // the type of the table ties each row to its kind, which the compiler cannot follow through an index
  const row = table[event.type] as ((event: RunEvent, ...rest: Rest) => Answer) | undefined;
  if (row === undefined) {
    const message = `This journal holds an entry of kind "${event.type}", which this version of flyball does not know. Upgrade flyball.`;
    throw new FlyballError('JOURNAL_NEWER', message);
  }
  return row(event, ...rest);
}

/** Rows of kinds that are answered in the same way. */
export function rowsFor<Kind extends EventType, Rest extends readonly unknown[], Answer>(
  kinds: readonly Kind[],
  row: (event: EventOf<Kind>, ...rest: Rest) => Answer,
): Readonly<Record<Kind, (event: EventOf<Kind>, ...rest: Rest) => Answer>> {
  return Object.fromEntries(kinds.map((kind) => [kind, row])) as Record<Kind, typeof row>;
}

/** Rows of kinds that a fold passes over. */
export function nothingFor<Kind extends EventType>(...kinds: readonly Kind[]): Readonly<Record<Kind, () => undefined>> {
  return rowsFor(kinds, () => undefined) as Record<Kind, () => undefined>;
}

/**
 * The last line of a fold that is a `switch`: names the kinds that it passes over besides those that only tell, so that a
 * new one does not compile.
 */
export function passOver<Kind extends EventType>(_event: EventOf<Kind | TellingKind>): undefined {
  return undefined;
}
