import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';

const built = join(root, 'packages/server/dist-studio');

function page(): string {
  if (!existsSync(built))
    throw new Error('The studio is not built. Run `npm test`, or `node scripts/ensure.mjs` first.');
  return readFileSync(join(built, 'index.html'), 'utf8');
}

/** Files that the page names, as paths in the built folder. */
function loaded(): readonly string[] {
  return [...page().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
}

describe('the built studio', () => {
  it('loads only its own files, which are there [R6-STUDIO-OFFLINE]', () => {
    const addresses = loaded();
    expect(addresses.length).toBeGreaterThanOrEqual(3);
    for (const address of addresses) {
      expect(address).toMatch(/^\/studio\//);
      expect(existsSync(join(built, address.slice('/studio/'.length)))).toBe(true);
    }
  });

  it('names its code and style by their content, so that they can be kept for ever', () => {
    const assets = loaded().filter((address) => /\.(js|css)$/.test(address));
    expect(assets.length).toBeGreaterThanOrEqual(2);
    for (const asset of assets) expect(asset).toMatch(/-[\w-]{8}\.(js|css)$/);
  });

  it('has no script and no style inside the page, which a strict policy would refuse [R6-STUDIO-OFFLINE]', () => {
    const text = page();
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
    expect([...text.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, inside]) => inside)).toEqual(['']);
  });

  it('names no address elsewhere but those of standards and of readers [R6-STUDIO-OFFLINE]', () => {
    const texts = loaded().map((address) => readFileSync(join(built, address.slice('/studio/'.length)), 'utf8'));
    const found = texts.flatMap((text) => [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address));
    expect([...new Set(found)].filter((address) => !address.startsWith('http://www.w3.org'))).toEqual([]);
    for (const text of texts) expect(text).not.toMatch(/@import|url\((?!#)["']?(https?:|\/\/|data:)/);
  });

  it('is small enough for a slow line', () => {
    const bytes = loaded().reduce(
      (sum, address) => sum + gzipSync(readFileSync(join(built, address.slice('/studio/'.length)))).length,
      0,
    );
    expect(bytes).toBeLessThan(160_000);
  });
});
