/** One of several processes on one database: pg-worker.js append|drain <place> <name> <start at> [runs] [appends]. */
import { setTimeout as pause } from 'node:timers/promises';
import { appendLoad } from '../measure/append-load.js';
import { drainLine } from '../measure/drain-load.js';
import { quantile } from '../measure/figures.js';
import { openPlace } from '../measure/places.js';

const [what, place = '', name = '', startAt = '0', runs = '64', appends = '100'] = process.argv.slice(2);
const engine = await openPlace(place);
await engine.get('nobody'); // connected
await pause(Math.max(0, Number(startAt) - Date.now())); // all at once, however long each took to begin
if (what === 'append') {
  const { records, ms, latencies } = await appendLoad(engine, Number(runs), Number(appends), name);
  console.log(JSON.stringify({ records, ms, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }));
} else {
  const began = Date.now();
  const drained = await drainLine(engine, name);
  console.log(JSON.stringify({ ...drained, began, ended: Date.now() }));
}
await engine.close();
