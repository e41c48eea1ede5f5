import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface KernelPipe {
  readonly reader: number;
  readonly writer: number;
}

/**
 * Pipes as a shell makes them. What Node calls a pipe is a pair of sockets: there a writer whose reader has gone sees
 * an error that it reports, where a pipe would end it silently (`yes | head -1`). Node cannot make pipes, but it can
 * open named ones, whose names are gone before anything runs.
 */
export function makePipes(count: number): KernelPipe[] {
  if (count <= 0) return [];
  const folder = mkdtempSync(join(tmpdir(), 'flyball-pipes-'));
  try {
    const names = Array.from({ length: count }, (_pipe, index) => join(folder, String(index)));
    execFileSync('mkfifo', ['-m', '600', ...names], { env: { PATH: '/usr/bin:/bin' }, stdio: 'pipe' });
    return names.map(openBoth);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function closePipes(pipes: readonly KernelPipe[]): void {
  for (const { reader, writer } of pipes) {
    closeSync(reader);
    closeSync(writer);
  }
}

/** Opening one end alone would wait for the other; an end for both keeps it from waiting. */
function openBoth(name: string): KernelPipe {
  const both = openSync(name, constants.O_RDWR);
  try {
    return { reader: openSync(name, constants.O_RDONLY), writer: openSync(name, constants.O_WRONLY) };
  } finally {
    closeSync(both);
  }
}
