import { Worker } from 'node:worker_threads';

/** A whole seed takes some 25 ms of processor time: a moment that takes hundreds of times as much never comes to its end. */
const MOST_MS = 10_000;
/** Moments that each write more than the one before it come to an end, but never to the number at which a world does. */
const MOST_OF_SEED_MS = 30_000;
const LOOK_MS = 500;

/**
 * A world on virtual time ends by the number of its moments, unless code goes round within one of them and never lets
 * go. Nothing in its own thread can notice that: another thread looks at the processor time of the moment under way, says
 * which seed it was, and ends the process. A world whose moments come to an end is not told as one that spins: `moved`
 * answers false where they take too long together, and whoever plays it says which run did not end.
 */
export function endsWhatSpins(): { readonly began: (seed: number) => void; readonly moved: () => boolean } {
  // the seed, how many moments and how many plays have begun, and the last play that took too long
  const current = new Float64Array(new SharedArrayBuffer(32));
  const watcher = new Worker(
    `const { workerData: { current, most, mostOfSeed, look } } = require('node:worker_threads');
     const { writeSync } = require('node:fs');
     const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
     let moments = 0, plays = 0, moved = 0, began = 0;
     setInterval(() => {
       const now = used();
       if (current[2] !== plays) { plays = current[2]; began = now; }
       if (current[1] !== moments) { moments = current[1]; moved = now; }
       if (now - began >= mostOfSeed) current[3] = plays;
       if (moments === 0 || now - moved < most) return;
       writeSync(1, 'seed ' + current[0] + ' breaks liveness:spins: a moment did not come to an end within ' + most + ' ms of processor time\\n');
       process.kill(process.pid, 'SIGTERM');
     }, look);`,
    { eval: true, workerData: { current, most: MOST_MS, mostOfSeed: MOST_OF_SEED_MS, look: LOOK_MS } },
  );
  watcher.unref();
  const moved = (): boolean => {
    current[1] = (current[1] ?? 0) + 1;
    return current[3] !== current[2];
  };
  return {
    moved,
    began: (seed) => {
      current[0] = seed;
      current[2] = (current[2] ?? 0) + 1;
      moved();
    },
  };
}
