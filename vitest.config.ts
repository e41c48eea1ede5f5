import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { filesUnder, root } from './scripts/files.mjs';

const source = (path: string) => fileURLToPath(new URL(`./packages/${path}`, import.meta.url));
const nodeMajor = process.versions.node.split('.')[0];

/** Others put something in the place of a module, which only helps, and only ends, where nobody else has loaded it. */
const alone = ['packages', 'test']
  .flatMap((folder) => filesUnder(folder, /(?<!\.slow|\.full)\.test\.ts$/))
  .filter((file) => /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(join(root, file), 'utf8')));

/** On a machine with more to do than it has cores, everything takes longer by about that much: test/patience.ts. */
const patience = Number(
  process.env['FLYBALL_PATIENCE'] ?? Math.min(8, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())),
);
const quick = { testTimeout: 60_000 * patience, hookTimeout: 60_000 * patience };
/** Only ends what hangs: what a test has to do is bounded by a number, not by time. */
const times = Number(process.env['FLYBALL_TIMES'] ?? 1);
const long = { testTimeout: 600_000 * times * patience, hookTimeout: 120_000 * patience };

/** Holds every pattern of every journal that a test writes against its formula. */
const predictedCalls = 'test/patterns/predicted-calls.ts';

/** The long ones first: what is left in the end is short, so that no worker waits for another one. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ project }: TestSpecification) => /^(slow|full)$/.test(project.name);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  resolve: {
    // the names of our packages mean their sources here, so that a test never runs against an older build
    alias: [
      { find: /^flyball\/(command|internal)$/, replacement: source('flyball/src/$1.ts') },
      {
        find: /^flyball\/((?:adapters|patterns|testing)\/[a-z-]+|[a-z]+)$/,
        replacement: source('flyball/src/$1/index.ts'),
      },
      { find: /^flyball$/, replacement: source('flyball/src/index.ts') },
      { find: /^@flyball\/([a-z]+)\/internal$/, replacement: source('$1/src/internal.ts') },
      { find: /^@flyball\/([a-z]+)\/([a-z]+)$/, replacement: source('$1/src/$2/index.ts') },
      { find: /^@flyball\/([a-z]+)$/, replacement: source('$1/src/index.ts') },
    ],
  },
  test: {
    pool: 'forks', // tests kill processes, fill disks and measure heaps: threads of one process would share all that
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    maxWorkers: Math.max(2, availableParallelism() - 1), // the runner's own choice on two cores is one, half of them idle
    sequence: { sequencer: LongestFirst },
    env: { FLYBALL_PATIENCE: String(patience) },
    expect: { poll: { timeout: 30_000 * patience } },
    // real processes on a loaded machine can be late once; what fails twice is a fault. The report names what was tried again
    retry: process.env['CI'] ? 1 : 0,
    reporters: process.env['CI'] ? ['default', 'json'] : ['default'],
    outputFile: { json: `.cache/ci/node${nodeMajor}.json` },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          // one process for file after file: a new one and all its modules take longer than most of these tests
          isolate: false,
          setupFiles: ['test/left-clean.ts', predictedCalls],
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', '**/*.full.test.ts', ...alone],
          ...quick,
        },
      },
      { extends: true, test: { name: 'alone', setupFiles: [predictedCalls], include: alone, ...quick } },
      {
        extends: true,
        test: {
          name: 'slow',
          setupFiles: [predictedCalls],
          include: ['packages/*/src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
          ...long,
        },
      },
      // what takes minutes even as a sample: `npm test` leaves this project out
      {
        extends: true,
        test: {
          name: 'full',
          setupFiles: [predictedCalls],
          include: ['packages/*/src/**/*.full.test.ts', 'test/**/*.full.test.ts'],
          ...long,
        },
      },
    ],
  },
});
