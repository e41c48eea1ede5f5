import type { Manifest, PinnedFolder } from './manifest.js';
import { sha256Of } from './taken-files.js';

/** In what files differ from those of a manifest, in words; empty where they do not. */
export function differencesFrom(manifest: Manifest, data: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return [
    ...singles(manifest.files, data),
    ...singles(manifest.made, data),
    ...manifest.folders.flatMap((folder) => folderDifference(folder, data)),
  ];
}

function singles(pinned: Readonly<Record<string, string>>, data: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return Object.entries(pinned).flatMap(([path, hash]) => {
    const content = data.get(path);
    if (content === undefined) return [`${path} is missing`];
    return sha256Of(content) === hash ? [] : [`${path} holds something else`];
  });
}

function folderDifference(folder: PinnedFolder, data: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const names = [...data.keys()].filter((path) => path.startsWith(`${folder.to}/`)).sort(byCodePoint);
  if (names.length !== folder.files) return [`${folder.to} holds ${names.length} files instead of ${folder.files}`];
  return folderHash(folder.to, names, data) === folder.sha256 ? [] : [`${folder.to} holds other files`];
}

function folderHash(folder: string, paths: readonly string[], data: ReadonlyMap<string, Uint8Array>): string {
  return sha256Of(
    paths.map((path) => `${sha256Of(data.get(path) ?? '')}  ${path.slice(folder.length + 1)}\n`).join(''),
  );
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
