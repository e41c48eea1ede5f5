import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { checkDatabase } from '../../adapters/engine-sqlite/check.js';
import { sqliteEngine } from '../../adapters/engine-sqlite/engine.js';
import { plural, shorten } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { databaseFile } from '../database.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../printable.js';

const ABOUT =
  'Check a database for damage: the file itself, the checksum and chain of every entry, the hash of every content, messages, records and the operations log. ' +
  'The command reads a snapshot and changes nothing, so you can run it while servers are active. If something is damaged, it lists the affected runs and exits with 1.';

interface Options extends CommonOptions {
  readonly acceptLoss?: boolean;
}

const MOST_SHOWN = 50;

export function checkCommand(perform: Perform): Command {
  return newCommand('check', ABOUT, [
    'flyball check',
    'flyball check --db /backups/monday.db',
    "flyball check --json | jq -r '.damagedRuns[]'",
    'flyball check --accept-loss',
  ])
    .option(
      '--accept-loss',
      'accept that records are lost or that the .tip file is damaged, and continue with what the database contains',
    )
    .action((options: Options) =>
      perform(options, {}, async (call) => {
        if (options.acceptLoss === true) await acceptLoss(call);
        return check(call);
      }),
    );
}

/** Only of a database that there is, or was. */
async function acceptLoss({ place }: Call): Promise<void> {
  const path = databaseFile(place, 'check');
  if (!existsSync(path) && !existsSync(`${path}.tip`)) return;
  await (await sqliteEngine({ path, acceptLoss: true })).close();
}

async function check({ screen, place }: Call): Promise<ExitCode> {
  const report = await checkDatabase({
    path: databaseFile(place, 'check'),
    onProgress: (done, of) => {
      if (done % 100 === 0) screen.status(`checked ${done} of ${of} runs …`);
    },
  });
  screen.status('');
  screen.data({ kind: 'check', ok: report.damage.length === 0, ...report });
  const { damage, damagedRuns, runs, entries, contents, records, notes } = report;
  const seen = `${plural(runs, 'run')}, ${entries} entries, ${plural(contents, 'content')}, ${plural(records, 'record')}`;
  for (const note of notes) screen.line(printable(note));
  if (damage.length === 0) {
    screen.line(`${screen.paint('green', '✓')} ${place.database} is intact: ${seen}.`);
    return EXIT.ok;
  }
  screen.line(
    `${screen.paint('red', '✗')} ${place.database} is damaged in ${plural(damage.length, 'place')} (${seen}):`,
  );
  for (const { what, id, why } of damage.slice(0, MOST_SHOWN)) screen.line(`  ${what} ${id}: ${shorten(why, 300)}`);
  if (damage.length > MOST_SHOWN) screen.line(`  and ${damage.length - MOST_SHOWN} more; --json lists all of them`);
  screen.line(
    damagedRuns.length === 0
      ? 'No run is affected directly.'
      : `${plural(damagedRuns.length, 'run')} cannot continue; all others can: ${shorten(damagedRuns.join(', '), 500)}`,
  );
  screen.line('Restore a backup made before the damage (flyball restore), or continue without these runs.');
  return EXIT.failed;
}
