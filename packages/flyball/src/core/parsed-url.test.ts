import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesUnder, root } from '../../../../scripts/files.mjs';
import { parsedUrl } from './parsed-url.js';

it('reads international names, also in a process that has read many addresses', () => {
  for (let n = 0; n < 50_000; n++) parsedUrl(`https://example.com/${n % 10}`);
  expect(parsedUrl('https://m\u00fcnchen.de/')?.hostname).toBe('xn--mnchen-3ya.de');
  expect(parsedUrl('/a', 'https://example.com/b')?.href).toBe('https://example.com/a');
  expect(parsedUrl('no address')).toBeUndefined();
});

it('is what the sources use', () => {
  const sources = filesUnder('packages', /(?<!\.test)\.ts$/).filter(
    (file) => file !== 'packages/flyball/src/core/parsed-url.ts',
  );
  expect(sources.filter((file) => readFileSync(join(root, file), 'utf8').includes('URL.canParse'))).toEqual([]);
});
