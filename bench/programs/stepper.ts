/** One of several processes on one file: stepper.js <file> <runs> <effects>. */
import { sum } from '../measure/figures.js';
import { driveSteps } from '../measure/steps-load.js';

const [path = '', runs, effects] = process.argv.slice(2);
const driven = await driveSteps(
  path,
  {
    effect: 'idempotent',
    runs: Number(runs),
    effects: Number(effects),
    resultBytes: 8,
  },
  { watched: true },
);
console.log(
  JSON.stringify({ ms: driven.ms, records: sum(driven.commits), commits: driven.commits.length, stall: driven.stall }),
);
