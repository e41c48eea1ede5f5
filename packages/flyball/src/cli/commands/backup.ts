import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { backupDatabase, type Copied, restoreDatabase } from '../../adapters/engine-sqlite/backup.js';
import { plural } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { databaseFile } from '../database.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { makeFolder } from '../make-folder.js';

interface Options extends CommonOptions {
  readonly evenDamaged?: boolean;
}

const BACKUP =
  'Copy the database into one file, also while servers use it. The copy is a consistent snapshot and is checked before it gets its final name. ' +
  'Nothing is overwritten.';
const RESTORE =
  'Restore a database from a backup. The backup is checked first. Existing files are not overwritten, ' +
  'so move the old files away first. The backup does not contain what happened after it was made, so effects made since then are made again.';

export function backupCommand(perform: Perform): Command {
  return newCommand('backup <file>', BACKUP, [
    'flyball backup /backups/$(date +%F).db',
    'flyball backup monday.db --db /var/lib/flyball/flyball.db --json',
  ])
    .option('--even-damaged', 'also copy a damaged database')
    .action((file: string, options: Options) => perform(options, {}, (call) => copy(call, 'backup', file, options)));
}

export function restoreCommand(perform: Perform): Command {
  return newCommand('restore <file>', RESTORE, [
    'flyball restore /backups/2026-03-02.db',
    'flyball restore monday.db --db /var/lib/flyball/flyball.db',
  ])
    .option('--even-damaged', 'also restore a damaged backup')
    .action((file: string, options: Options) => perform(options, {}, (call) => copy(call, 'restore', file, options)));
}

async function copy(
  { screen, place }: Call,
  what: 'backup' | 'restore',
  file: string,
  { evenDamaged }: Options,
): Promise<ExitCode> {
  const there = resolve(file);
  const database = databaseFile(place, what);
  const how = evenDamaged === undefined ? {} : { evenDamaged };
  screen.status(what === 'backup' ? 'copying …' : 'checking …');
  if (what === 'restore') makeFolder(dirname(database));
  const copied: Copied =
    what === 'backup'
      ? await backupDatabase({ from: database, to: there, ...how })
      : await restoreDatabase({ from: there, to: database, ...how });
  screen.status('');
  const { to, bytes, report } = copied;
  screen.data({
    kind: what,
    file: to,
    bytes,
    runs: report.runs,
    entries: report.entries,
    damage: report.damage.length,
  });
  screen.line(
    `${screen.paint('green', '✓')} ${to}: ${plural(report.runs, 'run')}, ${report.entries} entries, ${bytes} bytes, ${report.damage.length === 0 ? 'sound' : `${plural(report.damage.length, 'damaged place')} copied unchanged`}.`,
  );
  return EXIT.ok;
}
