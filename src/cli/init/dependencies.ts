import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled } from '../doctor/machine.js';

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/**
 * What a new project depends on: a release of ours from the registry, or this very folder while it is none. A release
 * does not bring the driver that an older Node needs to keep runs; a linked folder has its own.
 */
export function dependencies(): Readonly<Record<string, string>> {
  const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');
  const { version, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  if (basename(dirname(root)) !== 'node_modules') return { flyball: `file:${root}` };
  const driver = isInstalled('node:sqlite') ? {} : { libsql: peerDependencies['libsql'] ?? '*' };
  return { flyball: `^${version}`, ...driver };
}
