import { roundTrip, strictJson } from '../core/codec.js';
import { FlyballError, failureOf } from '../core/errors.js';
import type { EffectId, EventOf, RunEvent } from '../core/events.js';
import { through } from '../core/join-seams.js';
import type { Waiting } from '../core/outcome.js';
import { type Checked, check, type StandardSchema } from '../core/schema.js';
import type { SeamContext, Seams } from '../core/seams.js';
import { isAsked } from '../core/waits.js';
import type { Engine, StoredMessage } from '../ports/engine.js';
import type { Pending } from './open-effects.js';

/** An open wait of the code, of a gate or of a doubt. */
export interface Waiter {
  readonly id: EffectId;
  readonly start: EventOf<'wait-start'>;
  readonly pending: Pending;
  readonly schema: StandardSchema | undefined;
  /** What comes passes the `input` seam. */
  readonly isInput: boolean;
  /** A message is being checked for it. */
  busy: boolean;
  /** Its time was over while a message was checked: if that one does not fit, nobody is heard any more. */
  expired?: true;
}

/** What an inbox needs of the run it belongs to. */
export interface InboxOwner {
  readonly runId: string;
  readonly host: { readonly engine: Pick<Engine, 'inbox'>; readonly seams: Seams };
  readonly clock: { msUntil(due: number): number };
  readonly journal: {
    readonly writer: { take(message: number): void };
    push(event: RunEvent): unknown;
    barrier(): Promise<void>;
  };
  readonly delivery: { record(event: EventOf<'wait-end'>): void };
  readonly guards: { context(at: string): SeamContext };
  readonly life: {
    readonly timers: { clear(name: string): void };
    busy(): void;
    fail(error: unknown): void;
    requestCancel(by: string, why: string): boolean;
    requestPause(message: StoredMessage): void;
    redirect(by: string, text: string): boolean;
    letGoOn(by: string): void;
  };
}

/** Messages to a run: signals are kept until somebody waits for them, first come first served; control takes effect at once. */
export class Inbox {
  private readonly owner: InboxOwner;
  private readonly waiters: Waiter[] = [];
  private signals: StoredMessage[] = [];
  private after = 0;
  private isOpen = false;
  private loading = false;
  private again = false;
  private readonly offers = new Set<Promise<void>>();
  /** Those who wait for a reading that is under way. */
  private readonly readers: (() => void)[] = [];

  constructor(owner: InboxOwner) {
    this.owner = owner;
  }

  /** Starts reading, once history has ended. Resolves when what had arrived by then is heard. */
  open(): Promise<void> {
    this.isOpen = true;
    this.poke();
    return this.hasRead();
  }

  close(): void {
    this.isOpen = false;
    this.waiters.length = 0;
    this.signals = [];
    this.tellReaders();
  }

  /** Resolves once what had arrived is read and offered: after a claim no message is a reason to wake the run again. */
  async hasRead(): Promise<void> {
    while (this.isOpen && (this.loading || this.offers.size > 0)) {
      if (this.loading) await new Promise<void>((resolve) => this.readers.push(resolve));
      else await Promise.all(this.offers);
    }
  }

  private tellReaders(): void {
    for (const tell of this.readers.splice(0)) tell();
  }

  /** Something may have arrived. */
  poke(): void {
    if (!this.isOpen) return;
    if (this.loading) {
      this.again = true;
      return;
    }
    this.loading = true;
    this.read().then(
      () => {
        this.loading = false;
        if (this.again) {
          this.again = false;
          this.poke();
        }
        this.tellReaders();
      },
      (error: unknown) => this.owner.life.fail(error),
    );
  }

  private async read(): Promise<void> {
    for (const message of await this.owner.host.engine.inbox(this.owner.runId, this.after)) this.receive(message);
  }

  /** Resolves when everything that has arrived by now is heard, as far as somebody waits for it. */
  async catchUp(): Promise<void> {
    await this.read();
    await Promise.all(this.offers);
  }

  /** Takes a wait out whose time is over. False where it has been answered, or may yet be by what came in time. */
  expire(id: EffectId): boolean {
    const waiter = this.waiters.find((one) => one.id === id);
    if (waiter === undefined) return false;
    if (waiter.busy) waiter.expired = true;
    else this.removeWaiter(id);
    return !waiter.busy;
  }

  addWaiter(waiter: Waiter): void {
    this.waiters.push(waiter);
    this.match();
  }

  removeWaiter(id: EffectId): void {
    const index = this.waiters.findIndex((waiter) => waiter.id === id);
    if (index !== -1) this.waiters.splice(index, 1);
  }

  waitingOf(pending: Pending): Waiting[] {
    const waits = this.waiters.filter((waiter) => waiter.pending === pending).map(({ start }) => waitingOf(start));
    if (waits.length > 0 || pending.wakeAt === undefined) return waits;
    return [{ effect: pending.id, kind: 'sleep', name: pending.kind, until: pending.wakeAt }];
  }

