import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from '../../packages/studio/src/app/pages.js';
import { tabs } from '../../packages/studio/src/run/tabs.js';
import { root } from '../../scripts/files.mjs';

const page = readFileSync(join(root, 'docs/studio.md'), 'utf8');

describe('docs/studio.md', () => {
  it('has a row for every tab of a run, in the order of the studio', () => {
    const table = /^\| Tab \| Shows \|\n\|[- |]+\|\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? '';
    expect([...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, title]) => title)).toEqual(tabs.map(({ title }) => title));
  });

  it('has a section for every page of the menu, and says how many there are', () => {
    const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
    const menu = pages.filter(({ key }) => key !== undefined);
    expect(page).toContain(`The studio has ${words[menu.length]} pages.`);
    const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    for (const { title } of menu) expect(sections).toContain(title);
  });
});
