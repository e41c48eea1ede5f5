import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the time of `work`. FLYBALL_BENCH_DIR puts it on another disk: a memory file system syncs for free. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(process.env['FLYBALL_BENCH_DIR'] ?? tmpdir(), 'flyball-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
