export { type PostgresEngine, postgresEngine } from './engine.js';
export type { PostgresOptions } from './options.js';
