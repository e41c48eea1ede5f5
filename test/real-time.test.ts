import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesUnder, root } from '../scripts/files.mjs';

const SELF = 'test/real-time.test.ts';
const FILES = [...filesUnder('test', /\.ts$/), ...filesUnder('src', /\.test\.ts$/), 'vitest.config.ts'];

/** What made tests fail on a busy machine, and what stands in its place. */
const RULES: readonly { readonly is: RegExp; readonly instead: string; readonly except?: readonly string[] }[] = [
  { is: /interruptAfterTimeLimit/, instead: 'a number of programs: repetitions()' },
  {
    is: /\bperformance\.now\(\)/,
    instead: 'processorMs()',
    except: ['test/security/paths.test.ts', 'test/studio/everyday.full.test.ts'],
  }, // one goes on for a time, one times what a page shows
  { is: /\.poll\([^;]*\btimeout: *\d/, instead: 'the limit that vitest.config.ts gives every poll' },
  { is: /\bvi\.waitFor\(/, instead: 'expect.poll(), whose limit grows with the load' },
  { is: /^ *(?:\}, )?\d+_000(?: \* \w+)?(?:,|\);)$/m, instead: 'the limit of the project in vitest.config.ts' },
];

it.each(RULES)('tests use $instead, not $is [F-T2]', ({ is, except = [] }) => {
  const found = FILES.filter((file) => file !== SELF && is.test(readFileSync(join(root, file), 'utf8')));
  expect(found.filter((file) => !except.includes(file))).toEqual([]);
});
