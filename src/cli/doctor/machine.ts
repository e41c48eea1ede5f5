import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { detectBubblewrap } from '../../adapters/sandbox-bubblewrap/detect.js';
import type { Finding } from './finding.js';

/** Node, the database driver and the place of the database. */
export async function machineFindings(database: string): Promise<readonly Finding[]> {
  return [
    { about: 'node', state: 'ok', says: process.version },
    driverFinding(),
    await databaseFinding(database),
    packageFinding('TypeScript agents', canStripTypes() ? undefined : 'tsx', 'loads .ts files'),
  ];
}

function driverFinding(): Finding {
  if (isThere('node:sqlite')) return { about: 'database driver', state: 'ok', says: 'node:sqlite' };
  return packageFinding('database driver', 'libsql', 'stores runs');
}

async function databaseFinding(database: string): Promise<Finding> {
  const about = 'database';
  for (const place of [database, dirname(database), dirname(dirname(database))]) {
    try {
      await access(place, constants.W_OK);
      return { about, state: 'ok', says: place === database ? database : `${database}, made with the first run` };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') break; // there, but not ours to write
    }
  }
  return {
    about,
    state: 'problem',
    says: `${database} cannot be written`,
    next: 'Choose another place with --db or FLYBALL_DB.',
  };
}

/** What confines commands, model-written code and pages. */
export async function sandboxFindings(): Promise<readonly Finding[]> {
  const found = await detectBubblewrap();
  return [
    found.available
      ? { about: 'shell', state: 'ok', says: `confined by bubblewrap (${found.path})` }
      : { about: 'shell', state: 'absent', says: 'commands run without a sandbox', next: found.why },
    packageFinding('run_javascript', 'quickjs-emscripten-core', 'runs model-written JavaScript', [
      '@jitl/quickjs-wasmfile-release-sync',
    ]),
    packageFinding('browser', 'playwright-core', 'drives a browser; Chromium comes from your system'),
  ];
}

function packageFinding(about: string, name: string | undefined, does: string, also: readonly string[] = []): Finding {
  if (name === undefined) return { about, state: 'ok', says: 'built into this Node' };
  const missing = [name, ...also].filter((each) => !isThere(each));
  if (missing.length === 0) return { about, state: 'ok', says: `${name} is installed` };
  return {
    about,
    state: 'absent',
    says: `${name}, which ${does}, is not installed`,
    next: `npm install ${missing.join(' ')}`,
  };
}

function isThere(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return name.startsWith('node:') ? false : isInProject(name);
  }
}

function isInProject(name: string): boolean {
  try {
    createRequire(`${process.cwd()}/`).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function canStripTypes(): boolean {
  const { typescript } = process.features as { readonly typescript?: unknown };
  return typescript !== undefined && typescript !== false;
}
