import { parseArgs } from 'node:util';
import { whyNoServer } from '../postgres/server.js';
import type { Kind } from './kind.js';
import { KINDS } from './kinds.js';
import { countedDoubts, HEAD, row, wrongs } from './told.js';

/**
 * `npm run faults -- [kind …] [--times 100]`: one row for each kind, and why people were asked. Exits 1 where anything was
 * lost or doubled, did not end, or was asked though it need not be.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '100' }, list: { type: 'boolean', default: false } },
});
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
let isClean = true;
for (const kind of KINDS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)))
  isClean = (await tried(kind)) && isClean;
process.exit(isClean ? 0 : 1);

async function tried(kind: Kind): Promise<boolean> {
  const absent = kind.why?.();
  if (absent !== undefined) {
    console.log(`| ${kind.name} | 0: ${absent} |${' |'.repeat(9)}`);
    return true;
  }
  const told = await kind.run(times);
  console.log(row(kind, told));
  for (const [reason, count] of Object.entries(countedDoubts(told))) console.log(`  asked ${count}: ${reason}`);
  const wrong = wrongs(kind, told);
  for (const each of wrong) console.log(`  WRONG ${each}`);
  return wrong.length === 0;
}
