import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { type Agent, budget, createRuntime, done, type Engine, FlyballError, type Run, type Runtime } from 'flyball';
import type { TemporaryFile } from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';

/** What happened outside, in order: no run can take any of it back by forgetting it. */
export type Acts = string[];

const LONG = 'The invoice says: two chairs, one table, and the delivery of all three. '.repeat(6);
const WAITING = ['waits-1', 'waits-2', 'waits-3', 'goes-on'] as const;
const ENDED = ['pays-1', 'pays-2', 'undoes-1', 'undoes-2'] as const;
export const RUNS: readonly string[] = [...ENDED, ...WAITING];

/** Agents that pay, undo, wait, go on in a new generation and keep long texts: a bit of everything a journal holds. */
function openWorld(engine: Engine, acts: Acts): Runtime {
  const pay = (run: Run, what: string): Promise<string> =>
    run.step(
      'pay',
      what,
      async () => {
        acts.push(`${run.id} paid ${what}`);
        return `${what} ${LONG}`;
      },
      {
        class: 'undoable',
        compensate: async () => {
          acts.push(`${run.id} took back ${what}`);
        },
      },
    );
  const pays: Agent<null, number> = async (run) => {
    for (const what of ['a', 'b', 'c']) await pay(run, what);
    return done(3);
  };
  const undoes: Agent<null, number> = async (run) => {
    await pay(run, 'a');
    run.note({ kind: 'progress', text: LONG });
    throw new Error('the second shop is closed');
  };
  const waits: Agent<null, string> = async (run) => {
    await pay(run, 'a');
    const payload = await run.wait<string>({ name: 'go' });
    await pay(run, 'b');
    return done(`went on with ${payload}`);
  };
  const goesOn: Agent<number | null, string> = async (run, round) => {
    await pay(run, `round ${round ?? 0}`);
    if ((round ?? 0) < 2) return run.continueWith((round ?? 0) + 1);
    await run.wait({ name: 'go' });
    return done('after three rounds');
  };
  return createRuntime({
    engine,
    agents: { pays, undoes, waits, 'goes-on': goesOn },
    onProblem: () => undefined, // what a worker meets is seen in the runs themselves
    options: { suspendAfterMs: 1, worker: false },
  });
}

/** Fills the file, and leaves it closed. */
export async function fill(file: TemporaryFile, acts: Acts): Promise<void> {
  const engine = await file.open();
  const runtime = openWorld(engine, acts);
  for (const id of RUNS) {
    const agent = id.replace(/-\d$/, '');
    await (await runtime.start(agent, null, { id, budget: budget({}), tenant: 'acme', subject: 'ada' })).outcome();
  }
  await runtime.close();
  await engine.close();
}

/** How one run showed itself, or the error it answered with. */
export type Seen = { readonly shows: string } | { readonly error: unknown };
export interface Examined {
  readonly runs: Readonly<Record<string, Seen>>;
  readonly list: Seen;
  readonly acts: Acts;
}

/** Opens the file and uses everything in it: reads, lists, and lets every run that waits go on to its end. */
export async function examine(file: TemporaryFile): Promise<Examined> {
  const acts: Acts = [];
  const engine = await file.open();
  const runtime = openWorld(engine, acts);
  try {
    const list = await seen(async () => (await runtime.list()).runs.map(({ id }) => id).join());
    const runs: Record<string, Seen> = {};
    for (const id of RUNS) runs[id] = await seen(() => lookAt(runtime, id));
    return { runs, list, acts };
  } finally {
    await runtime.close();
    await engine.close();
  }
}

async function lookAt(runtime: Runtime, id: string): Promise<string> {
  const { agent, tenant, subject, status, generation, waiting } = await runtime.get(id);
  const entries = await runtime.entries(id);
  if (status === 'suspended') {
    await runtime.signal(id, 'go', 'a signal');
    await within(runtime.wake(id));
  }
  const { usage: _, ...outcome } = (await within(runtime.handle(id).finished())) as { readonly usage?: unknown };
  return JSON.stringify([agent, tenant, subject, status, generation, waiting, entries, outcome]);
}

async function seen(look: () => Promise<string>): Promise<Seen> {
  try {
    return { shows: await look() };
  } catch (error) {
    return { error };
  }
}

const PATIENCE_MS = 10_000;
async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Puts these bytes in the place of the database, with nothing beside it. */
export function replace(file: TemporaryFile, bytes: Uint8Array): void {
  for (const end of ['-wal', '-shm', '.tip']) if (existsSync(file.path + end)) rmSync(file.path + end);
  writeFileSync(file.path, bytes);
}

/** An error that says what is wrong with the storage, not one that merely escaped. */
export function isSaid(error: unknown): error is FlyballError {
  return error instanceof FlyballError;
}
