/**
 * Runs benchmarks by name, each in a process of its own with a collector that can be called.
 *
 *   npm run bench                 lists them
 *   npm run bench -- <name> […]   runs one, with its own options
 *   npm run bench -- all          runs every one
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ensureBuilt, ensureInstalled, ensurePackages, targets } from './ensure.mjs';
import { filesUnder, root } from './files.mjs';

/** A benchmark is a file directly in bench/; folders below hold what benchmarks share. */
const benches = filesUnder('bench', /^bench\/[^/]+\.(ts|mjs)$/).map((path) => ({
  path,
  name: basename(path).replace(/\.(ts|mjs)$/, ''),
}));

/** What it measures: the first words of the comment that opens the file. @param {string} path */
function purposeOf(path) {
  const lines = readFileSync(join(root, path), 'utf8').split('\n', 10);
  const words = lines.map((line) => line.replace(/^\s*(\/\*\*|\*\/|\*|\/\/)\s*/, '').replace(/\s*\*\/$/, ''));
  return words.find((line) => line !== '' && !line.startsWith('shows:')) ?? '';
}

const [wanted, ...options] = process.argv.slice(2);
const chosen = wanted === 'all' ? benches : benches.filter(({ name }) => name === wanted);

if (chosen.length === 0) {
  if (wanted !== undefined) console.error(`There is no benchmark "${wanted}".`);
  console.log(
    benches.length === 0 ? 'There are no benchmarks yet.' : 'Benchmarks (npm run bench -- <name>, or "all"):',
  );
  for (const { name, path } of benches) console.log(`  ${name.padEnd(22)} ${purposeOf(path)}`);
  process.exitCode = wanted === undefined ? 0 : 2;
} else {
  await ensureInstalled();
  await ensurePackages();
  await ensureBuilt(targets.bench);
  for (const { name, path } of chosen) {
    const compiled = join(root, 'dist-bench', path.replace(/\.ts$/, '.js'));
    const file = path.endsWith('.ts') && existsSync(compiled) ? compiled : join(root, path);
    if (chosen.length > 1) console.log(`\n== ${name}`);
    const { status } = spawnSync(process.execPath, ['--expose-gc', file, ...options], { cwd: root, stdio: 'inherit' });
    if (status !== 0) {
      console.error(`Benchmark ${name} ended with exit code ${status}.`);
      process.exitCode = 1;
    }
  }
}
