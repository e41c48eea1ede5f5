import { parseArgs } from 'node:util';
import { whyNoServer } from '../postgres/server.js';
import type { Kind } from './kind.js';
import { KINDS } from './kinds.js';
import { countedDoubts, HEAD, row, wrongs } from './told.js';

const USAGE = `Usage: npm run faults -- [kind …] [--times 100]

Makes real faults under load, and compares what workers did with a ledger outside. Prints one row for each kind, and
why people were asked. Without a kind, all are made.

  --times <n>  how many faults of each kind (100 by default)
  --list       the kinds
  --help       this text

Set FLYBALL_PATIENCE=3 on a busy machine: every limit on time is then three times as long.
Exits with 1 if an act was lost or made twice, a run did not end, or a person was asked needlessly, and with 2 if
nothing could be tried.`;

const { values, positionals } = given();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const times = Number(values.times);
const unknown = positionals.filter((name) => !KINDS.some((kind) => kind.name === name));
const problem =
  (unknown.length > 0 ? `There is no fault named ${unknown.join(', ')}; --list names all.` : undefined) ??
  (Number.isInteger(times) && times > 0 ? undefined : '--times must be a whole number above 0.');
if (values.list) {
  for (const { name, about } of KINDS) console.log(`${name.padEnd(24)}${about}`);
  process.exit(0);
}
const why = whyNoServer() ?? (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'it kills its server');
if (problem !== undefined || why !== undefined) {
  console.error(problem ?? `Faults need a PostgreSQL of their own: ${why}.`);
  process.exit(2);
}

console.log(HEAD);
const ends: ('absent' | 'clean' | 'wrong')[] = [];
for (const kind of KINDS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)))
  ends.push(await tried(kind));
// what could not be tried must not pass for what went well
process.exit(ends.includes('wrong') ? 1 : ends.includes('clean') ? 0 : 2);

function given() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        times: { type: 'string', default: '100' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function tried(kind: Kind): Promise<'absent' | 'clean' | 'wrong'> {
  const absent = kind.why?.();
  if (absent !== undefined) {
    console.log(`| ${kind.name} | 0: ${absent} |${' |'.repeat(9)}`);
    return 'absent';
  }
  const told = await kind.run(times);
  console.log(row(kind, told));
  for (const [reason, count] of Object.entries(countedDoubts(told))) console.log(`  asked ${count}: ${reason}`);
  const wrong = wrongs(kind, told);
  for (const each of wrong) console.log(`  WRONG ${each}`);
  return wrong.length === 0 ? 'clean' : 'wrong';
}
