import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { definition, project } from './project.js';

/** The built package in a project of its own, under Node itself: here no test runner loads the modules. */
async function listed(folder: string): Promise<{ readonly names?: readonly string[]; readonly error?: string }> {
  const program = join(folder, 'list.mjs');
  writeFileSync(
    program,
    `import { toolsFromFolder } from 'flyball/adapters/definitions';
    import { toolRegistry } from 'flyball/tools';
    const answer = await toolsFromFolder('tools').then(
      (found) => ({ names: toolRegistry(found).names() }),
      (error) => ({ error: error.code + ' ' + error.message }),
    );
    console.log(JSON.stringify(answer));`,
  );
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'packages/flyball'), join(folder, 'node_modules/flyball'));
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: folder });
  return JSON.parse(stdout) as { readonly names?: readonly string[]; readonly error?: string };
}

it('modules of every kind are read by Node [R3-TOOL-DISCOVERY-FOLDER]', async () => {
  const folder = project({
    'tools/package.json': '{ "type": "module" }',
    'tools/a.mjs': `import { tool } from 'flyball/tools'; export const a = tool(${definition('a')});`,
    'tools/b.js': `export default ${definition('b')};`,
    'tools/c.cjs': `module.exports = { c: ${definition('c')} }; exports.unused = 1;`,
    'tools/d.cjs': `exports.d = ${definition('d')};`,
  });
  expect(await listed(folder)).toEqual({ names: ['a', 'b', 'c', 'd'] });
});

it('TypeScript is read where Node can, and where it cannot the file and the way out are named', async () => {
  const folder = project({
    'package.json': '{ "type": "module" }',
    'tools/typed.ts': `const name: string = 'typed'; export default { ...${definition('x')}, name };`,
  });
  const { features } = process as { readonly features: { readonly typescript?: string | false } };
  const found = await listed(folder);
  if (features.typescript) expect(found).toEqual({ names: ['typed'] });
  else
    expect(found.error).toMatch(
      /^CONFIG_INVALID .*tools\/typed\.ts could not be loaded: this Node \(v20.*--import tsx/,
    );
});

it('a syntax error is told with the name of the file', async () => {
  const folder = project({ 'tools/torn.mjs': 'export const = 1;' });
  expect((await listed(folder)).error).toMatch(/tools\/torn\.mjs could not be loaded: Unexpected token/);
});
