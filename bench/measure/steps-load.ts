import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Agent, createRuntime, done } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { wideBudget } from './wide-budget.js';

export interface Load {
  readonly effect: 'pure' | 'idempotent';
  readonly runs: number;
  readonly effects: number;
  readonly resultBytes: number;
}

export interface Stall {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Driven {
  readonly ms: number;
  /** Journal entries of each commit, in order. */
  readonly commits: readonly number[];
  readonly stall: Stall;
}

/** Runs that do nothing but steps, on SQLite: what it costs to make effects durable. */
export async function driveSteps(path: string, load: Load, how: { readonly watched: boolean }): Promise<Driven> {
  const commits: number[] = [];
  let submitted = 0;
  const file = await sqliteEngine({
    path,
    // all that was submitted up to here is in this commit: a flush takes everything at once
    hooks: {
      beforeCommit: () => {
        commits.push(submitted);
        submitted = 0;
      },
    },
  });
  const engine: typeof file = {
    ...file,
    create: (run) => {
      submitted += run.first.entries.length;
      return file.create(run);
    },
    append: (claim, batch) => {
      submitted += batch.entries.length;
      return file.append(claim, batch);
    },
  };
  const runtime = createRuntime({ engine, agents: { stepper: stepper(load) }, options: { worker: false } });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  if (how.watched) delay.enable(); // its timer ticks every millisecond: it would count against the rate
  const began = performance.now();
  const handles = await Promise.all(
    Array.from({ length: load.runs }, (_, n) =>
      runtime.start('stepper', n, { budget: wideBudget, id: `${process.pid}-${n}` }),
    ),
  );
  // asked all at once: the outcome of a run that has ended before somebody asks is read back from its journal
  const outcomes = await Promise.all(handles.map((handle) => handle.outcome()));
  const other = outcomes.find(({ stop }) => stop !== 'done');
  if (other !== undefined) throw new Error(`A run ended ${other.stop}.`);
  const ms = performance.now() - began;
  delay.disable();
  await runtime.close();
  await engine.close();
  return { ms, commits, stall: stallOf(delay) };
}

function stepper({ effect, effects, resultBytes }: Load): Agent<number, null> {
  const filling = 'x'.repeat(resultBytes);
  return async (run, n) => {
    for (let step = 0; step < effects; step++) {
      await run.step('work', step, () => `${n} ${step} ${filling}`, effect);
    }
    return done(null);
  };
}

function stallOf(delay: ReturnType<typeof monitorEventLoopDelay>): Stall {
  return { p50Ms: delay.percentile(50) / 1e6, p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 };
}
