import { randomUUID } from 'node:crypto';
import type { Agents, InputOf, OutputOf } from '../core/agent-types.js';
import { ANONYMOUS } from '../core/approval.js';
import { isBlank } from '../core/blank.js';
import { type Budget, budget as completeBudget, completed } from '../core/budget.js';
import { roundTrip } from '../core/codec.js';
import { alreadyTerminal, runNotFound } from '../core/engine-errors.js';
import { ConfigError, FlyballError, JournalConflictError } from '../core/errors.js';
import { type Entry, EVENT_VERSION, type EventOf, type RunEvent } from '../core/events.js';
import { forkPointCheck } from '../core/fork-points.js';
import type { Outcome } from '../core/outcome.js';
import type { Prompt } from '../core/prompt.js';
import { snapshotFor } from '../core/run-state.js';
import type { StreamedEvent } from '../core/streamed-event.js';
import { type Wait, waitsIn } from '../core/waits.js';
import type { Batch, InboxMessage, Posted, RunFilter, RunPage, RunRecord } from '../ports/engine.js';
import { type Address, addressOf, answeredAlready } from './address.js';
import { Audience, type DeltaListener, type EntryListener } from './audience.js';
import { batchOf } from './batch-of.js';
import { encodePayload } from './inbox.js';
import { Lives } from './lives.js';
import { type JournalPart, load, openWaitsOf, readAll, readPart, readPrompt } from './load.js';
import { type RuntimeParts, settle } from './options.js';
import type { Resume } from './reopening.js';
import { type EventsOptions, eventsOf } from './run-events.js';
import { through } from './seams.js';
import { stateAfter } from './state-fold.js';
import { isOfStorage, stoppedHere } from './stopped-here.js';
import { rejectionsBeside } from './unheard.js';
import { isAtRest, Worker } from './worker.js';

export interface StartOptions {
  /** Required: a run cannot exist without bounds. `budget({ costUsd: 1 })` fills in the rest. */
  readonly budget: Budget;
  readonly subject?: string;
  readonly tenant?: string;
  readonly id?: string;
  readonly source?: string;
}

/** Who says it; and a name for the message, under which it is heard once, however often it is sent. */
export interface Sending {
  readonly by?: string;
  readonly id?: string;
}

/** What became of a signal. */
export interface Receipt {
  /** Heard by what is waited for now; kept until something waits for its name; or known, because its id came before. */
  readonly delivery: 'delivered' | 'buffered' | 'duplicate';
  /** The names that the run waits for. */
  readonly waiting: readonly string[];
}

/** A run, whose value has the type of its agent's where the compiler knows the agent. */
export interface RunHandle<O = unknown> {
  readonly id: string;
  /** How the run stands when it next rests, whichever process works on it: an outcome, or `suspended`. */
  outcome(): Promise<Outcome<O>>;
  /** How the run ends, however often it is suspended before. */
  finished(): Promise<Outcome<O>>;
  /**
   * Everything that happens to the run, from its beginning, with the text of replies while it is written: `for await (const
   * event of handle.events())`. Ends when the run rests. Each call is a reader of its own, which may be slow, and may break.
   */
  events(options?: EventsOptions): AsyncIterableIterator<StreamedEvent<O>>;
}

/**
 * `createRuntime` knows its agents: their names, what they are given and what they return. `Runtime` by itself is for code
 * whose agents are not known before it runs: any name and any input, which are checked when a run is started.
 */
