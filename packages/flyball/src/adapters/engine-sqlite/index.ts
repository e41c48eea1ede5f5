export { backupDatabase, restoreDatabase } from './backup.js';
export { checkDatabase } from './check.js';
export { type SqliteEngine, type SqliteOptions, sqliteEngine } from './engine.js';
