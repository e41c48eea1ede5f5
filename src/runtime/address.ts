import { FlyballError } from '../core/errors.js';
import type { Entry, EventOf } from '../core/events.js';
import type { RuntimeParts } from './options.js';

interface Sent {
  readonly payload: unknown;
  readonly from: string;
  readonly scopes?: readonly string[];
}

type WaitStart = EventOf<'wait-start'>;

/**
 * Under what name a signal goes into the inbox. The sender learns at once when it may not answer, when the payload does
 * not fit, and when the question is decided already: nothing is delivered then.
 */
export async function addressOf(
  where: {
    readonly checkJson: RuntimeParts['checkJson'] | undefined;
    readonly now: number;
    readonly entries: readonly Entry[];
    readonly runId: string;
  },
  name: string,
  sent: Sent,
): Promise<string> {
  const { entries, runId, checkJson } = where;
  const ends = new Map(entries.flatMap((entry) => (isWaitEnd(entry) ? [[entry.event.id, entry] as const] : [])));
  const named = entries.flatMap(({ event }) => (event.type === 'wait-start' && isNamed(event, name) ? [event] : []));
  let refused: { readonly name: string; readonly problem: string } | undefined;
  const open = named.filter(({ id }) => !ends.has(id));
  for (const wait of open) {
    refuseStranger(wait, runId, sent);
    if (isTooLate(wait, where.now)) throw tooLate(runId, wait);
    const problem = wait.schema === undefined ? undefined : await checkJson?.(wait.schema, sent.payload);
    if (problem === undefined) return wait.needs === undefined ? name : wait.token; // there is a wait that it fits
    refused = { name: wait.name, problem };
  }
  if (refused !== undefined)
    throw new FlyballError(
      'SIGNAL_INVALID',
      `The payload does not fit what ${runId} waits for under "${refused.name}": ${refused.problem}. Nothing was delivered; correct it and send it again.`,
    );
  const last = named.at(-1);
  if (last !== undefined && last.kind !== 'signal') throw decidedAlready(runId, last, ends.get(last.id));
  return name;
}

function isNamed({ name, token }: WaitStart, given: string): boolean {
  return name === given || token === given;
}

function isWaitEnd(entry: Entry): entry is Entry<EventOf<'wait-end'>> {
  return entry.event.type === 'wait-end';
}

function refuseStranger({ name, needs }: WaitStart, runId: string, { from, scopes = [] }: Sent): void {
  if (needs === undefined) return;
  const may = needs.scopes.length === 0 || scopes.includes('*') || needs.scopes.some((scope) => scopes.includes(scope));
  if (!may)
    throw new FlyballError(
      'DENIED',
      `${from} may not answer "${name}" of ${runId}: it takes one of the scopes ${needs.scopes.join(', ')}. The question stays open.`,
      { detail: { needs: needs.scopes, has: scopes } },
    );
  if (needs.notBy.includes(from))
    throw new FlyballError(
      'DENIED',
      `${from} has agreed to this already, and "${name}" of ${runId} needs another person. The question stays open.`,
      { detail: { notBy: needs.notBy } },
    );
}

/** Where nobody works on the run its time may be over without an entry that says so. */
export function isTooLate({ kind, due }: WaitStart, at: number): boolean {
  return kind !== 'signal' && due !== undefined && at >= due;
}

function tooLate(runId: string, { name, due = 0 }: WaitStart): FlyballError {
  const message = `"${name}" of ${runId} ended at its deadline, ${new Date(due).toISOString()}. Nothing was changed.`;
  return new FlyballError('SIGNAL_UNEXPECTED', message, { detail: { name, due } });
}

/** A verdict that comes twice or too late changes nothing, and whoever sends it should know. */
function decidedAlready(
  runId: string,
  { kind, name, due }: WaitStart,
  end: Entry<EventOf<'wait-end'>> | undefined,
): FlyballError {
  const what = kind === 'doubt' ? 'is settled' : kind === 'question' ? 'is answered' : 'is decided';
  const when = end === undefined ? '' : ` since ${new Date(end.at).toISOString()}`;
  const how =
    end?.event.timedOut === true
      ? `ended at its deadline${due === undefined ? '' : `, ${new Date(due).toISOString()}`}: nobody had answered`
      : `${what}${when}, by ${end?.event.from ?? 'somebody'}`;
  return new FlyballError('SIGNAL_UNEXPECTED', `"${name}" of ${runId} ${how}. Nothing was changed.`, {
    detail: { name, ...(end?.event.from === undefined ? {} : { by: end.event.from }) },
  });
}
