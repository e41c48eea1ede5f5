import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/files.mjs';

/** In a process of its own: what loads the sources for tests puts functions of its own around them. */
function measured(): Readonly<Record<'ask' | 'call', readonly string[]>> {
  const args = ['--import', 'tsx', join(root, 'scripts/effect-path.ts'), '--json'];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
}

/** The files that a section of ARCHITECTURE.md names in its table. */
function filesNamedIn(heading: string): readonly string[] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const links = rows.flatMap((line) => [...line.matchAll(/\]\(([^)]+\.ts)\)/g)].map(([, file = '']) => file));
  return [...new Set(links)].sort();
}

describe('the path of one effect, from the code to the disk and back', () => {
  const paths = measured();

  it.each([
    ['ask', 20, 'One model call, file by file'],
    ['call', 20, 'One tool call, file by file'],
  ] as const)(
    'run.%s takes at most %i files of the kernel, all of which ARCHITECTURE.md names [R9-KERNEL-PATH]',
    (effect, most, heading) => {
      const path = paths[effect];
      const kernel = path.filter((file) => /(^|\/)src\/(core|runtime)\//.test(file));
      expect(kernel.length).toBeLessThanOrEqual(most);
      expect(filesNamedIn(heading)).toEqual([...kernel].sort());
      expect(path.some((file) => file.includes('engine-sqlite/group-commit'))).toBe(true);
    },
  );
});
