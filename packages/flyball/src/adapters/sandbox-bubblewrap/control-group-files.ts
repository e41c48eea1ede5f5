import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const REMOVE_TRIES = 100;
const REMOVE_WAIT_MS = 10;

/** Also removes what earlier processes left when they were killed: empty groups named after a process that is gone. */
export function makeIn(parent: string, name: string): string {
  for (const old of readdirSync(parent)) {
    const pid = /^flyball-(\d+)-/.exec(old)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeOnce(join(parent, old));
  }
  const folder = join(parent, name);
  mkdirSync(folder);
  return folder;
}

/** A group can be removed once its last process is reaped, which takes a moment after it was killed. */
export async function removeAll(folders: readonly string[]): Promise<void> {
  let left = folders;
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    left = left.filter((folder) => !removeOnce(folder));
    if (left.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, REMOVE_WAIT_MS));
  }
  throw new Error(`The control groups ${left.map((folder) => basename(folder)).join(', ')} still hold processes.`);
}

export function removeOnce(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

export function killMembers(folder: string): void {
  for (const line of textOf(join(folder, 'cgroup.procs'))?.split('\n') ?? []) {
    if (line === '') continue;
    try {
      process.kill(Number(line), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

export function writeIfThere(path: string, value: string): void {
  if (existsSync(path)) writeFileSync(path, value);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // a counter that this kernel does not have
  }
}

export function numberIn(path: string): number | undefined {
  const text = textOf(path)?.trim();
  return text === undefined || text === '' ? undefined : Number(text);
}

/** `<name> <number>` among other lines. */
export function counterIn(path: string, name: string): number | undefined {
  const line = textOf(path)
    ?.split('\n')
    .find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
