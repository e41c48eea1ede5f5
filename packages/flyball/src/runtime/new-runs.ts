import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '../core/approval.js';
import { type Budget, budget as completeBudget, completed } from '../core/budget.js';
import { roundTrip } from '../core/codec.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import { EVENT_VERSION, type EventOf, type RunEvent } from '../core/events.js';
import { forkPointCheck } from '../core/fork-points.js';
import { through } from '../core/join-seams.js';
import { type RunState, snapshotFor } from '../core/run-state.js';
import type { Batch, NewRun, RunRecord } from '../ports/engine.js';
import { batchOf } from './batch-of.js';
import { load } from './load.js';
import type { LoadedEntry } from './loaded-entry.js';
import { launchNew, type Opened, recordOf } from './run-handles.js';
import type { ForkOptions, RunHandle, StartOptions } from './runtime.js';
import { stateAfter } from './state-fold.js';
import { rejectionsBeside } from './unheard.js';

/** What a run that starts another one hands on is no option of users. */
interface Starting extends StartOptions {
  readonly starter?: EventOf<'run-start'>['starter'];
}

export async function startRun(opened: Opened, agent: string, input: unknown, given?: Starting): Promise<RunHandle> {
  const start = given ?? ({} as Starting); // without a compiler: the check of the budget says what is missing
  const { lives, settings } = opened;
  const { clock, seams } = settings;
  if (start.starter === undefined) lives.assertOpen(); // what a run has begun ends also while its process does
  const { version } = lives.agent(agent);
  const budget = checkedBudget(start.budget);
  const id = checkedId(start.id ?? newRunId());
  const subject = start.subject ?? ANONYMOUS;
  const tenant = start.tenant ?? 'default';
  const guard = through(seams, 'input', async (value) => value);
  const guarded = await guard(roundTrip(input), { runId: id, tenant, subject, at: '' });
  const who = { agent, version, subject, tenant };
  const { starter } = start;
  const known = starter === undefined ? {} : { starter };
  const first: EventOf<'run-start'> = { type: 'run-start', v: EVENT_VERSION, ...who, input: guarded, budget, ...known };
  return opened.worker.admit({ id, agent }, async (waits) => {
    const inLine = waits || (lives.isClosed && settings.dispatcher === undefined);
    await create(opened, {
      id,
      ...who,
      createdAt: clock.now(),
      inLine,
      ...(start.source === undefined ? {} : { source: start.source }),
      first: firstBatch(first, clock.now()),
    });
    return launchNew(opened, id, inLine);
  });
}

export async function forkRun(opened: Opened, runId: string, given: ForkOptions): Promise<RunHandle> {
  const { lives, settings } = opened;
  const { engine, clock } = settings;
  lives.assertOpen();
  const parent = await recordOf(opened, runId);
  const { version } = lives.agent(parent.agent);
  const generation = given.generation ?? parent.generation;
  const beside = await rejectionsBeside(engine, parent); // first: what the run hears meanwhile is in its journal then
  const { entries, own } = await readThere(opened, runId, async () => {
    const loaded = await load(engine, parent, generation);
    return { entries: loaded.entries, own: startOf(runId, loaded.entries, given) };
  });
  const id = checkedId(given.id ?? newRunId());
  const live = given.live ?? false;
  const by = given.by ?? parent.subject;
  const prefix = entries.filter(({ inherited, seq }) => inherited !== undefined || seq <= given.at);
  const now = Math.max(clock.now(), prefix.at(-1)?.at ?? 0); // its past is not in its future
  const latest = await stateNow(opened, parent, { generation, entries }, beside);
  const fork = { run: runId, generation, seq: given.at };
  const who = { agent: parent.agent, version, subject: by, tenant: parent.tenant };
  const start: EventOf<'run-start'> = {
    type: 'run-start',
    v: EVENT_VERSION,
    ...who,
    input: own.input,
    budget: checkedBudget(given.budget ?? withoutPastDeadline(completed(own.budget), now)),
    fork: { ...fork, live, by, state: snapshotFor(live ? 'liveFork' : 'fork', stateAfter(prefix), latest) },
  };
  return opened.worker.admit({ id, agent: parent.agent }, async (inLine) => {
    await create(opened, {
      id,
      ...who,
      version: parent.version, // that code fits what the fork begins with; ours may not
      createdAt: clock.now(),
      inLine,
      fork,
      ...(parent.source === undefined ? {} : { source: parent.source }),
      first: firstBatch(start, now),
    });
    return launchNew(opened, id, inLine);
  });
}

/** Whoever asks again for a run that is there may have died, or heard nothing, before it was dispatched. */
async function create({ settings: { engine, dispatcher } }: Opened, run: NewRun): Promise<void> {
  await engine.create(run).catch(async (error: unknown) => {
    if (error instanceof FlyballError && error.code === 'RUN_EXISTS') await dispatcher?.dispatch(run.id);
    throw error;
  });
}

/** A run that is removed while it is read looks damaged or empty: then it is said that it is gone. */
async function readThere<T>(opened: Opened, runId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    await recordOf(opened, runId);
    throw error;
  }
}

/** The start of the part that is forked, once it is clear that it can be forked there. */
function startOf(
  runId: string,
  entries: readonly LoadedEntry[],
  { at }: ForkOptions,
): EventOf<'run-start' | 'generation-start'> {
  const own = entries.filter((entry) => entry.inherited === undefined);
  const point = forkPointCheck(own, at);
  if (!point.ok) {
    const message = `Cannot fork ${runId} at entry ${at}. ${point.why} The nearest valid entry is ${point.nearest}.`;
    throw new FlyballError('FORK_REFUSED', message, { detail: { nearest: point.nearest } });
  }
  const first = own[0]?.event;
  if (first?.type === 'run-start' || first?.type === 'generation-start') return first;
  throw new FlyballError('JOURNAL_CORRUPT', `Run ${runId} has no start.`);
}

/** What the parent knows by now, which may be after the generation that is forked. */
async function stateNow(
  { settings: { engine } }: Opened,
  parent: RunRecord,
  forked: { readonly generation: number; readonly entries: readonly LoadedEntry[] },
  beside: RunState['rejections'],
): Promise<RunState> {
  const isLatest = forked.generation === parent.generation;
  const byNow = stateAfter(isLatest ? forked.entries : (await load(engine, parent, parent.generation)).entries);
  return { ...byNow, rejections: { ...beside, ...byNow.rejections } };
}

function checkedBudget(given: Budget | undefined): Budget {
  if (given === undefined) throw new ConfigError('A run needs a budget, for example budget: budget({ costUsd: 1 }).');
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
  throw new ConfigError('The id of a run must have 1 to 200 characters without spaces. Choose another, or omit it.');
}

function newRunId(): string {
  return `run_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}
