import type { SandboxJob, SandboxLimits } from '../../ports/sandbox.js';
import { REPORT, type StageStart } from '../sandbox-process/pipeline.js';
import { type BubblewrapMode, bubblewrapArguments } from './arguments.js';
import { systemCallFilter } from './system-call-filter.js';

export interface StageSettings {
  readonly path: string;
  readonly mode: BubblewrapMode;
  readonly job: SandboxJob;
  readonly limits: SandboxLimits;
  /** Words before the program, inside. */
  readonly wrap: readonly string[];
  /** Files of control groups that it has to enter before bubblewrap begins. */
  readonly join: readonly string[];
}

const FDS = { options: 3, status: 4, passwd: 5, group: 6, filter: 7 };

/** Enters its control groups and becomes bubblewrap. The job's words are positions here, never part of the script. */
const JOIN_AND_BECOME =
  'n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 > "$1" || exit 125; shift; n=$((n-1)); done; exec "$@"';

/** One stage of a job as a process to start: its own bubblewrap, with nothing of our environment for it to show. */
export function bubblewrapStage(words: readonly string[], settings: StageSettings): StageStart {
  const filter = systemCallFilter();
  const options = [
    ...bubblewrapArguments(settings.job, { ...settings, fds: FDS }),
    ...(filter === undefined ? [] : ['--seccomp', String(FDS.filter)]),
  ];
  // through a descriptor: on the command line every user of the machine could read the variables in it
  const command = [settings.path, '--args', String(FDS.options), '--', ...settings.wrap, ...words];
  return {
    file: '/bin/sh',
    arguments: ['-c', JOIN_AND_BECOME, 'sh', String(settings.join.length), ...settings.join, ...command],
    env: {},
    cwd: '/',
    descriptors: [
      options.map((option) => `${option}\0`).join(''),
      REPORT,
      accounts().passwd,
      accounts().group,
      ...(filter === undefined ? [] : [filter]),
    ],
  };
}

/** The only account inside, so that programs which look themselves up find a name. */
function accounts(): { readonly passwd: string; readonly group: string } {
  const [uid, gid] = [process.getuid?.() ?? 65534, process.getgid?.() ?? 65534];
  return { passwd: `sandbox:x:${uid}:${gid}::/tmp:/bin/sh\n`, group: `sandbox:x:${gid}:\n` };
}
