/**
 * Runs every test with all its repetitions: crash schedules, real kills, generated programs, soaks. Takes long.
 *
 *   npm run test:full                      everything; paths and options go to vitest
 *   npm run test:full -- --times 10 …      with ten times the repetitions
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './files.mjs';

const given = process.argv.slice(2);
const at = given.indexOf('--times');
const [, number = ''] = at === -1 ? [] : given.splice(at, 2);
const times = at === -1 ? 1 : Number(number);
if (!(times >= 1)) {
  console.error(`--times needs a number of at least 1, not "${number}".`);
  process.exit(2);
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...given], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FLYBALL_TIMES: String(times) },
});
process.exitCode = status ?? 1;
