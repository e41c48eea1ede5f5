export { backupDatabase, type Copied, type CopyOptions, restoreDatabase } from './backup.js';
export { type CheckOptions, type CheckReport, checkDatabase, type Damage } from './check.js';
export type { DriverName } from './database.js';
export { type SqliteEngine, type SqliteOptions, sqliteEngine } from './engine.js';
export type { CommitHooks } from './group-commit.js';
