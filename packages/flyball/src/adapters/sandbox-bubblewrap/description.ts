import type { SandboxDescription } from '../../ports/sandbox.js';
import { RESERVED_MB } from '../sandbox-process/resource-limits.js';
import type { BubblewrapMode } from './arguments.js';
import type { ControlGroupPlaces } from './control-group-places.js';
import { systemCallFilter } from './system-call-filter.js';

/** What this machine offers to a sandbox. */
export interface Means {
  readonly path: string;
  readonly mode: BubblewrapMode;
  readonly prlimit: string | undefined;
  readonly places: ControlGroupPlaces | undefined;
  /** Why there is no control group. */
  readonly without: string;
}

type Limits = Pick<SandboxDescription, 'memory' | 'processes' | 'cpu'>;

export function describeBubblewrap({ mode, places, prlimit, without }: Means): SandboxDescription {
  const files = 'only the mounts are there, the root is read-only, /tmp is its own and gone afterwards';
  const names = mode.userNamespace
    ? 'own user, process, network and mount namespaces'
    : 'own namespaces, but not of users';
  const filter =
    systemCallFilter() === undefined
      ? `no system-call filter on ${process.arch}`
      : 'a system-call filter against the keyring and files that run as their owner';
  const nested = mode.noNestedNamespaces ? '' : '; programs inside may make user namespaces of their own';
  return {
    name: 'bubblewrap',
    files: { confined: true, by: files },
    network: { confined: true, by: 'a network namespace with nothing in it, unless the job asks for the host’s' },
    disk: {
      confined: true,
      by: `what a job writes is measured while it runs${prlimit === undefined ? '' : ', and prlimit bounds each file'}`,
    },
    ...(places === undefined ? perProcess(prlimit, without) : byGroup(places)),
    note: `${names}, no capabilities, ${filter}${nested}`,
  };
}

function byGroup(places: ControlGroupPlaces): Limits {
  const by = { confined: true, by: `cgroup v${places.version}, for the job as a whole` };
  const counts = places.version === 2 || places.cpuacct !== undefined;
  return { memory: by, processes: by, cpu: counts ? by : { confined: true, by: 'prlimit, each process by itself' } };
}

function perProcess(prlimit: string | undefined, without: string): Limits {
  if (prlimit === undefined) {
    const missing = { confined: false, by: `no control groups (${without}) and no prlimit` };
    return { memory: missing, processes: missing, cpu: missing };
  }
  const because = `there is no control group: ${without}`;
  return {
    memory: {
      confined: true,
      by: `prlimit, private memory of each process by itself and ${RESERVED_MB} MB more for what runtimes reserve; ${because}`,
    },
    processes:
      process.getuid?.() === 0
        ? { confined: false, by: `the kernel does not count root's processes, and ${because}` }
        : { confined: true, by: `prlimit, in the sandbox's own user namespace; ${because}` },
    cpu: { confined: true, by: `prlimit, CPU time of each process by itself; ${because}` },
  };
}
