/** What Node itself keeps of 10,000 signals joined with a shared one by AbortSignal.any, without any run. */
import { settledHeap, underAny } from '../measure/suspended-runs.js';

const shutdown = new AbortController();
await underAny(shutdown.signal, new AbortController().signal);
const empty = await settledHeap();
for (let n = 0; n < 10_000; n++) await underAny(shutdown.signal, new AbortController().signal);
console.log(JSON.stringify((await settledHeap()) - empty));