export interface Runtime<A extends Agents = Agents> {
  /**
   * Rejects only where no run is stored. Where the storage fails after that, `outcome()` and `finished()` of the handle
   * say so: the run is there, and must not be started again.
   */
  start<N extends keyof A & string>(
    agent: N,
    input: InputOf<A[N]>,
    options: StartOptions,
  ): Promise<RunHandle<OutputOf<A[N]>>>;
  /** Goes on with a run: after a crash, a pause, a stall, or a bound under a larger budget. */
  resume(
    runId: string,
    options?: { readonly budget?: Partial<Budget>; readonly by?: string },
  ): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  /** Carries on a run that has something to do here and now, as a worker would; a pause stays a pause. */
  wake(runId: string): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  /** Any run of the engine, also of an agent that this runtime does not have. */
  handle(runId: string): RunHandle;
  /**
   * Sends a signal to a name, or an answer to what a run asks a person: by the token of the open question.
   * A signal may come before anybody waits for it and is kept; an answer may not.
   */
  signal(
    runId: string,
    name: string,
    payload?: unknown,
    options?: {
      readonly from?: string;
      readonly id?: string;
      /** What the sender may do. A wait that needs a scope hears nobody else; `*` has them all. */
      readonly scopes?: readonly string[];
      /** `false`: they may send signals, but answer nothing that a person is asked. */
      readonly mayAnswer?: boolean;
    },
  ): Promise<Receipt>;
  /** Tells a run to do something differently from now on: `run.instructions()`. Paused, it hears it when it goes on. */
  redirect(runId: string, instruction: string, options?: Sending): Promise<void>;
  cancel(runId: string, options?: Sending & { readonly why?: string }): Promise<void>;
  pause(runId: string, options?: Sending): Promise<void>;
  fork(runId: string, options: ForkOptions): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  get(runId: string): Promise<RunRecord>;
  list(filter?: RunFilter): Promise<RunPage>;
  /** The journal, all generations, oldest first; or what comes after an entry of it, at most `limit` entries. */
  entries(runId: string, part?: JournalPart): Promise<readonly Entry[]>;
  /** The prompt chain that ends in this link, as a model call recorded it; undefined when unknown. */
  prompt(tip: string): Promise<Prompt | undefined>;
  /** Called with entries once they are durable. Returns how to stop. */
  subscribe(listener: EntryListener): () => void;
  /** Pieces of replies while they arrive: not journaled. */
  subscribeDeltas(listener: DeltaListener): () => void;
  /**
   * Lets running effects end, for at most `drainMs` (or the runtime's option of that name), then gives every run back.
   * That is no crash: whoever goes on with a run whose effect was cut off here examines it like any other in doubt.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
  /** Drops everything as if the process had died here: for tests. */
  abandon(): void;
  loaded(): number;
  /** The run whose code calls this, if it lives here: tells whose output or error something is. */
  current(): string | undefined;
  /**
   * For `unhandledRejection` and `uncaughtException`, called in the handler itself: fails the run whose code left the
   * error, and answers its id. Undefined where the error is not of a run that lives here.
   */
  blame(error: unknown): string | undefined;
}

export interface ForkOptions {
  /** The last entry that the fork inherits. */
  readonly at: number;
  readonly generation?: number;
  /** Acts on the world, after somebody approved it. Otherwise world-changing effects are simulated. */
  readonly live?: boolean;
  readonly budget?: Budget;
  readonly by?: string;
  readonly id?: string;
}

