import { statfsSync } from 'node:fs';
import { writtenBytes } from './written-files.js';

const MEGABYTE = 1024 * 1024;
/** What is measured again once this part of the limit is gone from the disk, whoever took it. */
const PART = 1 / 4;
const LOOK_MS = 1000;
/** Measuring goes through all files: it gets at most this part of the time. */
const LEISURE = 20;

/** Says when a job has written more into its folders than it may. */
export interface DiskWatch {
  /** Asked often: looks at the free space, which costs nothing, and measures only where that gives a reason. */
  isOver(): boolean;
  /** The last word, once the job has ended. */
  settle(): Promise<boolean>;
}

export function diskWatch(
  folders: readonly string[],
  limit: { readonly diskMb: number; readonly since: number },
): DiskWatch {
  const allowed = limit.diskMb * MEGABYTE;
  let free = freeBytes(folders);
  let [isOver, next] = [false, performance.now() + LOOK_MS];
  let measuring: Promise<void> | undefined;
  const measure = async (): Promise<void> => {
    const began = performance.now();
    free = freeBytes(folders);
    const bytes = await writtenBytes(folders, limit.since);
    isOver ||= bytes > allowed;
    const now = performance.now();
    next = now + Math.max(LOOK_MS, (now - began) * LEISURE);
    measuring = undefined;
  };
  const isDue = (): boolean => free - freeBytes(folders) >= allowed * PART;
  let failure: unknown;
  return {
    isOver: () => {
      if (!isOver && measuring === undefined && folders.length > 0 && (isDue() || performance.now() >= next))
        measuring = measure().catch((error: unknown) => {
          failure = error;
        });
      return isOver;
    },
    settle: async () => {
      await measuring;
      if (!isOver && folders.length > 0 && isDue()) await measure();
      if (failure !== undefined) throw failure;
      return isOver;
    },
  };
}

/** Of the disk with the least: folders of one job may lie on several. */
function freeBytes(folders: readonly string[]): number {
  return folders.reduce((least, folder) => {
    const { bavail, bsize } = statfsSync(folder);
    return Math.min(least, bavail * bsize);
  }, Number.MAX_SAFE_INTEGER);
}
