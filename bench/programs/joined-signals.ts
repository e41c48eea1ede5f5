/**
 * What Node itself keeps of signals that were joined with a shared one by AbortSignal.any, without any run: as many, and
 * collected at the same numbers, as sleepers.js joins. Where collections fall changes what Node has cleaned up by then.
 */
import { SIZES, settledHeap, underAny } from '../measure/suspended-runs.js';

const shutdown = new AbortController();
const empty = await settledHeap();
let joined = 0;
let kept = 0;
for (const size of SIZES) {
  for (; joined < size; joined++) await underAny(shutdown.signal, new AbortController().signal);
  kept = (await settledHeap()) - empty;
}
console.log(JSON.stringify(kept));
