import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { ConfigError } from '../../core/errors.js';
import type { Sandbox, SandboxDescription, SandboxJob, SandboxResult } from '../../ports/sandbox.js';
import { baseEnvironment } from './environment.js';
import { limitsOf, requireSoundJob } from './job-checks.js';
import type { StageStart } from './pipeline.js';
import { JOB_MARK, killMarked } from './process-group.js';
import { jobEnd, programEnd } from './program-end.js';
import { findPrlimit, prlimitWords, RESERVED_MB } from './resource-limits.js';
import { supervise } from './supervise.js';

/**
 * Child processes with a clean environment and an end. Not a sandbox, and it says so: a program sees every file and
 * network that its user sees. Time, output and the process group hold everywhere, CPU time and memory of each process
 * where prlimit is there.
 */
export function processSandbox(options: { readonly note?: string } = {}): Sandbox {
  const prlimit = findPrlimit();
  return {
    name: 'process',
    describe: () => describe(prlimit, options.note),
    run: (job, how) => run(job, how.signal, prlimit),
  };
}

async function run(job: SandboxJob, signal: AbortSignal, prlimit: string | undefined): Promise<SandboxResult> {
  requireSoundJob(job);
  const limits = limitsOf(job);
  if (!existsSync(job.cwd) || !statSync(job.cwd).isDirectory()) throw new ConfigError(`${job.cwd} is not a folder.`);
  const mark = randomUUID();
  const env = { ...baseEnvironment(), ...job.env, [JOB_MARK]: mark };
  const wrap = prlimit === undefined ? [] : prlimitWords(prlimit, limits, { memory: true });
  const stages = job.stages.map((words): StageStart => {
    const [file = '', ...rest] = [...wrap, ...words];
    return { file, arguments: rest, env, cwd: job.cwd };
  });
  const supervised = await supervise(stages, {
    stdin: job.stdin,
    limits,
    signal,
    killRest: () => killMarked(mark),
  });
  const ends = supervised.stages.map(programEnd);
  return {
    end: jobEnd(supervised, ends, limits),
    stages: ends,
    stdout: supervised.stdout,
    stderr: supervised.stderr,
    usage: { wallMs: supervised.wallMs },
  };
}

function describe(prlimit: string | undefined, note: string | undefined): SandboxDescription {
  const each = (what: string) =>
    prlimit === undefined
      ? { confined: false, by: 'prlimit is not installed' }
      : { confined: true, by: `prlimit: ${what} of each process by itself` };
  return {
    name: 'process',
    files: { confined: false, by: 'a program reads and writes what its user may' },
    network: { confined: false, by: 'a program connects wherever its user may' },
    memory: each(`private memory, and ${RESERVED_MB} MB more for what runtimes reserve,`),
    processes: { confined: false, by: 'their number is not limited; all of them end with the job' },
    cpu: each('CPU time'),
    disk:
      prlimit === undefined
        ? each('')
        : { confined: false, by: 'prlimit bounds each file, and nothing all of them together' },
    ...(note === undefined ? {} : { note }),
  };
}
