import { readdirSync, readFileSync } from 'node:fs';

/** The variable by which a job's processes are known, wherever they went. */
export const JOB_MARK = 'FLYBALL_JOB';
const ROUNDS = 10;

/** Ends a process group, grandchildren included. Processes that left it for a session of their own are not in it. */
export function killGroup(leader: number): void {
  kill(-leader);
}

/**
 * Ends what left its group: whoever still carries the job's mark in its environment. Where there is no `/proc`, nothing
 * is found. A program that wipes its own environment as well is not found either; only a sandbox holds that one.
 */
export function killMarked(mark: string): void {
  // again as long as some were found, because one of them may have forked in the meantime
  for (let round = 0; round < ROUNDS && killOnce(`${JOB_MARK}=${mark}`); round++);
}

function killOnce(variable: string): boolean {
  const found = processIds().filter((pid) => environmentOf(pid).includes(variable));
  for (const pid of found) kill(pid);
  return found.length > 0;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // gone already, which is what was asked for; or it took on another user (setuid) and is out of reach for us
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return []; // another system
  }
}

/** Those of other users cannot be read, and belong to no job of ours. */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
