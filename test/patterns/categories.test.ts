import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { filesUnder, root } from '../../scripts/files.mjs';
import { CATEGORIES } from '../../scripts/patterns.mjs';

const FOLDER = 'packages/flyball/src/patterns';

/** What a file loads when it is loaded: types are gone by then. */
function loads(path: string): readonly string[] {
  const { module } = parseSync(path, readFileSync(join(root, path), 'utf8'));
  const imported = module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries.length > 0 && entries.every(({ isType }) => isType) ? [] : [moduleRequest.value],
  );
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest === null || isType ? [] : [moduleRequest.value])),
  );
  return [...new Set([...imported, ...exported])]
    .filter((from) => from.startsWith('.'))
    .map((from) => join(dirname(path), from).replace(/\.js$/, '.ts'));
}

function reached(from: string): ReadonlySet<string> {
  const seen = new Set([from]);
  for (const path of seen) for (const next of loads(path)) seen.add(next);
  return seen;
}

/** Not every pattern is in the folder of its category: the letter of its id says which that is. */
const elsewhere = filesUnder('packages/flyball/src', /(?<!\.test)\.ts$/).flatMap((path) => {
  const [, letter = ''] = /^ \* @pattern ([A-Z])\d+$/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  return letter === '' ? [] : [{ path, category: CATEGORIES['SKROVIH'.indexOf(letter)] }];
});

describe('a category of patterns', () => {
  it.each(CATEGORIES)('%s loads no pattern of another one [R11-PATTERN-CATEGORIES]', (category) => {
    const all = [...reached(`${FOLDER}/${category}/index.ts`)];
    expect(all.length).toBeGreaterThan(5);
    const others = CATEGORIES.filter((other) => other !== category);
    expect(all.filter((path) => others.some((other) => path.startsWith(`${FOLDER}/${other}/`)))).toEqual([]);
    const patterns = elsewhere.filter(({ path }) => all.includes(path));
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter((found) => found.category !== category)).toEqual([]);
  });
});
