import { FlyballError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { TaskSpec } from '../../core/work.js';
import type { RecordKey, Store } from '../../ports/store.js';
import { COMMIT_PROTOCOL, type CommitResult, type RepairEntry } from './contracts.js';
import type { RepairOutcome } from './control/index.js';
import type { SeenTask } from './exit/index.js';
import { EMPTY_RATES, type RepairRates, withRepairs } from './repair/rates.js';
import { taskHash, verifyCommit } from './seal.js';

/** What loops of one name leave for each other: committed results, and what was learned about repairing. */
export interface LoopHistory {
  /** The result of this very task, where it was committed before. */
  readonly committed?: CommitResult;
  readonly rates: RepairRates;
  readonly outcomes: readonly RepairOutcome[];
  /** Tasks of the class that were committed. */
  readonly seen: readonly SeenTask[];
}

/** What one loop adds: its repairs, how they changed the quality, and the task itself where it was committed. */
export interface Lesson {
  /** Of the loop that learned it: told a second time, after a crash or in a second try, it is still one lesson. */
  readonly id: string;
  readonly repairs: readonly RepairEntry[];
  readonly outcomes: readonly RepairOutcome[];
  readonly seen?: SeenTask;
}

const COMMITS = 'commits';
const LESSONS = 'commit-lessons';
/** Old repairs say little about today's model. */
const MOST_OUTCOMES = 40;
const MOST_SEEN = 50;
const LONGEST_SEEN = 2_000;

interface Learned extends Omit<LoopHistory, 'committed'> {
  /** Ids of the last lessons. */
  readonly lessons: readonly string[];
}

export async function readHistory(run: Run, store: Store, loop: string, task: TaskSpec): Promise<LoopHistory> {
  const hash = taskHash(loop, task);
  return run.step(
    'commit-history',
    { loop, task: hash, taskClass: task.taskClass },
    async () => {
      const committed = await store.get(place(run, COMMITS, hash));
      const learned = (await store.get(place(run, LESSONS, lessonKey(loop, task))))?.value as Learned | undefined;
      return {
        ...(committed === undefined ? {} : { committed: readable(committed.value as CommitResult) }),
        rates: learned?.rates ?? EMPTY_RATES,
        outcomes: learned?.outcomes ?? [],
        seen: learned?.seen ?? [],
      };
    },
    'pure',
  );
}

/** A record of another major version may mean something else by the same words, and an altered one means nothing. */
function readable(result: CommitResult): CommitResult {
  const { protocol } = result.provenance;
  if (protocol.major !== COMMIT_PROTOCOL.major)
    throw new FlyballError(
      'CONFIG_INVALID',
      `The committed result was written by protocol ${protocol.major}.${protocol.minor}, this is ${COMMIT_PROTOCOL.major}.${COMMIT_PROTOCOL.minor}. Submit the task under another id, or use the version that wrote it.`,
    );
  if (verifyCommit(result)) return result;
  throw new FlyballError(
    'INVARIANT_BROKEN',
    `The result that was committed for task ${result.provenance.task} has been altered since. Find out by whom, then submit the task under another id.`,
    { detail: { task: result.provenance.task, provenance: result.provenance.hash } },
  );
}

/**
 * Makes a result durable and answers what is committed: this one, or what another run committed for the task before it.
 * `tried` are the hashes of what earlier tries of this COMMIT would have committed: nobody was told of them. When the
 * run is rolled back after all, nothing may be given out as committed that the rollback has taken back.
 */
export async function persist(
  run: Run,
  store: Store,
  loop: string,
  task: TaskSpec,
  { result, tried }: { readonly result: CommitResult; readonly tried: readonly string[] },
): Promise<CommitResult> {
  const at = place(run, COMMITS, taskHash(loop, task));
  const standing = await run.step(
    'commit-result',
    { key: at.key, hash: result.provenance.hash, tried, at: run.now() },
    async (input, { key }) => {
      // what somebody else committed first stays committed: it may have been given out already
      const make = (before: unknown): unknown => (isWhole(before) && !isOneOf(before, input.tried) ? before : result);
      await put(store, at, { id: key, now: input.at, make });
      const { value } = (await store.get(at)) ?? { value: result };
      return isOf(value, input.hash) ? null : readable(value as CommitResult);
    },
    {
      class: 'idempotent',
      records: true,
      compensate: (input, _done, { key }) => takeBack(store, at, input, key),
      simulate: () => null,
    },
  );
  return standing === null ? result : { ...standing, resubmitted: true };
}

function isWhole(value: unknown): boolean {
  return (value as CommitResult | undefined)?.status === 'committed';
}

/** What was there before is there again; a result that somebody else has committed since stays. */
async function takeBack(
  store: Store,
  at: RecordKey,
  { hash, tried, at: now }: { readonly hash: string; readonly tried: readonly string[]; readonly at: number },
  id: string,
): Promise<void> {
  if (!isOf((await store.get(at))?.value, hash)) return;
  const own = [...tried, hash];
  const before = (await store.history(at)).findLast(({ value, erased }) => erased !== true && !isOneOf(value, own));
  if (before === undefined) await store.erase(at, now);
  else await put(store, at, { id, now, make: () => before.value });
}

function isOneOf(value: unknown, hashes: readonly string[]): boolean {
  return hashes.some((hash) => isOf(value, hash));
}

function isOf(value: unknown, hash: string): boolean {
  return (value as CommitResult | undefined)?.provenance?.hash === hash;
}

/** Adds what was learned; two loops that learn at the same time both count. */
export async function learn(run: Run, store: Store, loop: string, task: TaskSpec, lesson: Lesson): Promise<void> {
  const at = place(run, LESSONS, lessonKey(loop, task));
  await run.step(
    'commit-lesson',
    { ...lesson, at: run.now() },
    async (input, { key }) => {
      const make = (before: unknown): unknown => withLesson(before as Learned | undefined, input);
      await put(store, at, { id: key, now: input.at, make });
      return null;
    },
    LEARNING,
  );
}

/** Whatever the loop has come to, what is noted down about it afterwards does not change it: a failure of that is told. */
export async function evenIfItFails(
  run: Run,
  told: { readonly kind: 'after-commit-failed' | 'after-failure-failed'; readonly what: 'lesson' | 'memory' },
  doing: () => Promise<void>,
): Promise<void> {
  try {
    await doing();
  } catch (error) {
    if (!(error instanceof FlyballError) || error.code === 'CANCELLED') throw error;
    run.note({ ...told, code: error.code, why: error.message });
  }
}

/** What a loop has seen stays true when its work is taken back. */
const LEARNING = {
  class: 'idempotent',
  records: true,
  compensate: async () => undefined,
  simulate: () => null,
} as const;

function withLesson(known: Learned | undefined, lesson: Lesson): Learned {
  const { rates = EMPTY_RATES, outcomes = [], seen = [], lessons = [] } = known ?? {};
  if (known !== undefined && lessons.includes(lesson.id)) return known;
  return {
    rates: withRepairs(rates, lesson.repairs),
    outcomes: [...outcomes, ...lesson.outcomes].slice(-MOST_OUTCOMES),
    seen: [...seen, ...(lesson.seen === undefined ? [] : [{ text: lesson.seen.text.slice(0, LONGEST_SEEN) }])].slice(
      -MOST_SEEN,
    ),
    lessons: [...lessons, lesson.id].slice(-MOST_OUTCOMES),
  };
}

const TRIES = 5;

/** Writes over whatever is there, and again when somebody else was faster. The id makes a repetition harmless. */
async function put(
  store: Store,
  at: RecordKey,
  how: { readonly id: string; readonly now: number; readonly make: (before: unknown) => unknown },
): Promise<void> {
  for (let tried = 1; ; tried++) {
    const before = await store.get(at);
    const id = `${how.id}:${before?.version ?? 0}`;
    try {
      await store.propose(at, { id, over: before?.version ?? 0, value: how.make(before?.value), now: how.now });
      await store.commit(at, id, how.now);
      return;
    } catch (error) {
      if (!(error instanceof FlyballError && error.code === 'RECORD_CONFLICT') || tried >= TRIES) throw error;
    }
  }
}

function lessonKey(loop: string, { taskClass }: TaskSpec): string {
  return `${loop}/${taskClass}`;
}

function place(run: Run, collection: string, key: string): RecordKey {
  return { tenant: run.tenant, owner: run.subject, collection, key };
}
