import { FlyballError } from '../core/errors.js';
import type { Engine, RunFilter, RunRecord, RunStatus } from '../ports/engine.js';
import type { Runtime } from '../runtime/runtime.js';
import { everyRun } from './every-run.js';

/** One decision about many runs. */
export type BulkAction = 'resume' | 'retry' | 'cancel';

/** What each of them is for. A run that stands otherwise is left alone. */
export const BULK: Readonly<Record<BulkAction, readonly RunStatus[]>> = {
  resume: ['paused'],
  retry: ['stalled'],
  cancel: ['pending', 'running', 'suspended', 'paused', 'bounded', 'stalled'],
};

export type BulkFilter = Pick<RunFilter, 'tenant' | 'subject' | 'agent' | 'code' | 'before'> & {
  readonly status?: RunStatus;
};

/** The runs that the action would be about, newest first. */
export async function bulkRuns(
  engine: Pick<Engine, 'list'>,
  action: BulkAction,
  { status, ...filter }: BulkFilter,
  limit: number,
): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = [];
  for (const each of BULK[action].filter((one) => status === undefined || one === status))
    for await (const run of everyRun(engine, { ...filter, status: each })) {
      if (found.length >= limit) return found;
      found.push(run);
    }
  return found;
}

export interface BulkResult {
  readonly done: readonly string[];
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

export interface BulkParts {
  readonly engine: Engine;
  readonly runtime: Pick<Runtime, 'cancel'>;
  readonly by: string;
  readonly why?: string;
  readonly now: () => number;
}

/** Says it to each of them. Whoever runs them, a server or a command, carries it out. */
export async function carryOutBulk(
  parts: BulkParts,
  action: BulkAction,
  runs: readonly RunRecord[],
): Promise<BulkResult> {
  const done: string[] = [];
  const refused: { id: string; why: string }[] = [];
  for (const { id } of runs) {
    try {
      await say(parts, action, id);
      done.push(id);
    } catch (error) {
      if (!(error instanceof FlyballError) || error.code.startsWith('STORAGE_')) throw error;
      refused.push({ id, why: error.message });
    }
  }
  return { done, refused };
}

async function say({ engine, runtime, by, why, now }: BulkParts, action: BulkAction, id: string): Promise<void> {
  if (action === 'cancel') return runtime.cancel(id, { by, ...(why === undefined ? {} : { why }) });
  // the journal of the run says who let it go on
  const at = now();
  await engine.post(id, { id: `${action}-${at}-${id}`, kind: 'resume', name: '', from: by, at, body: '' });
  if (action === 'retry') await engine.requeue(id);
}
