import type { Engine } from 'flyball';
import { type CrashPoint, crashingEngine } from 'flyball/testing';
import { busyOf } from './busy-engine.js';
import type { Ending } from './mixed-agent.js';
import { type Doomed, type MixedRuns, mixedRuns } from './mixed-run.js';

export const ENDINGS: readonly Ending[] = ['done', 'fails', 'cancelled asleep', 'cancelled awake'];

export const immortal = (engine: Engine): Doomed => crashingEngine(engine, () => false);

/** The run that never crashed, and every instant at which it could have. */
export async function calmRun(
  ending: Ending,
  engine: Engine,
  runId: string,
): Promise<{ readonly calm: MixedRuns; readonly points: readonly CrashPoint[] }> {
  const process = crashingEngine(engine, () => false);
  const calm = await mixedRuns({ runIds: [runId], ending, patienceMs: 20_000, isBusy: busyOf(engine) }, () => process);
  return { calm, points: [...process.points] };
}

/** Dies at one point, and goes on in a second life. `writes`: how many the first life began. */
export async function crashedAt(
  point: Pick<CrashPoint, 'n' | 'when'>,
  ending: Ending,
  engine: Engine,
  runId: string,
): Promise<MixedRuns & { readonly writes: number }> {
  const first = crashingEngine(engine, { at: point.n, when: point.when });
  const about = { runIds: [runId], ending, patienceMs: 20_000, isBusy: busyOf(engine) };
  const crashed = await mixedRuns(about, (life) => (life === 0 ? first : immortal(engine)));
  return { ...crashed, writes: Math.max(0, ...first.points.map(({ n }) => n)) };
}

export const nameOf = (point: CrashPoint): string =>
  `${point.when} write ${point.n} (${point.op} ${point.entries?.join(', ') ?? ''})`;
