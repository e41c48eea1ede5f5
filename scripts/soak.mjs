/**
 * Runs the slow tests (crash schedules, real kills) with more repetitions than the suite does.
 *
 *   npm run soak                    ten times as many
 *   npm run soak -- 50 [options]    fifty times as many; further options go to vitest
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, targets } from './ensure.mjs';
import { root } from './files.mjs';

const [given, ...rest] = process.argv.slice(2);
const times = given === undefined ? 10 : Number(given);
if (!(times >= 1)) {
  console.error(`The first option is how many times as much work to do, a number of at least 1, not "${given}".`);
  process.exit(2);
}
await ensureInstalled();
for (const target of [targets.package, targets.examples, targets.programs]) await ensureBuilt(target);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'slow', ...rest], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FLYBALL_SOAK: String(times) },
});
process.exitCode = status ?? 1;
