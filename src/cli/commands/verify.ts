import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { FlyballError } from '../../core/errors.js';
import { verifyAudit } from '../../views/audit.js';
import { plural } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

const ABOUT =
  'Check an audit file: every line holds the hash of the one before, so that an altered, missing, inserted or moved line is found. ' +
  'Whoever can rewrite the whole file can write a new chain; --head compares with the hash that export printed.';

export function verifyCommand(perform: Perform): Command {
  return newCommand('verify <file>', ABOUT, [
    'flyball verify run_1f0c.audit.jsonl',
    'flyball verify run_1f0c.audit.jsonl --head 9f2b…',
  ])
    .option('--head <hash>', 'the hash that the export printed, kept somewhere else')
    .action((file: string, options: CommonOptions & { readonly head?: string }) =>
      perform(options, {}, async (call) => verify(call, file, options.head)),
    );
}

function verify({ screen }: Call, file: string, head: string | undefined): ExitCode {
  const verdict = verifyAudit(linesOf(file));
  if (!verdict.ok) {
    screen.data({ file, ...verdict });
    screen.complain(`✗ ${file}, line ${verdict.line}: ${verdict.why}.`);
    screen.complain('  Do not rely on this file: export the run again and find out who changed it.');
    return EXIT.failed;
  }
  if (head !== undefined && head !== verdict.head) {
    screen.data({ file, ok: false, why: 'another head', wanted: head, found: verdict.head });
    screen.complain(`✗ ${file} is a whole chain, but its head is ${verdict.head}, not ${head}.`);
    screen.complain('  The file was written anew, or belongs to another export. Export the run again.');
    return EXIT.failed;
  }
  screen.data({ file, ...verdict });
  screen.line(
    `✓ ${file}: ${plural(verdict.count, 'entry').replace('entrys', 'entries')} of ${verdict.run}, unaltered. Head ${verdict.head}`,
  );
  return EXIT.ok;
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FlyballError('INPUT_INVALID', `${file} cannot be read: ${why}. Check the path.`, { cause: error });
  }
}
