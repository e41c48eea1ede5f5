import { type Board, checkBoardName, checkedEntry, type Posted } from '../../core/board.js';
import { fingerprint, roundTrip } from '../../core/codec.js';
import { failureOf } from '../../core/errors.js';
import type { EndEvent, EventOf } from '../../core/events.js';
import { through } from '../../core/join-seams.js';
import type { StandardSchema } from '../../core/schema.js';
import type { Attempt } from '../attempt.js';
import { ownerOf } from '../boards.js';
import type { Pending, Scope } from '../open-effects.js';
import { effectError, failureIn } from './act.js';
import { ask, assertOutsideEffects } from './effect.js';

/** A board as one scope sees it. */
export function boardOf<E>(
  attempt: Attempt,
  scope: Scope,
  name: string,
  schema: StandardSchema<unknown, E> | undefined,
): Board<E> {
  checkBoardName(name);
  const owner = ownerOf(scope, name);
  return {
    post: (entry) => {
      const promise = (async () => post(attempt, scope, { owner, name, entry: checkedEntry(name, schema, entry) }))();
      promise.catch(() => undefined); // like every effect: one that nobody awaits must not take the process down
      return promise;
    },
    read: () => {
      assertOutsideEffects(attempt);
      return attempt.delivery.boards.read(owner, name, scope.world) as readonly Posted<E>[];
    },
  };
}

interface Post {
  readonly owner: string;
  readonly name: string;
  readonly entry: unknown;
}

function post(attempt: Attempt, scope: Scope, given: Post): Promise<number> {
  const entry = roundTrip(given.entry);
  return ask<number>(attempt, scope, {
    kind: 'post',
    fp: fingerprint('post', given.name, entry),
    name: given.name,
    want: {},
    drive: (pending) => drive(attempt, pending, { ...given, entry }),
    answer: (end: EndEvent) => {
      const failure = failureIn(end);
      return failure === undefined ? attempt.delivery.boards.positionOf(end.id) : effectError(failure);
    },
  });
}

/** What others will read passes the same seam as what is written to a store. */
async function drive(attempt: Attempt, pending: Pending, { owner, name, entry }: Post): Promise<void> {
  const { id, fp } = pending;
  const { seams } = attempt.host;
  const { world } = pending.scope;
  const event = { type: 'post', id, fp, owner, board: name, ...(world === undefined ? {} : { world }) } as const;
  if (seams['state.write'] === undefined) return attempt.delivery.record({ ...event, entry });
  try {
    const guard = through(seams, 'state.write', async ({ value }) => value);
    const value = await guard({ collection: `board:${name}`, key: id, value: entry }, attempt.guards.context(id));
    if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
    attempt.delivery.record({ ...event, entry: value } satisfies EventOf<'post'>);
  } catch (error) {
    if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
    attempt.delivery.record({ type: 'abort', id, fp, name: `board:${name}`, failure: failureOf(error) });
  }
}
