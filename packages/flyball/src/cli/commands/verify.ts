import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { FlyballError } from '../../core/errors.js';
import type { Entry } from '../../core/events.js';
import type { CommitResult } from '../../loops/commit/contracts.js';
import { verifyCommit } from '../../loops/commit/seal.js';
import { type AuditVerdict, verifyAudit } from '../../views/audit.js';
import { checkCommit, committedIn } from '../../views/commit-course-check.js';
import { withoutPrivate } from '../../views/without-private.js';
import { plural } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../printable.js';

const ABOUT =
  'Verify an audit file. Every line contains the hash of the previous one, so changed, missing, inserted or moved lines are detected. ' +
  'Somebody who rewrites the whole file can create a new chain; use --head to compare it with the hash that export printed. ' +
  'If the run ended with a commit, its result is also checked against its seal and against the journal in the file.';

export function verifyCommand(perform: Perform): Command {
  return newCommand('verify <file>', ABOUT, [
    'flyball verify run_1f0c.audit.jsonl',
    'flyball verify run_1f0c.audit.jsonl --head 9f2b…',
  ])
    .option('--head <hash>', 'the hash that export printed, stored elsewhere')
    .action((file: string, options: CommonOptions & { readonly head?: string }) =>
      perform(options, {}, async (call) => verify(call, file, options.head)),
    );
}

function verify({ screen }: Call, file: string, head: string | undefined): ExitCode {
  const lines = linesOf(file);
  const verdict = verifyAudit(lines);
  if (!verdict.ok) {
    screen.data({ file, ...verdict });
    screen.complain(printable(`✗ ${file}, line ${verdict.line}: ${verdict.why}.`));
    screen.complain('  Do not rely on this file: export the run again and find out who changed it.');
    return EXIT.failed;
  }
  if (head !== undefined && head !== verdict.head) {
    screen.data({ file, ok: false, why: 'another head', wanted: head, found: verdict.head });
    screen.complain(`✗ ${file} has an intact chain, but its head is ${verdict.head}, not ${head}.`);
    screen.complain('  The file was rewritten, or belongs to another export. Export the run again.');
    return EXIT.failed;
  }
  const commit = commitIn(lines, verdict);
  if (commit?.ok === false) {
    screen.data({ file, ok: false, why: commit.why, commit });
    screen.complain(printable(`✗ ${file} has an intact chain, but the result in it is not valid: ${commit.why}.`));
    screen.complain('  Do not rely on this result: find out who changed it, or submit the task again.');
    return EXIT.failed;
  }
  screen.data({ file, ...verdict, ...(commit === undefined ? {} : { commit }) });
  const what = `${plural(verdict.count, 'entry')} of ${verdict.run}`;
  screen.line(printable(`✓ ${file}: ${what}, unchanged. Head ${verdict.head}`));
  if (verdict.removed !== undefined)
    screen.line(
      `  The journal was removed by ${printable(verdict.removed.by)} on ${new Date(verdict.removed.at).toISOString()} (${printable(verdict.removed.action)}); this is its chain, without the content.`,
    );
  if (commit !== undefined) {
    const unread = commit.unread === undefined ? '' : ` Not compared with this journal: ${commit.unread}.`;
    screen.line(printable(`✓ The result of task ${commit.task} is what was committed. Seal ${commit.seal}.${unread}`));
  }
  return EXIT.ok;
}

type Commit =
  /** `unread`: why the journal says nothing about it. */
  | { readonly ok: true; readonly task: string; readonly seal: string; readonly unread?: string }
  | { readonly ok: false; readonly why: string };

/** Undefined where the run did not end with a commit. */
function commitIn(lines: readonly string[], { run }: Extract<AuditVerdict, { ok: true }>): Commit | undefined {
  const entries = lines.flatMap((line) => (line === '' ? [] : ((JSON.parse(line) as { entry?: Entry }).entry ?? [])));
  const result = committedIn(entries) as CommitResult | undefined;
  if (result === undefined) return undefined;
  if (!verifyCommit(result)) return { ok: false, why: 'it was changed after it was sealed' };
  const { task, run: by } = result.provenance;
  const why = by === run ? undefined : `it was made by run ${by}`;
  const unread = why ?? (withoutPrivate(entries) === entries ? undefined : 'parts of the run are private');
  const check = unread === undefined ? checkCommit(result, entries) : { ok: true as const };
  if (!check.ok) return check;
  return { ok: true, task, seal: result.seal, ...(unread === undefined ? {} : { unread }) };
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FlyballError('INPUT_INVALID', `${file} cannot be read: ${why}. Check the path.`, { cause: error });
  }
}
