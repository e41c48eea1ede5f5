import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { filesUnder, root } from './scripts/files.mjs';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const soak = Number(process.env['FLYBALL_SOAK'] ?? 1);
const nodeMajor = process.versions.node.split('.')[0];

/** Others put something in the place of a module, which only helps, and only ends, where nobody else has loaded it. */
const alone = ['src', 'test']
  .flatMap((folder) => filesUnder(folder, /(?<!\.slow)\.test\.ts$/))
  .filter((file) => /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(join(root, file), 'utf8')));
const quick = { testTimeout: 20_000, hookTimeout: 20_000 };

/** The long ones first: what is left in the end is short, so that no worker waits for another one. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ project }: TestSpecification) => project.name === 'slow';
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  resolve: {
    // the package's own name means its sources here, so that a test never runs against an older build
    alias: [
      { find: /^flyball$/, replacement: source('index.ts') },
      {
        find: /^flyball\/(testing|views|tools|toolbox|models|memory|loops|agents|plans|people|checks|skills|retrieval|evals|server)$/,
        replacement: source('$1/index.ts'),
      },
      { find: /^flyball\/adapters\/([a-z-]+)$/, replacement: source('adapters/$1/index.ts') },
    ],
  },
  test: {
    pool: 'forks', // tests kill processes, fill disks and measure heaps: threads of one process would share all that
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    maxWorkers: Math.max(2, availableParallelism() - 1), // the runner's own choice on two cores is one, half of them idle
    sequence: { sequencer: LongestFirst },
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
          setupFiles: ['test/left-clean.ts'],
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', ...alone],
          ...quick,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, ...quick } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
          testTimeout: 120_000 * soak, // one that hangs is tried again, and both are to fit into a run of everything
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
