import { parseArgs } from 'node:util';
import { whyNoServer } from '../postgres/server.js';
import { KINDS } from './kinds.js';
import type { Told } from './stage.js';

/** `npm run faults -- --each 100 [--only "worker killed"]`: exits 1 where anything was lost, doubled or did not end. */
const { values } = parseArgs({
  options: { each: { type: 'string', default: '100' }, only: { type: 'string', multiple: true } },
});
const each = Number(values.each);
const why = whyNoServer() ?? (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'it kills its server');
if (why !== undefined || !Number.isInteger(each) || each < 1) {
  console.error(
    why === undefined ? '--each must be a whole number above 0.' : `Faults need a PostgreSQL of their own: ${why}.`,
  );
  process.exit(2);
}

const reasons: Record<string, number> = {};
let isClean = true;
console.log(
  '| Fault | Times | Runs | Acts | Lost | Doubled | Not ended | Repeated under the same key | Asked of people (had happened) | Seconds |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const kind of KINDS.filter(({ name }) => values.only?.includes(name) ?? true)) {
  const absent = kind.why?.();
  if (absent !== undefined) {
    console.log(`| ${kind.name} | 0: ${absent} | | | | | | | | |`);
    continue;
  }
  const told = await kind.run(each);
  console.log(row(kind.name, each, told));
  for (const [reason, count] of Object.entries(told.doubts)) reasons[reason] = (reasons[reason] ?? 0) + count;
  for (const [what, found] of Object.entries({ lost: told.lost, doubled: told.doubled, stuck: told.stuck }))
    if (found.length > 0) {
      isClean = false;
      console.log(`  ${what}: ${found.slice(0, 20).join(', ')}`);
    }
}
console.log('\nWhy people were asked:');
for (const [reason, count] of Object.entries(reasons)) console.log(`- ${count}: ${reason}`);
process.exit(isClean ? 0 : 1);

function row(name: string, times: number, told: Told): string {
  const { runs, acts, lost, doubled, stuck, repeated, doubts, happened, seconds } = told;
  const asked = Object.values(doubts).reduce((sum, count) => sum + count, 0);
  const cells = [
    name,
    times,
    runs,
    acts,
    lost.length,
    doubled.length,
    stuck.length,
    repeated,
    `${asked} (${happened})`,
    Math.round(seconds),
  ];
  return `| ${cells.join(' | ')} |`;
}
