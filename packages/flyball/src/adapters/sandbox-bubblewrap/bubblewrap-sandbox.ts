import { readFileSync } from 'node:fs';
import { FlyballError } from '../../core/errors.js';
import {
  SANDBOX_LIMITS,
  type Sandbox,
  type SandboxJob,
  type SandboxLimits,
  type SandboxResult,
} from '../../ports/sandbox.js';
import { limitsOf, requireSoundJob } from '../sandbox-process/job-checks.js';
import type { ChildEnd } from '../sandbox-process/pipeline.js';
import { processSandbox } from '../sandbox-process/process-sandbox.js';
import { jobEnd, programEnd } from '../sandbox-process/program-end.js';
import { findPrlimit, prlimitWords } from '../sandbox-process/resource-limits.js';
import { supervise } from '../sandbox-process/supervise.js';
import { type ControlGroup, makeControlGroup } from './control-group.js';
import { type ControlGroupPlaces, controlGroupPlaces } from './control-group-places.js';
import { describeBubblewrap, type Means } from './description.js';
import { detectBubblewrap } from './detect.js';
import { diskWatch } from './disk-watch.js';
import { giveToOwner } from './owners.js';
import { keptRepositories, mayMakeRepositories, repositoriesBelow, setAside } from './repositories.js';
import { bubblewrapStage } from './stage.js';

/** Options of `bubblewrapSandbox`. */
export interface BubblewrapOptions {
  /** Where bwrap is, if not in a usual place. */
  readonly path?: string;
  /** `cgroup` where this process may make control groups, else `prlimit`; naming one insists on it. */
  readonly limitsBy?: 'cgroup' | 'prlimit';
}

/** bubblewrap's own processes beside each program: itself, and the first process of the new namespace. */
const OWN_PROCESSES = 2;

/** Rejects with SANDBOX_MISSING where bubblewrap cannot work. */
export async function bubblewrapSandbox(options: BubblewrapOptions = {}): Promise<Sandbox> {
  const found = await detectBubblewrap(options);
  if (!found.available) throw new FlyballError('SANDBOX_MISSING', `No sandbox: ${found.why}.`);
  const groups = options.limitsBy === 'prlimit' ? { without: 'prlimit was asked for' } : await findGroups();
  if (options.limitsBy === 'cgroup' && !('places' in groups))
    throw new FlyballError(
      'SANDBOX_MISSING',
      `No control groups: ${groups.without}. Leave limitsBy out to use prlimit.`,
    );
  const means: Means = { ...found, prlimit: findPrlimit(), places: undefined, without: '', ...groups };
  return {
    name: 'bubblewrap',
    describe: () => describeBubblewrap(means),
    run: (job, how) => run(job, how.signal, means),
  };
}

/** bubblewrap where it works, else plain processes that say why. A tool that insists on a sandbox refuses those. */
export async function localSandbox(options: BubblewrapOptions = {}): Promise<Sandbox> {
  const found = await detectBubblewrap(options);
  return found.available ? bubblewrapSandbox(options) : processSandbox({ note: found.why });
}

/** Makes one and removes it: permission is known only by trying. */
async function findGroups(): Promise<{ readonly places: ControlGroupPlaces } | { readonly without: string }> {
  try {
    const read = (name: string) => readFileSync(`/proc/self/${name}`, 'utf8');
    const places = controlGroupPlaces(read('cgroup'), read('mountinfo'));
    if (places === undefined) return { without: 'no control groups with memory and pids are mounted' };
    await makeControlGroup(places, SANDBOX_LIMITS, 0).remove();
    return { places };
  } catch (error) {
    return { without: (error as Error).message };
  }
}

async function run(job: SandboxJob, signal: AbortSignal, means: Means): Promise<SandboxResult> {
  requireSoundJob(job);
  const limits = limitsOf(job);
  const extra = OWN_PROCESSES * job.stages.length;
  const group = means.places === undefined ? undefined : makeControlGroup(means.places, limits, extra);
  const since = Date.now();
  const folders = job.mounts.filter(({ access }) => access === 'read-write').map(({ path }) => path);
  const known = mayMakeRepositories(job) ? undefined : await repositoriesBelow(folders);
  const mounts = [...job.mounts, ...keptRepositories(known ?? new Map(), job.mounts)];
  try {
    const result = await runIn(group, { job: { ...job, mounts }, signal, limits, disk: { folders, since } }, means);
    await giveToOwner(folders, since);
    const aside = known === undefined ? [] : await setAside(known, folders);
    return aside.length === 0 ? result : { ...result, end: { how: 'planted', aside } };
  } finally {
    group?.kill();
    await group?.remove();
  }
}

interface Running {
  readonly job: SandboxJob;
  readonly signal: AbortSignal;
  readonly limits: SandboxLimits;
  readonly disk: { readonly folders: readonly string[]; readonly since: number };
}

async function runIn(
  group: ControlGroup | undefined,
  { job, signal, limits, disk }: Running,
  means: Means,
): Promise<SandboxResult> {
  const written = diskWatch(disk.folders, { ...limits, since: disk.since });
  const wrap = wrapWords(means, limits);
  const stages = job.stages.map((words) =>
    bubblewrapStage(words, { ...means, job, limits, wrap, join: group?.joinFiles ?? [] }),
  );
  const ended = await supervise(stages, {
    stdin: job.stdin,
    limits,
    signal,
    tripped: () => group?.tripped() ?? (written.isOver() ? 'diskMb' : undefined),
    ...(group === undefined ? {} : { killRest: group.kill }),
  });
  const isOver = (await written.settle()) && ended.stopped === undefined;
  const supervised = isOver ? { ...ended, stopped: 'diskMb' as const } : ended;
  if (supervised.stopped === undefined) supervised.stages.forEach(requireSetUp);
  const ends = supervised.stages.map(programEnd);
  return {
    end: jobEnd(supervised, ends, limits),
    stages: ends,
    stdout: supervised.stdout,
    stderr: supervised.stderr,
    usage: { wallMs: supervised.wallMs, ...group?.usage() },
  };
}

function wrapWords({ prlimit, places }: Means, limits: SandboxLimits): string[] {
  if (prlimit === undefined) return [];
  const alone = places === undefined;
  return prlimitWords(prlimit, limits, {
    memory: alone,
    ...(alone ? { processes: limits.processes + OWN_PROCESSES } : {}),
  });
}

/** bubblewrap reports an exit code only for a program that it could start. */
function requireSetUp(end: ChildEnd): void {
  if (end.report.includes('"exit-code"')) return;
  const why = end.failure?.message ?? end.stderr.trim();
  throw new FlyballError('SANDBOX_MISSING', `bubblewrap could not set up the sandbox, so nothing was run: ${why}`);
}
