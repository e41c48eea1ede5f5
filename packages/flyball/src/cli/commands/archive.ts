import { Command } from 'commander';
import { memoryEngine } from '../../adapters/engine-memory/memory-engine.js';
import { systemClock } from '../../adapters/host-node/system-clock.js';
import { type Archived, archivedRun, archiveRuns, restoreRun, runAt } from '../../operation/archive.js';
import { ENDED, planRetention, whyItStays } from '../../operation/retention-plan.js';
import { readAll } from '../../runtime/load.js';
import { plural } from '../amounts.js';
import { archiveAt, archiveThere } from '../archive-place.js';
import { bytesText } from '../bytes.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { tellKept } from '../kept-runs.js';
import { lengthOfTime } from '../length-of-time.js';
import { whoAmI } from '../place.js';
import { printable } from '../printable.js';
import { openDatabaseThere, openWorkplace } from '../workplace.js';

interface AddOptions extends CommonOptions {
  readonly older: string;
  readonly agent?: string;
  readonly tenant?: string;
  readonly yes?: boolean;
}

interface OneOptions extends CommonOptions {
  readonly tenant?: string;
}

interface RestoreOptions extends OneOptions {
  readonly trustFile?: boolean;
}

const ABOUT =
  'Move finished runs out of the database into a folder or an S3 bucket, read them there, and put them back. ' +
  'Each run becomes one file with a digest. A run is removed only after its file was read back.';
const HELP = `
<place> is a folder, or s3://bucket/prefix. For S3, set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION;
for a compatible server, set AWS_ENDPOINT_URL_S3 too.

Examples:
  $ flyball archive add /archive --older 30d               list what would be archived
  $ flyball archive add s3://acme-runs --older 30d --yes
  $ flyball archive show /archive run_1f0c                  read a run without putting it back
  $ flyball archive restore /archive run_1f0c`;

export function archiveCommand(perform: Perform): Command {
  const command = new Command('archive').summary('Move finished runs to files or S3').description(ABOUT);
  command.addHelpText('after', HELP).helpCommand(false);
  command.addCommand(
    newCommand('add <place>', 'Move finished runs into the archive. Without --yes the command only lists them.', [
      'flyball archive add /archive --older 30d --yes',
    ])
      .requiredOption('--older <time>', 'only runs that have not changed for this long, as in 30d or 12h')
      .option('--agent <name>', 'only runs of this agent')
      .option('--tenant <name>', 'only runs of this tenant')
      .option('--yes', 'archive them')
      .action((place: string, options: AddOptions) => perform(options, {}, (call) => add(call, place, options))),
  );
  command.addCommand(
    newCommand('list <place>', 'List the runs in the archive.', ['flyball archive list s3://acme-runs']).action(
      (place: string, options: CommonOptions) => perform(options, {}, (call) => list(call, place)),
    ),
  );
  command.addCommand(
    newCommand('show <place> <run>', 'Read and check the archive of a run. The database is not changed.', [
      'flyball archive show /archive run_1f0c --json          with all its entries',
    ])
      .option('--tenant <name>', 'the tenant, if the database does not know the run')
      .action((place: string, id: string, options: OneOptions) =>
        perform(options, {}, (call) => show(call, place, { id, ...options })),
      ),
  );
  command.addCommand(
    newCommand('restore <place> <runs...>', 'Put runs back into the database. The archive keeps its files.', [
      'flyball archive restore /archive run_1f0c',
      'flyball archive restore /archive run_1f0c --tenant acme --trust-file     into another database',
    ])
      .option('--tenant <name>', 'the tenant, if the database does not know the runs')
      .option('--trust-file', 'also restore files that the operations log of this database does not list')
      .action((place: string, ids: readonly string[], options: RestoreOptions) =>
        perform(options, {}, (call) => restore(call, place, ids, options)),
      ),
  );
  return command;
}

