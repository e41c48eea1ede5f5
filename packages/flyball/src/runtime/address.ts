import { isPerson, type Needs, verdictProblem, whyMayNotAnswer } from '../core/approval.js';
import { FlyballError } from '../core/errors.js';
import type { EventOf } from '../core/events.js';
import { isAsked, isAskedName, runOfToken, type Wait } from '../core/waits.js';
import type { RuntimeParts } from './options.js';

export interface Sent {
  readonly payload: unknown;
  readonly from: string;
  readonly id?: string;
  readonly scopes?: readonly string[];
  readonly mayAnswer?: boolean;
}

type WaitStart = EventOf<'wait-start'>;

/** Where a message goes: to a wait that asks somebody, by its token, or to a name that is waited for now or later. */
export type Address =
  | { readonly kind: 'answer'; readonly wait: WaitStart }
  /** `awaited`: the name of the wait that is open for it. */
  | { readonly kind: 'signal'; readonly to: string; readonly awaited?: string };

interface Where {
  readonly checkJson: RuntimeParts['checkJson'] | undefined;
  /** Whether this date has come for the run. */
  readonly hasCome: (due: number) => boolean;
  readonly runId: string;
  /** What the run waits for now. */
  readonly open: readonly WaitStart[];
  /** Every wait of the run so far: read only where nothing open has the name. */
  readonly past: () => Promise<readonly Wait[]>;
}

/**
 * Where a message under this name goes. The sender learns at once when it may not answer, when the payload does not fit,
 * and when the question is decided already or not asked yet: nothing is delivered then. Whoever may not answer never
 * gets an address of the kind `answer`, and a signal ends no question: it does not matter when one is asked meanwhile.
 */
export async function addressOf(where: Where, name: string, sent: Sent): Promise<Address | 'duplicate'> {
  const { runId, checkJson } = where;
  if (sent.mayAnswer === false) refuseAnswer(where, name);
  let refused: { readonly name: string; readonly problem: string } | undefined;
  for (const wait of where.open.filter((one) => isAddressed(one, name))) {
    refuseStranger(wait, runId, sent);
    if (isTooLate(wait, where)) throw tooLate(runId, wait);
    const said =
      wait.kind === 'approval' && wait.schema !== undefined ? verdictProblem(wait.schema, sent.payload) : undefined;
    const problem = said ?? (wait.schema === undefined ? undefined : await checkJson?.(wait.schema, sent.payload));
    if (problem === undefined)
      return isAsked(wait) ? { kind: 'answer', wait } : { kind: 'signal', to: name, awaited: wait.name };
    refused = { name: wait.name, problem };
  }
  if (refused !== undefined)
    throw new FlyballError(
      'SIGNAL_INVALID',
      `The payload does not match what ${runId} waits for under "${refused.name}": ${refused.problem}. Nothing was delivered; correct it and send it again.`,
    );
  if (where.open.some((wait) => isNamed(wait, name))) throw needsToken(runId, name);
  const past = await where.past();
  const last = past.findLast(({ start }) => isNamed(start, name));
  // whoever sends the same message again, not knowing whether it arrived, learns that it did
  if (last !== undefined && sent.id !== undefined && last.end?.signal === sent.id) return 'duplicate';
  if (last !== undefined && isAsked(last.start)) throw overAlready(runId, last);
  if (name.startsWith(`${runId}:`) || isAskedName(name)) throw notAsked(where, name);
  refuseMistaken(runId, name, past);
  return { kind: 'signal', to: name };
}

/** Nobody will ever wait for it under this name: it would be kept for good, and its sender told that it was taken. */
function refuseMistaken(runId: string, name: string, past: readonly Wait[]): void {
  const other = runOfToken(name);
  if (other !== undefined)
    throw new FlyballError(
      'SIGNAL_UNEXPECTED',
      `"${name}" is the token of a request of ${other}, not of ${runId}. Send the answer to ${other}. Nothing was changed.`,
      { detail: { name, run: other } },
    );
  const asked = past.findLast(({ start }) => isAsked(start) && (start.id === name || start.id.startsWith(`${name}!`)));
  if (asked !== undefined) throw needsToken(runId, name);
}

/** What comes from somebody who may only send signals is no answer, whatever it is called. */
function refuseAnswer({ runId, open }: Where, name: string): void {
  if (!isAskedName(name) && !open.some((wait) => isAsked(wait) && isNamed(wait, name))) return;
  const message = `"${name}" of ${runId} is a request to a person and cannot be answered with a signal. Answer it in the inbox. Nothing was changed.`;
  throw new FlyballError('DENIED', message, { detail: { name } });
}