  private receive(message: StoredMessage): void {
    if (!this.isOpen || message.number <= this.after) return;
    this.after = message.number;
    const { owner } = this;
    switch (message.kind) {
      case 'signal':
      case 'answer':
        this.signals.push(message);
        this.match();
        return;
      case 'cancel':
        if (owner.life.requestCancel(message.from, whyOf(message))) owner.journal.writer.take(message.number);
        return;
      case 'pause':
        owner.life.requestPause(message);
        return;
      case 'redirect':
        if (owner.life.redirect(message.from, instructionIn(message))) owner.journal.writer.take(message.number);
        return;
      case 'resume':
        owner.journal.writer.take(message.number);
        owner.life.letGoOn(message.from);
        return;
    }
  }

  private match(): void {
    for (const message of [...this.signals]) {
      const waiter = this.waiters.find(
        ({ start, busy }) => !busy && isAddressed(start, message) && this.isInTime(start, message),
      );
      if (waiter === undefined) continue;
      this.signals.splice(this.signals.indexOf(message), 1);
      waiter.busy = true;
      const offer: Promise<void> = this.offer(waiter, message)
        .catch((error: unknown) => this.owner.life.fail(error))
        .finally(() => this.offers.delete(offer));
      this.offers.add(offer);
    }
  }

  /** What is read before the time of a wait is over came in time, whatever date its sender had. */
  private isInTime(start: EventOf<'wait-start'>, { at }: StoredMessage): boolean {
    return isAsked(start) || start.due === undefined || at < start.due || this.owner.clock.msUntil(start.due) > 0;
  }

  /** Input is guarded wherever it comes in: a guard may change it, or refuse it like a schema does. */
  private async guarded(waiter: Waiter, checked: Checked<unknown>): Promise<Checked<unknown>> {
    const { seams } = this.owner.host;
    if (!checked.ok || !waiter.isInput || seams['input'] === undefined) return checked;
    try {
      const guard = through(seams, 'input', async (value) => value);
      return { ok: true, value: roundTrip(await guard(checked.value, this.owner.guards.context(waiter.id))) };
    } catch (error) {
      return { ok: false, problem: failureOf(error).message };
    }
  }

  private timeOut({ id }: Waiter): void {
    this.removeWaiter(id);
    this.owner.delivery.record({ type: 'wait-end', id, timedOut: true });
  }

  private async offer(waiter: Waiter, message: StoredMessage): Promise<void> {
    const payload: unknown = message.body === '' ? undefined : JSON.parse(message.body);
    const checked = await this.guarded(waiter, await read(waiter.schema, payload));
    if (!this.isOpen) return;
    if (!this.waiters.includes(waiter)) {
      // timed out or closed meanwhile: the message is still there for somebody else
      this.signals.push(message);
      this.signals.sort((a, b) => a.number - b.number);
      return this.match();
    }
    this.owner.journal.writer.take(message.number);
    if (!checked.ok) {
      waiter.busy = false;
      const { name, token } = waiter.start;
      this.owner.journal.push({ type: 'signal-refused', signal: message.id, name, token, why: checked.problem });
      if (waiter.expired === true) return this.timeOut(waiter);
      await this.owner.journal.barrier();
      return this.match();
    }
    this.removeWaiter(waiter.id);
    this.owner.life.timers.clear(`due:${waiter.id}`);
    this.owner.life.busy();
    this.owner.delivery.record({
      type: 'wait-end',
      id: waiter.id,
      signal: message.id,
      from: message.from,
      ...(message.askers === undefined ? {} : { askers: message.askers }),
      ...(checked.value === undefined ? {} : { payload: checked.value }),
    });
  }
}

/** An open wait, as whoever holds the run's handle sees it. */
export function waitingOf({ id, kind, name, token, due, request }: EventOf<'wait-start'>): Waiting {
  return {
    effect: id,
    kind,
    name,
    token,
    ...(due === undefined ? {} : { until: due }),
    ...(request === undefined ? {} : { request }),
  };
}

/** What a person is asked, only an answer to its token ends: the engine took it while the wait was open. */
function isAddressed(start: EventOf<'wait-start'>, { kind, name }: StoredMessage): boolean {
  if (isAsked(start) || kind === 'answer') return kind === 'answer' && name === start.token;
  return name === start.token || name === start.name;
}

/** A schema that throws, or makes something of the payload that cannot be stored, refuses it. */
async function read(schema: StandardSchema | undefined, payload: unknown): Promise<Checked<unknown>> {
  if (schema === undefined) return { ok: true, value: payload };
  try {
    const checked = await check(schema, payload);
    if (checked.ok) strictJson(checked.value);
    return checked;
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The text of a redirection. */
export function instructionIn({ body }: Pick<StoredMessage, 'body'>): string {
  return String(JSON.parse(body));
}

function whyOf(message: StoredMessage): string {
  const parsed: unknown = message.body === '' ? {} : JSON.parse(message.body);
  const why = (parsed as { why?: unknown } | null)?.why;
  return typeof why === 'string' && why !== '' ? why : `requested by ${message.from}`;
}

/** A payload crosses the journal like any other value: what JSON would change is refused before anything is delivered. */
export function encodePayload(payload: unknown): string {
  try {
    return strictJson(payload);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FlyballError('SIGNAL_INVALID', `The payload of a signal must be plain data. ${why}`, { cause: error });
  }
}
