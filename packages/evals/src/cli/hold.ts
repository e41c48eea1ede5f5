import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { FlyballError } from 'flyball';

/**
 * One process at a time works in a folder: two would each write a results file without what the other finished. Who
 * holds it is written down; what a killed process left is taken over.
 */
export async function hold(file: string): Promise<{ release(): Promise<void> }> {
  for (let tries = 0; ; tries++) {
    const mine = await open(file, 'wx').catch(existing);
    if (mine !== undefined) {
      await mine.writeFile(String(process.pid)).finally(() => mine.close());
      return { release: () => rm(file, { force: true }) };
    }
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (tries > 2 || isAlive(owner)) throw held(file, owner);
    await rm(file, { force: true });
  }
}

function existing(error: unknown): FileHandle | undefined {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
  throw error;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it is there, and somebody else's
  }
}

function held(file: string, owner: number): FlyballError {
  const message = `Process ${owner} is running this experiment. Wait until it has ended, or stop it. If that process is not flyball, remove ${file}.`;
  return new FlyballError('RECORD_CONFLICT', message, { retryable: true, detail: { owner } });
}
