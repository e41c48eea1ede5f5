import { existsSync } from 'node:fs';
import type { SandboxLimits } from '../../ports/sandbox.js';

const PLACES = ['/usr/bin/prlimit', '/bin/prlimit'];
const MEGABYTE = 1024 * 1024;
/** 128 + SIGXCPU, as a shell or bubblewrap passes it on. */
const CPU_EXCEEDED = 152;
/** 128 + SIGXFSZ. */
const FILE_EXCEEDED = 153;

/** Where util-linux put it; undefined on systems without it. */
export function findPrlimit(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** What the kernel is to limit beside CPU time, for each process by itself. */
export interface PerProcess {
  readonly memory: boolean;
  /** Counts per user, so it says something only where the user is a new one. */
  readonly processes?: number;
}

/** Runtimes reserve memory that they never use, and it counts: Node 24 does not start with less than 600 MB. */
export const RESERVED_MB = 640;

/**
 * Words to put before a command so that the kernel limits each process of it; core files are never written.
 * RLIMIT_DATA rather than RLIMIT_AS, for which the addresses reserved would be gigabytes.
 */
export function prlimitWords(prlimit: string, limits: SandboxLimits, each: PerProcess): string[] {
  const cpu = Math.ceil(limits.cpuS);
  const memory = each.memory ? [`--data=${Math.floor((limits.memoryMb + RESERVED_MB) * MEGABYTE)}`] : [];
  const processes = each.processes === undefined ? [] : [`--nproc=${Math.floor(each.processes)}`];
  const file = Math.floor(limits.diskMb * MEGABYTE);
  return [prlimit, `--cpu=${cpu}:${cpu + 1}`, '--core=0', `--fsize=${file}`, ...memory, ...processes, '--'];
}

export function endedByCpuLimit(end: { readonly code: number | null; readonly signal: string | null }): boolean {
  return end.signal === 'SIGXCPU' || end.code === CPU_EXCEEDED;
}

export function endedByFileLimit(end: { readonly code: number | null; readonly signal: string | null }): boolean {
  return end.signal === 'SIGXFSZ' || end.code === FILE_EXCEEDED;
}

/** prlimit's way of saying that the program behind it is not there. */
export function notExecuted(end: { readonly code: number | null; readonly stderr: string }): string | undefined {
  if (end.code !== 126 && end.code !== 127) return undefined;
  return /^prlimit: failed to execute (.*)$/m.exec(end.stderr)?.[1];
}
