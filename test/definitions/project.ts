import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of its own with these files in it, gone after the test. */
export function project(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-definitions-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** A definition as JavaScript source. */
export function definition(name: string, more = ''): string {
  return `{
    name: '${name}',
    description: 'Does ${name}. Not more.',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    effect: 'pure',
    execute: async ({ text }) => '${name} ' + text,
    ${more}
  }`;
}
