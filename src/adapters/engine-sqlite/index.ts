export type { DriverName } from './database.js';
export { type SqliteEngine, type SqliteOptions, sqliteEngine } from './engine.js';
export type { CommitHooks } from './group-commit.js';