async function add(call: Call, where: string, { older, agent, tenant, yes }: AddOptions): Promise<ExitCode> {
  const { screen } = call;
  const store = archiveAt(where, call.env);
  const workplace = await openDatabaseThere(call.place);
  try {
    const { engine, desk } = workplace;
    const { going, staying } = await planRetention(engine, {
      statuses: ENDED,
      before: Date.now() - lengthOfTime('--older', older),
      ...(agent === undefined ? {} : { agent }),
      ...(tenant === undefined ? {} : { tenant }),
    });
    if (yes !== true) {
      const bytes = going.reduce((sum, run) => sum + run.bytes, 0);
      screen.data({ kind: 'archive', dryRun: true, runs: going.map(({ run }) => run.id), bytes });
      screen.line(
        `${plural(going.length, 'run')} would be archived in ${printable(store.place)}: ${bytesText(bytes)}.`,
      );
      if (going.length > 0) screen.line('Nothing was changed. Add --yes to archive them.');
      return EXIT.ok;
    }
    const parts = { engine, store: engine.store, runtime: desk, clock: systemClock() };
    const records = going.map(({ run }) => run);
    const { removed, kept } = await archiveRuns(parts, store, { records, by: whoAmI() });
    screen.data({ kind: 'archive', dryRun: false, place: store.place, archived: removed, kept });
    screen.line(`${plural(removed.length, 'run')} archived in ${printable(store.place)}.`);
    for (const each of staying) screen.line(`  ${each.run.id} stays: ${whyItStays(each)}.`);
    tellKept(screen, kept);
    return kept.length > 0 ? EXIT.conflict : EXIT.ok;
  } finally {
    await workplace.close();
  }
}

async function list({ screen, env }: Call, where: string): Promise<ExitCode> {
  const runs: { tenant: string; id: string; key: string }[] = [];
  const unreadable: string[] = [];
  for await (const key of archiveThere(where, env).list('')) {
    const run = runAt(key);
    if (run === undefined) unreadable.push(key);
    else runs.push({ ...run, key });
  }
  screen.data({ runs, unreadable });
  if (runs.length === 0) screen.line('No archived runs.');
  for (const { tenant, id } of runs) screen.line(`${printable(id)}  ${printable(tenant)}`);
  for (const key of unreadable.slice(0, MOST_SHOWN)) screen.line(`  ${printable(key)} is not the archive of a run.`);
  if (unreadable.length > MOST_SHOWN)
    screen.line(`  and ${unreadable.length - MOST_SHOWN} more that are not; --json lists all of them`);
  return EXIT.ok;
}

const MOST_SHOWN = 20;

async function show(
  { screen, place, env }: Call,
  where: string,
  { id, tenant }: { readonly id: string; readonly tenant?: string },
): Promise<ExitCode> {
  const store = archiveThere(where, env);
  const workplace = await openDatabaseThere(place);
  try {
    const archived = await archivedRun(workplace.engine, store, { id, ...(tenant === undefined ? {} : { tenant }) });
    const { record } = archived.run;
    const desk = memoryEngine({ acceptLoss: true }); // read as any run is read: contents are checked against their hashes on the way
    const { fork: _fork, ...alone } = record; // only its own entries are read, and what it was forked from is not there
    await desk.restore(
      { ...archived.run, record: alone },
      { at: record.updatedAt, by: 'reader', action: 'restore', of: id },
    );
    const entries = await readAll(desk, record);
    const { key, sha256, isLogged } = archived;
    screen.data({ run: record, key, sha256, logged: isLogged, entries });
    tell({ screen }, archived, 'sound');
    if (!isLogged)
      screen.line('  The operations log of this database does not list it, so nothing shows who wrote this file.');
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

async function restore(
  { screen, place, env }: Call,
  where: string,
  ids: readonly string[],
  { tenant, trustFile = false }: RestoreOptions,
): Promise<ExitCode> {
  const store = archiveThere(where, env);
  // without --trust-file a file is put back only where the operations log lists it: a new database lists none
  const workplace = trustFile ? await openWorkplace(place) : await openDatabaseThere(place);
  try {
    const restored: string[] = [];
    for (const id of ids) {
      const parts = { engine: workplace.engine, store, clock: systemClock() };
      const of = { id, by: whoAmI(), trustFile, ...(tenant === undefined ? {} : { tenant }) };
      const archived = await restoreRun(parts, of);
      restored.push(id);
      tell({ screen }, archived, 'restored');
    }
    screen.data({ kind: 'restore', restored });
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

function tell({ screen }: Pick<Call, 'screen'>, { run, sha256 }: Archived, what: 'sound' | 'restored'): void {
  const { id, agent, status, updatedAt } = run.record;
  const when = new Date(updatedAt).toISOString();
  screen.line(
    `${screen.paint('green', '✓')} ${printable(`${id}  ${agent}  ${status}  ${when}`)}  ${plural(run.entries.length, 'entry')}, ${what} (sha256 ${sha256.slice(0, 16)}…)`,
  );
}
