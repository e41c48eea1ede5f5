import { join } from 'node:path';
import * as kit from 'flyball/patterns';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { EXAMPLES, outdated, pages, patterns } from '../../scripts/patterns.mjs';

/** What the examples make, by file. */
async function examples(): Promise<Record<string, Readonly<Record<string, unknown>>>> {
  const found: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const file of EXAMPLES) found[file] = (await import(join(root, `examples/patterns/${file}.ts`))).examples;
  return found;
}

/** What the catalogue counts as built, in full or as a mechanism: each has a function, and each function a page. */
const BUILT =
  'S1 S5 S6 K1 K2 K5 K6 K7 K13 R3 R4 R7 R8 R17 O1 O4 O5 O9 O17 V1 V2 V5 V6 V7 V8 V9 V10 V11 V13 V14 V15 V16 V17 V18 V20 I1 I2 I3 I4 I5 H4';

describe('the pages of the patterns', () => {
  it('are what the sources say: `npm run patterns -- --update` writes them anew [R11-PATTERN-PAGES]', async () => {
    expect(outdated(await examples(), kit)).toEqual([]);
  });

  it('say what a pattern is for, when not to use it, what it costs and how it is called [R11-PATTERN-PAGES]', async () => {
    const page = pages(await examples(), kit).made.get('docs/patterns/k5-adaptive-rag.md') ?? '';
    expect(page).toContain('# adaptiveRag (K5)\n\nLooks up only when needed');
    expect(page).toContain('## When not to use it\n\nNot where every question');
    expect(page).toMatch(/Formula: `classifier \+ lookups × lookup .*`\. In the example below: 1 to 7 model calls\./);
    expect(page).toContain('| `judged` | 0 to 2, known at the end |');
    expect(page).toContain('const careful = adaptiveRag(');
  });

  it('are there for each of the 41 patterns, with when not to use it and an example [R11-PATTERN-PAGES]', async () => {
    const { made, missing, problems } = pages(await examples(), kit);
    expect([...missing, ...problems]).toEqual([]);
    const ids = new Set(patterns().map(({ id }) => id));
    expect(BUILT.split(' ').filter((id) => !ids.has(id))).toEqual([]);
    const lacking = [...made].filter(
      ([path, text]) => !path.endsWith('README.md') && !/## When not to use it\n\nNot .*[\s\S]*```ts\n/.test(text),
    );
    expect(lacking.map(([path]) => path)).toEqual([]);
  });

  it('are of patterns that all have an id of their own', () => {
    const ids = patterns().map(({ id, name }) => `${id} ${name}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('K1 rag');
  });
});
