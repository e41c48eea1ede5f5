import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FlyballError, failureOf } from '../../core/errors.js';
import { plural } from '../amounts.js';
import { isThere, openDatabase } from '../database.js';
import { isInstalled } from '../installed.js';
import type { Place } from '../place.js';
import { typeScriptIn } from '../typescript.js';
import type { Finding } from './finding.js';

/** Node, the place of the runs, and what loads TypeScript. */
export async function machineFindings(place: Place): Promise<readonly Finding[]> {
  return [
    { about: 'node', state: 'ok', says: process.version },
    driverFinding(),
    await databaseFinding(place),
    typeScriptFinding(),
    serverFinding(),
  ];
}

function driverFinding(): Finding {
  const about = 'database driver';
  if (isInstalled('node:sqlite')) return { about, state: 'ok', says: 'node:sqlite, built into this Node' };
  if (isInstalled('libsql')) return { about, state: 'ok', says: 'libsql is installed' };
  return {
    about,
    state: 'problem',
    says: 'not found, so runs cannot be stored',
    next: 'npm install libsql, or use Node 22.13 or newer, which has a built-in driver',
  };
}

/** Opens it as every command does: whether it may be written says little about whether it can be read. */
async function databaseFinding(place: Place): Promise<Finding> {
  const { database } = place;
  const about = 'database';
  const next = 'Choose another place with --db or FLYBALL_DB.';
  try {
    if (!(await isThere(place))) {
      if (place.address === undefined) await tryToWrite(database);
      return { about, state: 'ok', says: `${database}, created with the first run` };
    }
    const engine = await openDatabase(place);
    try {
      const { runs, cursor } = await engine.list({ limit: 100 });
      const count = cursor === undefined ? plural(runs.length, 'run') : 'more than 100 runs';
      return { about, state: 'ok', says: `${database}, ${count}` };
    } finally {
      await engine.close();
    }
  } catch (error) {
    return { about, state: 'problem', says: `${database} cannot be used: ${failureOf(error).message}`, next };
  }
}

/** In the nearest folder that is there: rights alone do not tell, as root has them all and some file systems take nothing. */
async function tryToWrite(database: string): Promise<void> {
  let folder = dirname(database);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    await rm(await mkdtemp(join(folder, '.flyball-doctor-')), { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FlyballError('STORAGE_READ_ONLY', `nothing can be written to ${folder} (${code})`, { cause: error });
  }
}

function typeScriptFinding(): Finding {
  const about = 'TypeScript agents';
  switch (typeScriptIn(process.cwd())) {
    case 'built-in':
      return { about, state: 'ok', says: 'built into this Node' };
    case 'tsx':
      return { about, state: 'ok', says: 'loaded by tsx' };
    case undefined:
      return {
        about,
        state: 'absent',
        says: 'cannot be loaded',
        next: 'npm install --save-dev tsx, or use Node 22.18 or newer',
      };
  }
}

function serverFinding(): Finding {
  const about = 'server';
  if (isInstalled('@flyball/server')) return { about, state: 'ok', says: 'flyball serve can be started' };
  return { about, state: 'absent', says: 'cannot be started', next: 'npm install @flyball/server' };
}
