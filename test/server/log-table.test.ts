import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';

const sources = ['packages/server/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
);

/** Every `log.level('what'` of the server. */
const written = sources.flatMap((text) =>
  [...text.matchAll(/\blog\.(debug|info|warn|error)\(\s*'([^']+)'/g)].map(([, level = '', what = '']) => ({
    level,
    what,
  })),
);

function documented(): ReadonlyMap<string, string> {
  const page = readFileSync(join(root, 'docs/operation.md'), 'utf8');
  const table = page.slice(page.indexOf('| `what` |'), page.indexOf('`id` is the `X-Request-Id`'));
  const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].slice(1);
  return new Map(
    rows.flatMap(([, whats = '', level = '']) =>
      [...whats.matchAll(/`([^`]+)`/g)].map((match) => [match[1] ?? '', level] as const),
    ),
  );
}

it('the documentation has every line of the log below an error, and no other, at its level [R8-REST-TABLES]', () => {
  const table = documented();
  expect(written.length).toBeGreaterThan(15);
  for (const { level, what } of written) {
    if (level === 'error' && !table.has(what)) continue; // "anything else"
    expect(table.get(what) ?? 'not in the table', what).toContain(level);
  }
  const inCode = sources.join('\n');
  for (const what of table.keys()) if (what !== 'what') expect(inCode, what).toContain(`'${what}'`);
});
