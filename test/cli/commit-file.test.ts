import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readYaml } from '../../src/adapters/definitions/yaml-source.js';
import { loadAgentModule } from '../../src/cli/agent-module.js';
import { checkCommitFile } from '../../src/cli/commit/commit-file.js';
import { serverStage } from '../server/stage-server.js';

const ENV = { FLYBALL_MODEL: 'openai-compatible/test', OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' };

function commitFile(lines: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-commit-file-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'shop'));
  const path = join(folder, 'mender.yaml');
  writeFileSync(path, lines.join('\n'));
  return path;
}

const HEAD = ['kind: commit-loop', 'name: mender', 'description: Mends the shop.', 'price: { input: 0, output: 0 }'];
const TESTS = ['tests:', '  - { command: [node, --test, --test-reporter=tap], format: node-test-tap }'];

it('a commit loop in a YAML file is an agent of the command line and of a server [F-E4]', async () => {
  const module = await loadAgentModule(commitFile([...HEAD, 'workspace: shop', ...TESTS]), ENV);
  expect(module.main).toBe('mender');
  expect(module.budgets['mender']).toMatchObject({ iterations: 200 });
  await expect(module.checkInput('mender', { goal: 'x' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });

  const stage = await serverStage({ groups: [module.group] });
  onTestFinished(() => stage.close());
  const { body } = await stage.call('GET', '/v1/agents/mender');
  expect(body).toMatchObject({ kind: 'workflow', description: 'Mends the shop.', budget: { iterations: 200 } });
  expect(body.inputs.required).toEqual(['id', 'goal', 'requirements', 'taskClass']);
  const task = { id: 't', goal: 'Mend it.', requirements: ['right'], taskClass: 'bug-fix' };
  const started = await stage.call('POST', '/v1/agents/mender/invoke-iterative', {
    body: { inputs: task, budget: { modelCalls: 0 } },
  });
  expect([started.status, started.body.stop]).toEqual([422, 'bounded']);
});

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
  const error = await loadAgentModule(path, ENV).then(
    () => '',
    (caught: Error) => caught.message,
  );
  expect(error.replaceAll(path, 'mender.yaml')).toContain(
    'mender.yaml:5: workspce is not known. Did you mean workspace?',
  );
  expect(error).toContain('tests[0].command must be a list');
  expect(error).toContain('exit is wrong: novelty');
  expect(error).toContain('branch is no name of a branch');
  expect(error).toContain('workspace is missing');
});
