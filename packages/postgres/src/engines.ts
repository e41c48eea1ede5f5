import type { EnginePackage } from 'flyball/command';
import { optionsIn } from './address.js';
import { isStored, openedEngine } from './engine.js';

const open: EnginePackage['engines'][string] = (address, { mustWrite = false } = {}) =>
  openedEngine(optionsIn(address), { mustWrite });

/** For `--db` and FLYBALL_DB. */
export const engines: EnginePackage['engines'] = { postgres: open, postgresql: open };

const isStoredAt = (address: string) => isStored(optionsIn(address));

/** So that commands which only read make no schema. */
export const stored: EnginePackage['stored'] = { postgres: isStoredAt, postgresql: isStoredAt };
