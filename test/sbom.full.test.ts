import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../scripts/files.mjs';

const bill = (...words: readonly string[]): string =>
  execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs'), ...words], { encoding: 'utf8', stdio: 'pipe' });

it('the bill of materials lists what the packages bring along, and is the same for the same lock file [R8-SECURITY-SBOM]', () => {
  const text = bill();
  const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: { name: string }[] };
  expect(bomFormat).toBe('CycloneDX');
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['commander', 'yaml', 'libsql', 'hono', 'jose', 'zod']));
  for (const name of names) expect(name).not.toMatch(/vitest|biome|typescript/);
  expect(bill()).toBe(text);
  expect(JSON.parse(bill('--format', 'spdx'))).toMatchObject({ spdxVersion: expect.stringContaining('SPDX-') });
  expect(() => bill('--format', 'csv')).toThrow('Choose cyclonedx or spdx');
});
