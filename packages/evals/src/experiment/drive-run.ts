import type { Budget, Clock, Engine, Outcome, RunHandle, RunStatus, Runtime } from 'flyball';
import { FlyballError } from 'flyball';
import type { SimulationInput } from './simulation-agent.js';

export interface Drivers {
  readonly runtime: Runtime;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly budget: Budget;
}

export const SIMULATION = 'simulation';

const ENDED: ReadonlySet<RunStatus> = new Set(['done', 'degraded', 'blocked', 'cancelled', 'failed', 'bounded']);

/** How long a run that somebody else holds is looked at again, and how often its lease may be renewed meanwhile. */
const LOOK_MS = 250;
const FOREIGN_RENEWALS = 2;

/** Takes one run to its end: starts it, goes on with it after a crash, or reads how it ended. */
export async function driveRun(drivers: Drivers, id: string, input: SimulationInput): Promise<Outcome<unknown>> {
  const { runtime, clock } = drivers;
  let handle = await opened(drivers, id, input);
  for (;;) {
    const outcome = await handle.outcome();
    if (outcome.stop !== 'suspended') return outcome;
    const sleeping = outcome.waiting.find(({ kind, until }) => kind === 'sleep' && until !== undefined);
    if (sleeping?.until === undefined) return nobodyAnswers(drivers, id, outcome.waiting[0]?.name ?? 'a signal');
    await passed(clock, sleeping.until - clock.now());
    handle = await runtime.wake(id);
  }
}

async function opened(drivers: Drivers, id: string, input: SimulationInput): Promise<RunHandle> {
  const { runtime, engine, budget } = drivers;
  const record = await engine.get(id);
  if (record === undefined) return runtime.start(SIMULATION, input, { id, budget, subject: 'experiment' });
  if (ENDED.has(record.status)) return runtime.handle(id);
  if (record.status === 'paused' || record.status === 'stalled') return runtime.resume(id, { by: 'experiment' });
  return wokenUp(drivers, id);
}

/** A process that died without proof holds its runs until its lease ends; one that lives keeps renewing it. */
async function wokenUp({ runtime, engine, clock }: Drivers, id: string): Promise<RunHandle> {
  let renewals = 0;
  let lease: number | undefined;
  for (;;) {
    try {
      return await runtime.wake(id);
    } catch (error) {
      if (!(error instanceof FlyballError) || error.code !== 'JOURNAL_CONFLICT') throw error;
      const record = await engine.get(id);
      if (record !== undefined && ENDED.has(record.status)) return runtime.handle(id);
      if (lease !== undefined && record?.leaseUntil !== lease && ++renewals > FOREIGN_RENEWALS)
        throw takenElsewhere(id, error);
      lease = record?.leaseUntil;
      await passed(clock, LOOK_MS);
    }
  }
}

/** A simulation has nobody who could answer: what waits for a person is given up. */
async function nobodyAnswers({ runtime }: Drivers, id: string, what: string): Promise<Outcome<unknown>> {
  const why = `it waits for ${what}, and nobody answers in an experiment`;
  await runtime.cancel(id, { by: 'experiment', why });
  const handle = await runtime.wake(id).catch(() => runtime.handle(id));
  await handle.outcome();
  return { stop: 'blocked', because: why };
}

export function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(Math.max(0, ms), resolve);
  });
}

function takenElsewhere(id: string, cause: unknown): FlyballError {
  return new FlyballError(
    'JOURNAL_CONFLICT',
    `Another process is running simulation ${id}. Wait until it has ended, or end it, then resume.`,
    { detail: { id }, cause },
  );
}
