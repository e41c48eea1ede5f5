import { createHash, randomUUID } from 'node:crypto';
import type { Clock, Host, RecordKey, Store, StoreRecord } from 'flyball';
import type { Owner } from 'flyball/adapters/engine-kit';
import { KEPT_ANSWERS } from 'flyball/internal';
import type { KeptAnswer, Repeatable } from '../gate.js';
import { type Log, SILENT } from '../log.js';
import { Problem } from '../problem.js';
import type { ServerSettings } from '../settings.js';
import { changeRecord } from './records.js';
import { sweeper } from './sweeper.js';

/**
 * Requests that are made once however often they are sent.
 *
 * Invariants:
 * 1. At most one server acts for a key at a time: whoever does has written so first. The claim of a process that is
 *    proven gone is free at once, any other when the time of a request is over.
 * 2. An answer is kept before it is given. Where a crash came between the two, the next request acts again under the
 *    same name (`nameOf`), and finds what the first has made.
 * 3. A key stays bound to the body it first came with, also when the answer was not kept.
 */
export interface Idempotency {
  around(request: Repeatable, act: () => Promise<KeptAnswer>): Promise<KeptAnswer & { readonly replayed?: boolean }>;
}

interface Kept {
  readonly body: string;
  readonly until: number;
  readonly claim?: { readonly by: Owner | undefined; readonly id: string; readonly until: number };
  /** What the answer is about: it goes when this run is removed. */
  readonly run?: string;
  /** With its body as text, so that it is answered again byte for byte. */
  readonly answer?: {
    readonly status: number;
    readonly text: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

const KEY = /^[\x21-\x7e]{1,128}$/;
/** Of an answer. A longer one is not kept: the handler then finds what it made under the same name, and answers anew. */
const MOST_BYTES = 65_536;

type Settings = Pick<ServerSettings, 'idempotencyMs' | 'requestTimeoutMs'>;

export function idempotency(
  store: Store,
  clock: Clock,
  settings: Settings,
  { host, log = SILENT }: { readonly host?: Host; readonly log?: Log } = {},
): Idempotency {
  const sweep = sweeper(store, clock, {
    collection: KEPT_ANSWERS.collection,
    log,
    isOver: (value) => (value as Kept).until <= clock.now(),
  });
  return {
    async around(request, act) {
      const at = placeOf(request);
      const claim = randomUUID();
      const found = await claimed({ store, clock, settings, host }, at, { request, claim });
      sweep(request.principal.tenant);
      if (found.answer !== undefined) return replayed(found.answer);
      const finish = (answer: KeptAnswer | undefined): Promise<unknown> =>
        changeRecord(store, at, { id: `${claim}.end`, now: clock.now(), make: ended(claim, answer) });
      const answer = await act().catch(async (error: unknown) => {
        await finish(undefined);
        throw error;
      });
      await finish(isKept(answer) ? answer : undefined);
      return answer;
    },
  };
}

/** Names what a request with this key makes. Nobody else can come upon the name: it holds tenant and principal. */
export function nameOf({ principal, target, key }: Omit<Repeatable, 'raw'>): string {
  return sha256(JSON.stringify([principal.tenant, principal.id, target, checkedKey(key)]));
}

export function checkedKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new Problem(400, 'REQUEST_INVALID', 'An idempotency key must have 1 to 128 visible ASCII characters.', {
    next: 'Send a new UUID as Idempotency-Key, and the same one if you repeat the request.',
  });
}

interface Around {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly host: Host | undefined;
}

/** Takes the key for this request, or finds its answer; refuses another body, and a key that is being worked on. */
async function claimed(
  { store, clock, settings, host }: Around,
  at: RecordKey,
  { request, claim }: { readonly request: Repeatable; readonly claim: string },
): Promise<Kept> {
  const body = sha256(request.raw);
  const make = (current: StoreRecord | undefined): Kept => {
    const now = clock.now();
    const known = current?.value as Kept | undefined;
    const live = known !== undefined && known.until > now ? known : undefined;
    if (live !== undefined && live.body !== body) throw reused();
    if (live?.answer !== undefined) throw new Answered(live);
    if (live?.claim !== undefined && live.claim.until > now && !isGone(live.claim.by, host)) throw busy();
    const until = now + settings.requestTimeoutMs + 10_000; // longer than any request is waited for
    return {
      body,
      until: Math.max(live?.until ?? 0, now + settings.idempotencyMs),
      claim: { by: host?.owner(), id: claim, until },
    };
  };
  try {
    return (await changeRecord(store, at, { id: claim, now: clock.now(), make })).value as Kept;
  } catch (error) {
    if (error instanceof Answered) return error.kept;
    throw error;
  }
}

/** Not an error: leaves a record as it is, because it holds the answer. */
class Answered extends Error {
  readonly kept: Kept;
  constructor(kept: Kept) {
    super('answered');
    this.kept = kept;
  }
}

function ended(claim: string, answer: KeptAnswer | undefined): (current: StoreRecord | undefined) => Kept {
  return (current) => {
    const known = current?.value as Kept;
    if (known.claim?.id !== claim) return known; // taken over meanwhile: the other's answer stands
    const { body, until } = known;
    if (answer === undefined) return { body, until };
    const { status, headers = {}, run } = answer;
    const about = run === undefined ? {} : { run };
    return { body, until, ...about, answer: { status, headers, text: textOf(answer) } };
  };
}

function replayed({ status, headers, text }: NonNullable<Kept['answer']>): KeptAnswer & { readonly replayed: true } {
  return { status, headers, body: JSON.parse(text) as unknown, replayed: true };
}

function textOf({ body }: KeptAnswer): string {
  return JSON.stringify(body ?? null);
}

function isKept(answer: KeptAnswer): boolean {
  const { status, headers = {} } = answer;
  if (status >= 500 || status === 429 || status === 408) return false;
  return Buffer.byteLength(textOf(answer)) + Buffer.byteLength(JSON.stringify(headers)) <= MOST_BYTES;
}

function isGone(by: Owner | undefined, host: Host | undefined): boolean {
  return by !== undefined && host?.isGone(by) === true;
}

function placeOf(request: Repeatable): RecordKey {
  return { ...KEPT_ANSWERS, owner: request.principal.tenant, key: nameOf(request) };
}

function reused(): Problem {
  return new Problem(422, 'KEY_REUSED', 'This idempotency key was used with another body.', {
    next: 'Send the body of the first request again, or a new key.',
  });
}

function busy(): Problem {
  return new Problem(409, 'BUSY', 'A request with this idempotency key is in progress.', {
    retryable: true,
    next: 'Send it again in a second to get the response of the first one.',
    headers: { 'retry-after': '1' },
  });
}

function sha256(of: string | Uint8Array): string {
  return createHash('sha256').update(of).digest('hex');
}
