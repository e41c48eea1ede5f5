import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as kit from 'flyball/patterns';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { CATEGORIES, outdated, pages, patterns } from '../../scripts/patterns.mjs';

/** What the examples of a category make, where it has any. */
async function examples(): Promise<Record<string, Readonly<Record<string, unknown>>>> {
  const found: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const category of CATEGORIES) {
    const file = join(root, `examples/patterns/${category}.ts`);
    if (existsSync(file)) found[category] = (await import(file)).examples;
  }
  return found;
}

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

  it('are of patterns that all have an id of their own', () => {
    const ids = patterns().map(({ id, name }) => `${id} ${name}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('K1 rag');
  });
});
