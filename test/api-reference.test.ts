import { expect, it } from 'vitest';
import { exportsOf } from '../scripts/api/exports.mjs';
import { commentOf } from '../scripts/api/signature.mjs';
import { outdated, pages } from '../scripts/api.mjs';
import { publicEntries } from '../scripts/packages.mjs';

it('the reference in docs/api is what the sources export: `npm run api -- --update` writes it anew [R9-DOCS-SURFACE]', () => {
  expect(outdated()).toEqual([]);
});

it('says what a name is for, how it is called, and nothing of how it works [R9-DOCS-REFERENCE]', () => {
  const page = pages().get('docs/api/flyball.md') ?? '';
  expect(page).toContain('### createRuntime\n');
  expect(page).toMatch(/^class BoundReachedError extends FlyballError \{$/m);
  expect(page).not.toMatch(/^\s+(return|this\.) /m);
});

it('shows the types that signatures mention and nobody has to import', () => {
  const page = pages().get('docs/api/flyball-toolbox.md') ?? '';
  const [exported = '', others = ''] = page.split('## Types that are not exported');
  expect(exported).toContain('function shellTool(options: ShellOptions)');
  expect(exported).not.toContain('### ShellOptions');
  expect(others).toMatch(/### ShellOptions\n\n.+\n\n```ts\ninterface ShellOptions \{/);
});

/** The catalogue of patterns has a name for each of them, by category and all together. */
const isCatalogue = (entry: string): boolean => /^flyball\/patterns(\/|$)/.test(entry);

it('`flyball` has at most 600 public names, each of them in one entry [R9-DOCS-NAMES]', () => {
  const names = publicEntries()
    .filter(({ folder, entry }) => folder === 'flyball' && !isCatalogue(entry))
    .flatMap(({ source }) => [...exportsOf(source).keys()]);
  const advice = `${names.length} public names: CONTRIBUTING.md says what to do with a new one`;
  expect(names.length, advice).toBeLessThanOrEqual(600);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

it('every public name says in a comment what it is [R9-DOCS-COMMENTS]', () => {
  const silent = publicEntries().flatMap(({ entry, source }) =>
    [...exportsOf(source).values()]
      .filter((declared) => commentOf(declared) === '')
      .map(({ name }) => `${entry}: ${name}`),
  );
  expect(silent).toEqual([]);
});