/** The process's side of running agents: starts, resumes, signals, forks, and keeps what is due moving. */
export function openRuntime(parts: RuntimeParts): Runtime {
  const settings = settle(parts);
  const { engine, clock, seams } = settings;
  const audience = new Audience(settings.onProblem);
  const lives = new Lives(settings, audience);
  const worker = new Worker(settings, lives, audience);
  worker.start();

  const get = async (runId: string): Promise<RunRecord> => {
    const record = await engine.get(runId);
    if (record === undefined) throw runNotFound(runId);
    return record;
  };
  const handle = (runId: string, failure: () => unknown = () => undefined): RunHandle => {
    const outcome = async (): Promise<Outcome<unknown>> => {
      const { status, owner } = lives.has(runId) ? ({ status: 'running' } as const) : await get(runId);
      if (isAtRest(status))
        return lives.restOf(runId).catch((error: unknown) => {
          throw failure() ?? error; // this handle saw for itself what broke: that says more than the note left behind
        });
      const isOthers = owner !== undefined && owner.id !== settings.host.owner().id;
      if (!lives.has(runId) && !isOthers && isOfStorage(failure())) throw failure();
      const rest = audience.untilRest(runId);
      void lives.launched(runId).then(() => worker.lookSoon()); // it may turn out to be, or to rest, elsewhere
      return rest;
    };
    const finished = async (): Promise<Outcome<unknown>> => {
      const now = await outcome();
      if (now.stop !== 'suspended') return now;
      const end = audience.untilEnd(runId);
      worker.lookSoon();
      return end;
    };
    const events = eventsOf(runId, {
      entries: async (part) => readPart(engine, await get(runId), part),
      subscribe: (listener) => audience.subscribe(listener),
      subscribeDeltas: (listener) => audience.subscribeDeltas(listener),
      rest: (until) => (until === 'end' ? finished() : outcome()),
      later: (look) =>
        lives.has(runId) ? () => undefined : clock.after(settings.options.pollMs, look, { keepAlive: false }),
    });
    return { id: runId, outcome: () => handled(outcome()), finished: () => handled(finished()), events };
  };
  const launch = async (runId: string, why: 'start' | 'wake' | 'resume', resume?: Resume): Promise<RunHandle> => {
    let failure: unknown;
    const stopNoting = audience.noteFailure(runId, (error) => {
      failure = error;
    });
    await lives.launch(runId, why, resume).catch((error: unknown) => {
      stopNoting();
      throw error;
    });
    return handle(runId, () => failure);
  };
  const post = async (
    runId: string,
    message: Omit<InboxMessage, 'id' | 'at'> & { readonly id?: string },
  ): Promise<Posted> => {
    const answer = await engine.post(runId, { ...message, id: message.id ?? randomUUID(), at: clock.now() });
    lives.poke(runId);
    return answer;
  };

  /** A message with a name may have been heard by a run that has ended since: the engine knows. */
  const requireGoing = async (runId: string, { id }: Sending): Promise<void> => {
    const record = await get(runId);
    if (id === undefined) refuseTerminal(record);
  };

  const pastWaits = async (runId: string): Promise<readonly Wait[]> => waitsIn(await readAll(engine, await get(runId)));

  const answererOf = async (runId: string, token: string): Promise<string | undefined> =>
    (await engine.inbox(runId, 0)).find(({ kind, name }) => kind === 'answer' && name === token)?.from;

  /** One wait hears one signal: those that came before it may be what it hears. */
  const deliveryOf = async (runId: string, address: Address): Promise<Receipt['delivery']> => {
    if (address.kind === 'answer') return 'delivered';
    if (!address.isAwaited) return 'buffered';
    const open = (await openWaitsOf(engine, runId)).filter((wait) => wait.name === address.to).length;
    const kept = (await engine.inbox(runId, 0)).filter(({ kind, name }) => kind === 'signal' && name === address.to);
    return kept.length > open ? 'buffered' : 'delivered';
  };

  /**
   * The run is stored: whoever asked for it has to be told so, or would ask again. Another worker may be quicker than we
   * are, the disk may be full by now, or this runtime on its way down: it goes on all the same, here or elsewhere.
   */
  const launchNew = (runId: string): Promise<RunHandle> =>
    launch(runId, 'start').catch((error: unknown) => {
      if (error instanceof JournalConflictError) return handle(runId);
      if (!isOfStorage(error) && !lives.isClosed) throw error;
      return handle(runId, () => stoppedHere(runId, error));
    });

  return {
    async start(agent, input, start) {
      lives.assertOpen();
      const known = lives.agent(agent);
      const complete = checkedBudget(start?.budget);
      const id = checkedId(start.id ?? newRunId());
      const subject = start.subject ?? ANONYMOUS;
      const tenant = start.tenant ?? 'default';
      const guarded = await through(
        seams,
        'input',
        async (value) => value,
      )(roundTrip(input), { runId: id, tenant, subject, at: '' });
      const first: EventOf<'run-start'> = {
        type: 'run-start',
        v: EVENT_VERSION,
        agent,
        version: known.version,
        input: guarded,
        budget: complete,
        subject,
        tenant,
      };
      await engine.create({
        id,
        agent,
        version: known.version,
        tenant,
        subject,
        createdAt: clock.now(),
        ...(start.source === undefined ? {} : { source: start.source }),
        first: firstBatch(first, clock.now()),
      });
      return launchNew(id);
    },

    async resume(runId, given = {}) {
      const record = await get(runId);
      refuseTerminal(record);
      lives.agent(record.agent);
      if (await lives.holds(runId)) {
        if (given.budget !== undefined)
          throw new ConfigError(`Run ${runId} is running here. Pause it, then resume it with the new budget.`);
        await post(runId, { kind: 'resume', name: '', from: given.by ?? 'anonymous', body: '' });
        return handle(runId);
      }
      return launch(runId, 'resume', {
        by: given.by ?? 'anonymous',
        ...(given.budget === undefined ? {} : { budget: given.budget }),
      });
    },

    async wake(runId) {
      const record = await get(runId);
      refuseTerminal(record);
      lives.agent(record.agent);
      return lives.has(runId) ? handle(runId) : launch(runId, 'wake');
    },

    handle: (runId) => handle(runId),

    async signal(runId, name, payload, sent = {}) {
      const record = await get(runId);
      refuseTerminal(record);
      const body = encodePayload(payload);
      const message = { from: sent.from ?? ANONYMOUS, body, ...named(sent) };
      // another look where the question was closed between the look and the answer: then it is over, and that is said
      for (let looks = 0; looks < LOOKS; looks++) {
        const open = await openWaitsOf(engine, runId);
        const waiting = open.map((wait) => wait.name);
        const hasCome = (due: number): boolean => lives.clocks.hasCome(runId, due);
        const where = { checkJson: parts.checkJson, open, runId, hasCome, past: () => pastWaits(runId) };
        const address = await addressOf(where, name, { payload, ...sent, from: message.from });
        if (address === 'duplicate') return { delivery: address, waiting };
        const to = address.kind === 'answer' ? address.wait.token : address.to;
        const posted = await post(runId, { ...message, kind: address.kind, name: to });
        if (posted === 'duplicate') return { delivery: posted, waiting };
        if (address.kind === 'answer' && posted === 'answered')
          throw answeredAlready(runId, address.wait, await answererOf(runId, to));
        if (posted === 'accepted') return { delivery: await deliveryOf(runId, address), waiting };
      }
      throw new JournalConflictError(runId, `what it asks changes faster than "${name}" can be answered. Try again.`);
    },

    async cancel(runId, given = {}) {
      await requireGoing(runId, given);
      const by = given.by ?? 'anonymous';
      const body = JSON.stringify({ why: given.why ?? `requested by ${by}` });
      const posted = await post(runId, { kind: 'cancel', name: '', from: by, body, ...named(given) });
      if (posted === 'duplicate') return;
      // read after the message is there: a run that came to rest meanwhile has not seen it
      const { status } = await get(runId);
      if (status === 'paused' || status === 'bounded' || status === 'stalled') await engine.requeue(runId);
      worker.lookSoon();
    },

    async redirect(runId, instruction, given = {}) {
      if (typeof instruction !== 'string' || isBlank(instruction))
        throw new ConfigError('A redirection needs words: say what the run is to do differently.');
      await requireGoing(runId, given);
      await post(runId, {
        kind: 'redirect',
        name: '',
        from: given.by ?? 'anonymous',
        body: JSON.stringify(instruction),
        ...named(given),
      });
    },

    async pause(runId, given = {}) {
      await requireGoing(runId, given);
      await post(runId, { kind: 'pause', name: '', from: given.by ?? 'anonymous', body: '', ...named(given) });
    },

    async fork(runId, given) {
      lives.assertOpen();
      const parent = await get(runId);
      const known = lives.agent(parent.agent);
      const generation = given.generation ?? parent.generation;
      const beside = await rejectionsBeside(engine, parent); // first: what the run hears meanwhile is in its journal then
      const { entries } = await load(engine, parent, generation);
      const own = entries.filter((entry) => entry.inherited === undefined);
      const point = forkPointCheck(own, given.at);
      if (!point.ok) {
        throw new FlyballError(
          'FORK_REFUSED',
          `Cannot fork ${runId} at entry ${given.at}. ${point.why} The nearest valid entry is ${point.nearest}.`,
          { detail: { nearest: point.nearest } },
        );
      }
      const first = own[0]?.event;
      if (first?.type !== 'run-start' && first?.type !== 'generation-start')
        throw new FlyballError('JOURNAL_CORRUPT', `Run ${runId} has no start.`);
      const id = checkedId(given.id ?? newRunId());
      const live = given.live ?? false;
      const by = given.by ?? parent.subject;
      const prefix = entries.filter(({ inherited, seq }) => inherited !== undefined || seq <= given.at);
      const now = Math.max(clock.now(), prefix.at(-1)?.at ?? 0); // its past is not in its future
      const isLatest = generation === parent.generation;
      const byNow = stateAfter(isLatest ? entries : (await load(engine, parent, parent.generation)).entries);
      const latest = { ...byNow, rejections: { ...beside, ...byNow.rejections } };
      const fork = { run: runId, generation, seq: given.at };
      const start: EventOf<'run-start'> = {
        type: 'run-start',
        v: EVENT_VERSION,
        agent: parent.agent,
        version: known.version,
        input: first.input,
        budget: checkedBudget(given.budget ?? withoutPastDeadline(completed(first.budget), now)),
        subject: by,
        tenant: parent.tenant,
        fork: { ...fork, live, by, state: snapshotFor(live ? 'liveFork' : 'fork', stateAfter(prefix), latest) },
      };
      await engine.create({
        id,
        agent: parent.agent,
        version: known.version,
        tenant: parent.tenant,
        subject: by,
        createdAt: clock.now(),
        fork,
        ...(parent.source === undefined ? {} : { source: parent.source }),
        first: firstBatch(start, now),
      });
      return launchNew(id);
    },

    get,
    list: (filter = {}) => engine.list(filter),
    entries: async (runId, part) => {
      const record = await get(runId);
      return part === undefined ? readAll(engine, record) : readPart(engine, record, part);
    },
    prompt: (tip) => readPrompt(engine, tip),
    subscribe: (listener) => audience.subscribe(listener),
    subscribeDeltas: (listener) => audience.subscribeDeltas(listener),
    async close(given = {}) {
      worker.stopLooking();
      let cancel = (): void => undefined;
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(given.drainMs ?? settings.options.drainMs, resolve);
      });
      await Promise.race([lives.giveAllBack(), late]);
      cancel();
      await lives.giveUp();
      await worker.withdraw().catch((error: unknown) => settings.onProblem(error, 'withdrawing'));
      worker.stop(); // leases are renewed until nothing needs them
      lives.abandon();
      audience.rejectAll(
        new FlyballError('RUN_UNLOADED', 'The runtime was closed. The run goes on where it is opened next.'),
      );
    },
    abandon() {
      worker.stop();
      lives.abandon();
    },
    loaded: () => lives.size,
    current: () => lives.currentRun(),
    blame: (error) => lives.blame(error),
  };
}

