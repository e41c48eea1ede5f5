import { Worker } from 'node:worker_threads';

/** A seed takes some 25 ms of processor time: one that takes hundreds of times as much never comes to its end. */
const MOST_MS = 10_000;
const LOOK_MS = 500;

/**
 * A world on virtual time ends by the number of its moments, unless code goes round within one of them and never lets
 * go. Nothing in its own thread can notice that: another thread looks at the processor time of the seed under way, says
 * which one it was, and ends the process.
 */
export function endsWhatSpins(): { readonly began: (seed: number) => void } {
  const current = new Float64Array(new SharedArrayBuffer(16)); // the seed, and how many plays have begun
  const watcher = new Worker(
    `const { workerData: { current, most, look } } = require('node:worker_threads');
     const { writeSync } = require('node:fs');
     const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
     let played = 0, began = 0;
     setInterval(() => {
       if (current[1] !== played) { played = current[1]; began = used(); return; }
       if (played === 0 || used() - began < most) return;
       writeSync(1, 'seed ' + current[0] + ' breaks liveness:spins: it did not come to an end within ' + most + ' ms of processor time\\n');
       process.kill(process.pid, 'SIGTERM');
     }, look);`,
    { eval: true, workerData: { current, most: MOST_MS, look: LOOK_MS } },
  );
  watcher.unref();
  return {
    began: (seed) => {
      current[0] = seed;
      current[1] = (current[1] ?? 0) + 1;
    },
  };
}
