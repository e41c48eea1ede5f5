import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseSync } from 'oxc-parser';
import { expect, it, onTestFinished } from 'vitest';
import { filesUnder, root } from '../../scripts/files.mjs';

const COMPILER = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  declaration: true,
  emitDeclarationOnly: true,
  rootDir: '.',
  outDir: 'out',
};

it('what the examples make can be exported with its declarations: every type in them can be named [R9-TYPES-EXPORTED]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-exported-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, include: ['examples'] }));
  let made = 0;
  for (const path of filesUnder('examples', /\.ts$/)) {
    const { code, count } = exporting(path, readFileSync(join(root, path), 'utf8'));
    made += count;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder, '--pretty', 'false']).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  expect(stdout.split('\n').filter((line) => line !== '')).toEqual([]);
  expect(made).toBeGreaterThan(150);
});

/** What functions answer about a run, a plan or tools. It is read where it is asked for, and nobody exports it. */
const ANSWERS = new Set([
  'course',
  'forged',
  'prediction',
  'then',
  'verdict',
  'audit',
  'older',
  'broken',
  'resolved',
  'today',
  'unknown',
  'loaded',
  'report',
]);

/** With every constant exported that is no answer: what the code waits for is one. */
function exporting(path: string, code: string): { readonly code: string; readonly count: number } {
  const { program } = parseSync(basename(path), code);
  const starts = program.body.flatMap((node) => {
    if (node.type !== 'VariableDeclaration') return [];
    const isMade = node.declarations.every(
      ({ id, init }) => id.type === 'Identifier' && init?.type !== 'AwaitExpression' && !ANSWERS.has(id.name),
    );
    return isMade ? [node.start] : [];
  });
  const parts = [0, ...starts].map((start, index) => code.slice(start, starts[index]));
  return { code: parts.join('export '), count: starts.length };
}
