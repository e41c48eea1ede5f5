import { isAbsolute } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { SANDBOX_LIMITS, type SandboxJob, type SandboxLimits } from '../../ports/sandbox.js';

/** The job's limits over the defaults; a limit that is no positive number would be no limit. */
export function limitsOf({ limits = {} }: SandboxJob): SandboxLimits {
  const all = { ...SANDBOX_LIMITS, ...limits };
  for (const [name, limit] of Object.entries(all)) {
    if (!(Number.isFinite(limit) && limit > 0)) throw new ConfigError(`Limit ${name} must be above 0, got ${limit}.`);
  }
  return all;
}

export function requireSoundJob(job: SandboxJob): void {
  if (job.stages.length === 0) throw new ConfigError('A job needs at least one argument vector.');
  for (const stage of job.stages) {
    if (stage[0] === undefined || stage[0] === '') throw new ConfigError('An argument vector begins with a program.');
    // the kernel ends a string there, so that what was checked is not what is run
    if (stage.some((word) => word.includes('\0'))) throw new ConfigError('An argument contains a zero byte.');
  }
  for (const path of [job.cwd, ...job.mounts.map((mount) => mount.path)]) {
    if (!isAbsolute(path)) throw new ConfigError(`${path} is not an absolute path.`);
  }
  for (const [name, value] of Object.entries(job.env ?? {})) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new ConfigError(`${name} is not a valid variable name.`);
    if (value.includes('\0')) throw new ConfigError(`The variable ${name} contains a zero byte.`);
  }
}