/** How often a question may be closed, and asked again, under somebody who answers it. */
const LOOKS = 5;

/** Asking how a run ends and not waiting for the answer must not take the process down when it breaks. */
function handled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}

function checkedBudget(given: Budget | undefined): Budget {
  if (given === undefined) throw new ConfigError('A run needs a budget: pass budget: budget({ costUsd: 1 }), say.');
  return completeBudget(given);
}

/** A fork is made to go on: a deadline that its parent let pass says nothing about it. */
function withoutPastDeadline(inherited: Budget, now: number): Budget {
  const { deadline, ...others } = inherited;
  return deadline === undefined || deadline <= now ? others : inherited;
}

function firstBatch(event: RunEvent, at: number): Batch {
  return batchOf([{ generation: 0, seq: 0, at, activeMs: 0, event }]);
}

/** People type an id into shells and addresses: it is one word. */
function checkedId(id: string): string {
  if (/^[^\s\p{C}]{1,200}$/u.test(id)) return id;
  throw new ConfigError('The id of a run is 1 to 200 characters without spaces. Choose another, or leave it out.');
}

function newRunId(): string {
  return `run_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}

function isEnded(record: RunRecord): boolean {
  const { status } = record;
  return (
    status === 'done' || status === 'degraded' || status === 'blocked' || status === 'cancelled' || status === 'failed'
  );
}

function refuseTerminal(record: RunRecord): void {
  if (isEnded(record)) throw alreadyTerminal(record);
}

function named({ id }: Sending): { readonly id?: string } {
  return id === undefined ? {} : { id };
}