/** What a person is asked cannot be answered ahead: nobody could have looked at who sends it. */
function notAsked({ runId, open }: Where, name: string): FlyballError {
  const waits = open.map((wait) => `"${wait.name}"`).join(', ');
  const message = `${runId} has no open request "${name}". A request can only be answered while it is open. The run waits for ${waits === '' ? 'nothing' : waits}.`;
  return new FlyballError('SIGNAL_UNEXPECTED', message, { detail: { name } });
}

/** A question is decided once: who comes second is told, also when the run has not woken since the first. */
export function answeredAlready(runId: string, { name }: WaitStart, by: string | undefined): FlyballError {
  return new FlyballError(
    'SIGNAL_UNEXPECTED',
    `${by ?? 'Somebody'} has already answered "${name}" of ${runId}; the run uses that answer when it continues. Nothing was changed.`,
    { detail: { name, ...(by === undefined ? {} : { by }) } },
  );
}

/** What a person is asked is answered by whoever was shown the question: its token is there, and a name can be guessed. */
function isAddressed(wait: WaitStart, given: string): boolean {
  return wait.token === given || (wait.name === given && !isAsked(wait));
}

function needsToken(runId: string, name: string): FlyballError {
  return new FlyballError(
    'SIGNAL_UNEXPECTED',
    `"${name}" of ${runId} is a request to a person and cannot be answered by name. Send the answer to its token, which is in \`waiting\` of the run's outcome and in the inbox. Nothing was changed.`,
    { detail: { name } },
  );
}

function isNamed({ name, token }: WaitStart, given: string): boolean {
  return name === given || token === given;
}

const ANYBODY: Needs = { scopes: [], notBy: [] };

function refuseStranger({ name, kind, needs = ANYBODY }: WaitStart, runId: string, { from, scopes = [] }: Sent): void {
  if ((kind === 'approval' || kind === 'doubt') && !isPerson(from))
    throw new FlyballError(
      'DENIED',
      `"${name}" of ${runId} can only be decided by an identified person. Set who decides (from). The request stays open.`,
    );
  const why = whyMayNotAnswer(needs, { by: from, scopes });
  if (why === undefined) return;
  throw new FlyballError('DENIED', `${from} may not answer "${name}" of ${runId}: ${why}. The question stays open.`, {
    detail: { needs: needs.scopes, also: needs.alsoScopes ?? [], notBy: needs.notBy, has: scopes },
  });
}

/** Where nobody works on the run its time may be over without an entry that says so. */
function isTooLate(wait: WaitStart, { hasCome }: Where): boolean {
  return isAsked(wait) && wait.due !== undefined && hasCome(wait.due);
}

function tooLate(runId: string, { name, due = 0 }: WaitStart): FlyballError {
  const message = `"${name}" of ${runId} ended at its deadline, ${new Date(due).toISOString()}. Nothing was changed.`;
  return new FlyballError('SIGNAL_UNEXPECTED', message, { detail: { name, due } });
}

/** A verdict that comes twice or too late changes nothing, and whoever sends it should know. */
function overAlready(runId: string, { start, status, end, endedAt }: Wait): FlyballError {
  const { name } = start;
  const message = `"${name}" of ${runId} ${howItEnded(start, { status, from: end?.from, endedAt })}. Nothing was changed.`;
  return new FlyballError('SIGNAL_UNEXPECTED', message, {
    detail: { name, ...(end?.from === undefined ? {} : { by: end.from }) },
  });
}

const DECIDED = { approval: 'is decided', question: 'is answered', doubt: 'is settled', signal: 'was heard' } as const;

function howItEnded(
  { kind, due }: WaitStart,
  how: { readonly status: Wait['status']; readonly from: string | undefined; readonly endedAt: number | undefined },
): string {
  const when = how.endedAt === undefined ? '' : ` since ${new Date(how.endedAt).toISOString()}`;
  switch (how.status) {
    case 'timed-out':
      return `ended at its deadline${due === undefined ? '' : `, ${new Date(due).toISOString()}`}: nobody had answered`;
    case 'closed':
      return `is closed${when}: the run no longer waits for it`;
    case 'open':
    case 'answered':
      return `${DECIDED[kind]}${when}, by ${how.from ?? 'somebody'}`;
  }
}
