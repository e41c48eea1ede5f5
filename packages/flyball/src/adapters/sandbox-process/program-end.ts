import type { LimitName, ProgramEnd, SandboxEnd, SandboxLimits } from '../../ports/sandbox.js';
import type { ChildEnd } from './pipeline.js';
import { endedByCpuLimit, endedByFileLimit, notExecuted } from './resource-limits.js';
import type { Stopped, Supervised } from './supervise.js';

/** How one process ended. `code` above 128 stays a code: nobody can tell whether the program chose it. */
export function programEnd(end: ChildEnd): ProgramEnd {
  if (end.failure !== undefined) return { how: 'not-started', because: end.failure.message };
  const because = notExecuted(end);
  if (because !== undefined) return { how: 'not-started', because };
  if (end.signal !== null) return { how: 'signal', signal: end.signal };
  return { how: 'exit', code: end.code ?? 0 };
}

/** How the job ended: by whoever stopped it, by a limit of the kernel, or as its last stage did. */
export function jobEnd(supervised: Supervised, ends: readonly ProgramEnd[], limits: SandboxLimits): SandboxEnd {
  const stopped = supervised.stopped ?? kernelLimit(supervised.stages);
  if (stopped === 'aborted') return { how: 'aborted' };
  if (stopped !== undefined) return { how: 'limit', limit: stopped, allowed: limits[stopped] };
  const missing = ends.find((end) => end.how === 'not-started');
  return missing ?? ends.at(-1) ?? { how: 'exit', code: 0 };
}

function kernelLimit(stages: readonly ChildEnd[]): Exclude<Stopped, 'aborted'> | undefined {
  if (stages.some(endedByCpuLimit)) return 'cpuS' satisfies LimitName;
  return stages.some(endedByFileLimit) ? ('diskMb' satisfies LimitName) : undefined;
}
