import { FlyballError } from '../core/errors.js';
import type { Rested } from '../ports/dispatcher.js';
import type { RunRecord } from '../ports/engine.js';
import { handleOf, launch, type Opened, recordOf } from './run-handles.js';
import { isStorageFailure } from './stopped-here.js';

/** Works on a run here until it rests and nothing has come for it since. Whose turn it is, somebody else has decided. */
export async function drive(opened: Opened, runId: string): Promise<Rested> {
  const { lives } = opened;
  let failure: { readonly error: unknown } | undefined;
  for (;;) {
    const record = await recordOf(opened, runId);
    const isHere = await lives.holds(runId);
    if (!isHere && !(await hasTurn(opened, record))) {
      if (!isPassedThrough(record)) return rested(opened, record);
      await untilLater(opened);
      continue;
    }
    if (failure !== undefined) throw failure.error; // it went wrong here, and is still to be done
    lives.agent(record.agent);
    const handle = isHere
      ? handleOf(opened, runId)
      : await launch(opened, runId, 'wake', undefined, { takeOver: true }).catch(async (error: unknown) => {
          if (!isPassedThrough(await recordOf(opened, runId))) throw error;
        });
    if (handle === undefined) {
      await untilLater(opened);
      continue;
    }
    failure = await handle.outcome().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure !== undefined && isOutOfHand(failure.error)) throw failure.error;
  }
}

/** Somebody holds it for a moment to write down what was decided about it: by the end of that lease at the latest it is free. */
function isPassedThrough({ status, owner }: RunRecord): boolean {
  return status === 'running' && owner?.passing === true;
}

function untilLater({ settings: { clock } }: Opened): Promise<void> {
  return new Promise((resolve) => clock.after(20, resolve));
}

/** Whether it has something to do now, whoever works on it. */
async function hasTurn({ settings: { engine, clock }, lives }: Opened, record: RunRecord): Promise<boolean> {
  const { id, agent, status } = record;
  const msLeft = lives.clocks.msLeft(record);
  if (status === 'suspended' && msLeft === 0) return true; // it has slept here for as long as it was to
  const asleep = msLeft === undefined ? [] : [id];
  const due = await engine.due({
    now: clock.now(),
    limit: 1,
    agents: [agent],
    only: [id],
    asleep,
    isGone: (owner) => owner.passing !== true || lives.isOver(owner),
  });
  return due.length > 0;
}

function rested({ settings: { clock }, lives }: Opened, record: RunRecord): Rested {
  const { status, wakeAt } = record;
  if (status !== 'suspended' || wakeAt === undefined) return { status };
  const msLeft = lives.clocks.msLeft(record);
  return { status, wakeAt: msLeft === undefined ? wakeAt : clock.now() + msLeft };
}

/** It is not ours any more, or not to be had: whoever dispatches has to hear of it. */
function isOutOfHand(error: unknown): boolean {
  return isStorageFailure(error) || (error instanceof FlyballError && error.code === 'RUN_UNLOADED');
}
