import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readYaml } from '../../packages/flyball/src/adapters/definitions/yaml-source.js';
import { checkCommitFile } from '../../packages/flyball/src/cli/commit/commit-file.js';

function commitFile(lines: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-commit-file-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'shop'));
  const path = join(folder, 'mender.yaml');
  writeFileSync(path, lines.join('\n'));
  return path;
}

const HEAD = ['kind: commit-loop', 'name: mender', 'description: Mends the shop.', 'price: { input: 0, output: 0 }'];

it('the file that the documentation shows is sound [F-E4]', async () => {
  const { value, at } = await readYaml('examples/mender/mender.yaml');
  expect(checkCommitFile(value, at)).toMatchObject({ name: 'mender', workspace: 'shop', tests: [{ level: 'unit' }] });
});

it('mistakes in such a file are told with their lines, before anything is started [F-E4]', async () => {
  const path = commitFile([
    ...HEAD,
    'workspce: shop',
    'tests: [{ command: node --test, format: tapp }]',
    'exit: { novelty: 2 }',
    'branch: --force',
  ]);
  const { value, at } = await readYaml(path);
  const error = ((): string => {
    try {
      return JSON.stringify(checkCommitFile(value, at));
    } catch (caught) {
      return (caught as Error).message;
    }
  })();
  expect(error.replaceAll(path, 'mender.yaml')).toContain(
    'mender.yaml:5: workspce is not known. Did you mean workspace?',
  );
  expect(error).toContain('tests[0].command must be a list');
  expect(error).toContain('exit is wrong: novelty');
  expect(error).toContain('branch is not a valid branch name');
  expect(error).toContain('workspace is missing');
});
