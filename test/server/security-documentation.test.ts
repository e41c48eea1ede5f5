import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SCOPES } from '../../packages/server/src/access/principal.js';
import { DEFAULT_SETTINGS } from '../../packages/server/src/settings.js';
import { root } from '../../scripts/files.mjs';

const page = readFileSync(join(root, 'docs/access.md'), 'utf8');
/** Rows below a heading of a table, as cells. */
const rows = (heading: string): readonly (readonly string[])[] => {
  const [, table = ''] = page.split(`| ${heading} |`);
  return [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (?!---)(.+) \|$/gm)].map(([, cells = '']) =>
    cells.split(' | '),
  );
};

it('docs/access.md explains every scope in the words of the help, and no other [R6-DOCS]', () => {
  const documented = rows('Scope').map(([scope = '', lets = '']) => [scope.replaceAll('`', ''), lets]);
  expect(documented).toEqual(Object.entries(SCOPES));
});

it('docs/access.md names the limits that a server has from the start [R6-DOCS]', () => {
  expect(page).toContain(`${DEFAULT_SETTINGS.maxBodyBytes / 1_048_576} MiB by default`);
  expect(page).toContain(`${DEFAULT_SETTINGS.bodyTimeoutMs / 1_000} s by default`);
  expect(DEFAULT_SETTINGS).toMatchObject({ host: '127.0.0.1', origins: [], hosts: [], idempotencyMs: 86_400_000 });
});
