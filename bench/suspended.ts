// shows: R2-SHOW-SUSPENDED-HEAP, R2-SHOW-SUSPENDED-WAKE
/** Heap held by 10,000 suspended runs, and the time to wake one of 10, 1,000 and 10,000. */
import { ask } from './measure/child.js';
import { figure, megabytes } from './measure/figures.js';
import { atMost, heading, judge, type Target, table } from './measure/report.js';
import { TOUCHES } from './measure/suspended-runs.js';
import type { Slept } from './programs/sleepers.js';

heading('Suspended runs on SQLite', [
  'Heap: after collection, over the same process once 2,000 runs have slept, woken and ended: what code is compiled by',
  'then stays whether anybody sleeps or not, and is told apart. Waking: from the signal to the end of the run it wakes,',
  'median. Each part in a process of its own.',
]);

const child = (name: string): URL => new URL(`./programs/${name}.js`, import.meta.url);
const targets: Target[] = [];
for (const touch of TOUCHES) {
  const { codeBytes, rows: measured } = await ask<Slept>(child('sleepers'), [touch]);
  console.log(`  The agents used ${touch} (compiled code and warm caches: ${megabytes(codeBytes)})`);
  table(
    ['suspended', 'heap', 'waking one'],
    measured.map(({ size, heapBytes, wakeMs }) => [
      size.toLocaleString('en-US'),
      megabytes(heapBytes),
      `${figure(wakeMs)} ms`,
    ]),
  );
  const [few, , many] = measured;
  if (few === undefined || many === undefined) throw new Error('The child measured nothing.');
  // Node keeps a weak reference for every signal joined with a shared one, as long as the shared one lives
  const ofNode = touch === 'AbortSignal.any' ? await ask<number>(child('joined-signals')) : 0;
  const without =
    ofNode === 0 ? '' : `, of which Node keeps ${megabytes(ofNode)} for as many joined signals without a run`;
  targets.push({
    says: `10,000 suspended runs (${touch}) add ${megabytes(many.heapBytes)} of heap${without}; at most 2 MB`,
    met: atMost(many.heapBytes - ofNode, 2 * 1_048_576),
  });
  targets.push({
    says: `waking one of 10,000 (${touch}) takes ${figure(many.wakeMs / few.wakeMs)} × what one of 10 takes: it does not grow, at most 2 ×`,
    met: atMost(many.wakeMs / few.wakeMs, 2, 0.5),
  });
}
judge(targets);
