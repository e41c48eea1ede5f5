import { isEntitled, isPerson, samePerson, scopesInWords } from '../core/approval.js';
import { FlyballError } from '../core/errors.js';
import type { Entry, EventOf } from '../core/events.js';
import type { StoredMessage } from '../ports/engine.js';
import type { RuntimeParts } from './options.js';

interface Sent {
  readonly payload: unknown;
  readonly from: string;
  readonly id?: string;
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
): Promise<Address> {
  const { entries, runId, checkJson } = where;
  const ends = new Map(entries.flatMap((entry) => (isWaitEnd(entry) ? [[entry.event.id, entry] as const] : [])));
  const named = entries.flatMap(({ event }) => (event.type === 'wait-start' && isNamed(event, name) ? [event] : []));
  let refused: { readonly name: string; readonly problem: string } | undefined;
  const open = named.filter(({ id }) => !ends.has(id));
  for (const wait of open) {
    refuseStranger(wait, runId, sent);
    if (isTooLate(wait, where.now)) throw tooLate(runId, wait);
    const problem = wait.schema === undefined ? undefined : await checkJson?.(wait.schema, sent.payload);
    // there is a wait that it fits
    if (problem === undefined) return { to: wait.needs === undefined ? name : wait.token, wait };
    refused = { name: wait.name, problem };
  }
  if (refused !== undefined)
    throw new FlyballError(
      'SIGNAL_INVALID',
      `The payload does not fit what ${runId} waits for under "${refused.name}": ${refused.problem}. Nothing was delivered; correct it and send it again.`,
    );
  const last = named.at(-1);
  const ended = last === undefined ? undefined : ends.get(last.id);
  // whoever sends the same message again, not knowing whether it arrived, learns that it did
  if (last !== undefined && sent.id !== undefined && ended?.event.signal === sent.id) return { to: name };
  if (last !== undefined && last.kind !== 'signal') throw decidedAlready(runId, last, ended);
  if (last === undefined && name.startsWith(`${runId}:`)) throw unknownToken(runId, name);
  return { to: name };
}

export interface Address {
  readonly to: string;
  /** The wait that is answered, where it is open. */
  readonly wait?: WaitStart;
}

/** Tokens can be guessed: one that was put into the inbox before its wait opens would be heard without anybody having looked at its sender. */
function unknownToken(runId: string, token: string): FlyballError {
  const message = `Nothing of ${runId} waits under "${token}". See what it waits for, and answer that.`;
  return new FlyballError('SIGNAL_UNEXPECTED', message, { detail: { name: token } });
}

/** A question is decided once: who comes second is told, also when the run has not woken since the first. */
export function refuseSecond(
  runId: string,
  { wait }: Address,
  { inbox, id }: { readonly inbox: readonly StoredMessage[]; readonly id: string | undefined },
): void {
  if (wait === undefined || wait.kind === 'signal') return;
  const first = inbox.find(({ kind, name }) => kind === 'signal' && (name === wait.token || name === wait.name));
  if (first === undefined || first.id === id) return; // the same message again is a duplicate
  throw new FlyballError(
    'SIGNAL_UNEXPECTED',
    `${first.from} has answered "${wait.name}" of ${runId} already; the run takes it up when it goes on. Nothing was changed.`,
    { detail: { name: wait.name, by: first.from } },
  );
}

function isNamed({ name, token }: WaitStart, given: string): boolean {
  return name === given || token === given;
}

function isWaitEnd(entry: Entry): entry is Entry<EventOf<'wait-end'>> {
  return entry.event.type === 'wait-end';
}

function refuseStranger({ name, kind, needs }: WaitStart, runId: string, { from, scopes = [] }: Sent): void {
  if (kind === 'approval' && !isPerson(from))
    throw new FlyballError(
      'DENIED',
      `Whoever decides about "${name}" of ${runId} has to say who they are. The question stays open.`,
    );
  if (needs === undefined) return;
  if (!isEntitled(needs, scopes))
    throw new FlyballError(
      'DENIED',
      `${from} may not answer "${name}" of ${runId}: it takes the scopes ${scopesInWords(needs)}. The question stays open.`,
      { detail: { needs: needs.scopes, also: needs.alsoScopes ?? [], has: scopes } },
    );
  if (needs.notBy.some((one) => samePerson(one, from)))
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
