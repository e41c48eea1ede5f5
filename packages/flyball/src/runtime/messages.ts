import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '../core/approval.js';
import { isBlank } from '../core/blank.js';
import { ConfigError, JournalConflictError } from '../core/errors.js';
import { waitsIn } from '../core/waits.js';
import type { InboxMessage, Posted, RunRecord } from '../ports/engine.js';
import { type Address, addressOf, answeredAlready } from './address.js';
import { encodePayload } from './inbox.js';
import { openWaitsOf, readAll } from './load.js';
import { type Opened, recordOf, refuseTerminal } from './run-handles.js';
import type { Receipt, Runtime, Sending } from './runtime.js';

/** How often a question may be closed, and asked again, under somebody who answers it. */
const LOOKS = 5;

type SignalOptions = NonNullable<Parameters<Runtime['signal']>[3]>;

export async function post(
  { settings: { engine, clock, dispatcher }, lives }: Opened,
  runId: string,
  message: Omit<InboxMessage, 'id' | 'at'> & { readonly id?: string },
): Promise<Posted> {
  const answer = await engine.post(runId, { ...message, id: message.id ?? randomUUID(), at: clock.now() });
  lives.poke(runId);
  // also one that came before: whoever sends it again may have died before it was dispatched
  if (answer === 'accepted' || answer === 'duplicate') await dispatcher?.dispatch(runId);
  // an id of ours is sent by nobody else: what came before is this message, which a driver has sent again
  return answer === 'duplicate' && message.id === undefined ? 'accepted' : answer;
}

/** `askers`: of what a run sends. Whoever sends from outside cannot name any. */
export async function signal(
  opened: Opened,
  runId: string,
  name: string,
  payload: unknown,
  sent: SignalOptions,
  askers?: readonly string[],
): Promise<Receipt> {
  const { settings, lives } = opened;
  const record = await recordOf(opened, runId);
  refuseTerminal(record);
  const asked = askers === undefined ? {} : { askers };
  const message = { from: sent.from ?? ANONYMOUS, body: encodePayload(payload), ...named(sent), ...asked };
  const past = async () => waitsIn(await readAll(settings.engine, await recordOf(opened, runId)));
  // another look where the question was closed between the look and the answer: then it is over, and that is said
  for (let looks = 0; looks < LOOKS; looks++) {
    const open = await openWaitsOf(settings.engine, record);
    const waiting = open.map((wait) => wait.name);
    const hasCome = (due: number): boolean => lives.clocks.hasCome(runId, due);
    const where = { checkJson: settings.checkJson, open, runId, hasCome, past };
    const address = await addressOf(where, name, { payload, ...sent, from: message.from });
    if (address === 'duplicate') return { delivery: address, waiting };
    const to = address.kind === 'answer' ? address.wait.token : address.to;
    const posted = await post(opened, runId, { ...message, kind: address.kind, name: to });
    if (posted === 'duplicate') return { delivery: posted, waiting };
    if (address.kind === 'answer' && posted === 'answered')
      throw answeredAlready(runId, address.wait, await answererOf(opened, runId, to));
    if (posted === 'accepted') return { delivery: await deliveryOf(opened, record, address), waiting };
  }
  throw new JournalConflictError(runId, `what it asks changes faster than "${name}" can be answered. Try again.`);
}

async function answererOf({ settings }: Opened, runId: string, token: string): Promise<string | undefined> {
  const messages = await settings.engine.inbox(runId, 0);
  return messages.find(({ kind, name }) => kind === 'answer' && name === token)?.from;
}

/** One wait hears one signal: those that came before it may be what it hears. */
async function deliveryOf({ settings }: Opened, run: RunRecord, address: Address): Promise<Receipt['delivery']> {
  if (address.kind === 'answer') return 'delivered';
  const { awaited } = address;
  if (awaited === undefined) return 'buffered';
  const { engine } = settings;
  const open = (await openWaitsOf(engine, run)).filter((wait) => wait.name === awaited);
  const names = new Set([awaited, address.to, ...open.map(({ token }) => token)]);
  const kept = (await engine.inbox(run.id, 0)).filter(({ kind, name }) => kind === 'signal' && names.has(name));
  return kept.length > open.length ? 'buffered' : 'delivered';
}

export async function cancel(opened: Opened, runId: string, given: Sending & { readonly why?: string }): Promise<void> {
  await requireGoing(opened, runId, given);
  const by = given.by ?? 'anonymous';
  const body = JSON.stringify({ why: given.why ?? `requested by ${by}` });
  const posted = await post(opened, runId, { kind: 'cancel', name: '', from: by, body, ...named(given) });
  // whoever sent it before may have died before the run was put in line for it
  if (posted === 'duplicate' && !(await isUnheard(opened, runId, given.id))) return;
  // read after the message is there: a run that came to rest meanwhile has not seen it
  const { status } = await recordOf(opened, runId);
  if (status === 'paused' || status === 'bounded' || status === 'stalled') {
    await opened.settings.engine.requeue(runId);
    await opened.settings.dispatcher?.dispatch(runId);
  }
  opened.worker.lookSoon();
}

async function isUnheard({ settings: { engine } }: Opened, runId: string, id: string | undefined): Promise<boolean> {
  return (await engine.inbox(runId, 0)).some((message) => message.id === id);
}

export async function redirect(opened: Opened, runId: string, instruction: string, given: Sending): Promise<void> {
  if (typeof instruction !== 'string' || isBlank(instruction))
    throw new ConfigError('A redirection needs text: say what the run should do differently.');
  await requireGoing(opened, runId, given);
  const body = JSON.stringify(instruction);
  await post(opened, runId, { kind: 'redirect', name: '', from: given.by ?? 'anonymous', body, ...named(given) });
}

export async function pause(opened: Opened, runId: string, given: Sending): Promise<void> {
  await requireGoing(opened, runId, given);
  await post(opened, runId, { kind: 'pause', name: '', from: given.by ?? 'anonymous', body: '', ...named(given) });
}

/** A message with a name may have been heard by a run that has ended since: the engine knows. */
async function requireGoing(opened: Opened, runId: string, { id }: Sending): Promise<void> {
  const record = await recordOf(opened, runId);
  if (id === undefined) refuseTerminal(record);
}

function named({ id }: Sending): { readonly id?: string } {
  return id === undefined ? {} : { id };
}
