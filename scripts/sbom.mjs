/**
 * Writes the bill of materials of the package: what an installation without development tools brings along, as npm
 * knows it from the lock file. Same lock file, same text: what npm makes up anew each time is left out.
 *
 *   node scripts/sbom.mjs [--format cyclonedx|spdx] [--out sbom.json]
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { root } from './files.mjs';

const { values } = parseArgs({
  options: { format: { type: 'string', default: 'cyclonedx' }, out: { type: 'string' } },
});
if (!['cyclonedx', 'spdx'].includes(values.format)) {
  process.stderr.write(`There is no format "${values.format}". Choose cyclonedx or spdx.\n`);
  process.exit(2);
}

const made = execFileSync(
  'npm',
  ['sbom', '--sbom-format', values.format, '--omit', 'dev', '--package-lock-only', '--sbom-type', 'library'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
const bill = JSON.parse(made);
delete bill.serialNumber;
if (bill.metadata) delete bill.metadata.timestamp;
if (bill.creationInfo) delete bill.creationInfo.created;
const text = `${JSON.stringify(bill, null, 2)}\n`;
if (values.out === undefined) process.stdout.write(text);
else writeFileSync(values.out, text);
