import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, root } from '../scripts/files.mjs';
import { isShipped, packaged } from '../scripts/package-documents.mjs';
import { PUBLISHED } from '../scripts/packages.mjs';
import { linkProblems } from '../scripts/readme-check.mjs';

const ships = (path: string) => isShipped(path, 'flyball') && existsSync(join(root, path));

describe('the documents of the package', () => {
  it('are there, and every link in them leads to something that ships [F-N4]', () => {
    const documents = filesUnder('.', /\.md$/).filter(ships);
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/guide.md', 'docs/cli.md']));
    const texts = new Map(
      documents.map((path) => [path, packaged({ path, text: readFileSync(join(root, path), 'utf8') }, ships)]),
    );
    const read = (path: string) => texts.get(path) ?? (ships(path) ? '' : undefined);
    expect(documents.flatMap((path) => linkProblems({ path, text: texts.get(path) ?? '' }, read))).toEqual([]);
  });

  it('name what does not ship in words, and change nothing else [F-N4]', () => {
    const text =
      'A [guide](docs/guide.md#x), [kills](test/a.test.ts), [src/b.ts](src/b.ts), [`b.ts`](src/b.ts), [us](https://a.example), `[c](d.ts)`.';
    const made = packaged({ path: 'README.md', text }, (path) => path.startsWith('docs/'));
    expect(made).toBe(
      'A [guide](docs/guide.md#x), kills (`test/a.test.ts` in the repository), `src/b.ts`, `src/b.ts`, [us](https://a.example), `[c](d.ts)`.',
    );
  });

  it('leave out what is about the repository [F-N4]', () => {
    expect(isShipped('docs/requirements/2-durable-run.json', 'flyball')).toBe(false);
    expect(isShipped('docs/plans.md', 'flyball')).toBe(true);
    expect(isShipped('docsx/plans.md', 'flyball')).toBe(false);
  });

  it('ship the page of a package with that package alone', () => {
    expect(isShipped('docs/evals.md', 'evals')).toBe(true);
    expect(isShipped('docs/evals.md', 'flyball')).toBe(false);
    expect(isShipped('docs/plans.md', 'evals')).toBe(false);
    for (const folder of PUBLISHED) expect(isShipped('LICENSE', folder)).toBe(true);
  });

  it.each(PUBLISHED.filter((folder) => folder !== 'flyball'))(
    'are where the README of %s says that they are [R19-PACKAGE-PAGES]',
    (folder) => {
      const text = readFileSync(join(root, 'packages', folder, 'README.md'), 'utf8');
      const [, own = '', others = ''] = /in this package: (.*?)\. In the package `flyball`, (.*)\.$/m.exec(text) ?? [];
      const pagesIn = (words: string) => [...words.matchAll(/`(docs\/[^`]+)`/g)].map(([, path = '']) => path);
      const shippedAt = (path: string, package_: string) =>
        filesUnder(path.replace(/\/[^/]+$/, '')).some(
          (file) => (file === path || file.startsWith(`${path}/`)) && isShipped(file, package_),
        );
      for (const [pages, package_] of [
        [pagesIn(own), folder],
        [pagesIn(others), 'flyball'],
      ] as const) {
        expect(pages.length).toBeGreaterThan(0);
        for (const path of pages) expect(shippedAt(path, package_), `${path} in ${package_}`).toBe(true);
      }
      expect([...text.matchAll(/`docs\//g)]).toHaveLength(pagesIn(own).length + pagesIn(others).length);
    },
  );
});
