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
    if (!isHere && !(await hasTurn(opened, record))) return rested(opened, record);
    if (failure !== undefined) throw failure.error; // it went wrong here, and is still to be done
    lives.agent(record.agent);
    const handle = isHere
      ? handleOf(opened, runId)
      : await launch(opened, runId, 'wake', undefined, { takeOver: true });
    failure = await handle.outcome().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure !== undefined && isOutOfHand(failure.error)) throw failure.error;
  }
}

/** Whether it has something to do now, whoever holds it. */
async function hasTurn({ settings: { engine, clock }, lives }: Opened, record: RunRecord): Promise<boolean> {
  const { id, agent, status } = record;
  const msLeft = lives.clocks.msLeft(id);
  if (status === 'suspended' && msLeft === 0) return true; // it has slept here for as long as it was to
  const asleep = msLeft === undefined ? [] : [id];
  const due = await engine.due({
    now: clock.now(),
    limit: 1,
    agents: [agent],
    only: [id],
    asleep,
    isGone: () => true,
  });
  return due.length > 0;
}

function rested({ settings: { clock }, lives }: Opened, { id, status, wakeAt }: RunRecord): Rested {
  if (status !== 'suspended' || wakeAt === undefined) return { status };
  const msLeft = lives.clocks.msLeft(id);
  return { status, wakeAt: msLeft === undefined ? wakeAt : clock.now() + msLeft };
}

/** It is not ours any more, or not to be had: whoever dispatches has to hear of it. */
function isOutOfHand(error: unknown): boolean {
  return isStorageFailure(error) || (error instanceof FlyballError && error.code === 'RUN_UNLOADED');
}
