import { readFileSync, readlinkSync } from 'node:fs';

/** What `/proc` says about a process. */
export interface ProcessStatus {
  /** In clock ticks since boot. */
  readonly startTime: string;
  /** It has ended and waits for its parent; no thread of it runs any more. */
  readonly isDead: boolean;
}

/** The text of `/proc/<pid>/stat`, where the name in brackets may hold spaces and brackets itself. */
export function parseStat(stat: string): ProcessStatus | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads, startTime] = [fields[0], fields[17], fields[19]];
  if (state === undefined || threads === undefined || startTime === undefined) return undefined;
  // the first thread of a dying process is a zombie while others still finish their last write
  return { startTime, isDead: (state === 'Z' || state === 'X') && Number(threads) <= 1 };
}

export function readStatus(pid: number): ProcessStatus | undefined {
  const stat = readOptional(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat === undefined ? undefined : parseStat(stat);
}

export function readBootId(): string | undefined {
  return readOptional(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

export function readPidNamespace(): string | undefined {
  return readOptional(() => readlinkSync('/proc/self/ns/pid'));
}

/** True when the system itself says that there is no such process; one of another user counts as existing. */
export function hasNoProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** `/proc` is absent on other systems, and entries vanish with their process: both read as undefined. */
function readOptional(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
