import type { Outcome } from '../core/outcome.js';
import type { Engine } from '../ports/engine.js';
import { load } from './load.js';
import { missingRun } from './missing-run.js';
import { setAsideError } from './opening.js';
import { indexJournal } from './recorded.js';
import { openWaits } from './reopening.js';

/** How a run that nobody runs here stands, from its journal. */
export async function restOf(engine: Engine, runId: string): Promise<Outcome<unknown>> {
  const record = await engine.get(runId);
  if (record === undefined) throw await missingRun(engine, runId);
  if (record.status === 'stalled') throw setAsideError(runId, record.attention ?? 'no reason is given');
  const { entries } = await load(engine, record, record.generation);
  const { end } = indexJournal(entries, { deep: false });
  if (end !== undefined) return end.outcome;
  const paused = record.status === 'paused' ? { paused: true } : {};
  return { stop: 'suspended', waiting: openWaits(entries, record), ...paused };
}
