import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderArchive } from '../../packages/flyball/src/adapters/archive-folder/folder-archive.js';
import type { ArchiveStore } from '../../packages/flyball/src/ports/archive.js';

/** An archive in a folder that goes with it. */
export function temporaryArchive(): ArchiveStore & { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-archive-'));
  return {
    ...folderArchive(join(folder, 'runs')),
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
