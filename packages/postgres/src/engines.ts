import type { EnginePackage } from 'flyball/command';
import { optionsIn } from './address.js';
import { postgresEngine } from './engine.js';

const open = (address: string) => postgresEngine(optionsIn(address));

/** For `--db` and FLYBALL_DB. */
export const engines: EnginePackage['engines'] = { postgres: open, postgresql: open };
