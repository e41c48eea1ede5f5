// shows: R10-SHOW-RECORDS, R10-SHOW-WORKERS, R10-SHOW-WAKE, R10-SHOW-SUSPENDED, R10-SHOW-LINE
/** Records a second, latency, waking, 100,000 suspended runs and a line of 50,000 on PostgreSQL, beside SQLite and bare drivers. */
import { loadavg } from 'node:os';
import { inFolder } from './measure/folder.js';
import { appendPart, type Bench, workersPart } from './measure/parts-append.js';
import { linePart, suspendedPart, wakePart } from './measure/parts-line.js';
import { heading } from './measure/report.js';

const url = process.env['FLYBALL_POSTGRES_URL'] ?? '';
if (url === '') {
  console.log('Set FLYBALL_POSTGRES_URL to a PostgreSQL that may be filled: each part makes a schema and removes it.');
  process.exit(0);
}
const PARTS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  append: appendPart,
  workers: workersPart,
  wake: wakePart,
  suspended: suspendedPart,
  line: linePart,
};
/** Part by part, with smaller numbers for a try: postgres [parts] [share]. */
const wanted = (process.argv[2] ?? Object.keys(PARTS).join(',')).split(',');
const share = Number(process.argv[3] ?? 1);

heading('PostgreSQL beside SQLite', [
  `Database at ${url.replace(/\/\/.*@/, '//')}, with fsync and synchronous_commit as it is set up.`,
]);
for (const name of wanted) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`There is no part "${name}". There are: ${Object.keys(PARTS).join(', ')}.`);
  await inFolder((folder) =>
    part({
      url,
      folder,
      count: (number) => Math.max(10, Math.round(number * share)),
      say: (text) => console.log(`  ${text} Load of the machine: ${loadavg()[0]?.toFixed(1)}.`),
    }),
  );
}
