import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadAgentModule } from '../../packages/flyball/src/cli/agent-module.js';
import { serverStage } from '../server/stage-server.js';
import {
  expectUntouched,
  expectVerified,
  type FixBed,
  git,
  JAVASCRIPT,
  modelFor,
  plant,
  replies,
} from './fix-stage.js';
import { flyball } from './in-process.js';

const TASK = { id: 'totals', goal: 'Mend the totals.', requirements: ['they add up'], taskClass: 'bug-fix' };

/** A commit loop over a repository with a bug, as its file says; what it may write is a work tree of its own. */
function commitFile({ base, root }: FixBed, branch: string): string {
  git(root, 'worktree', 'add', '-q', '--detach', join(base, branch), 'HEAD');
  const path = join(base, `${branch}.yaml`);
  const lines = [
    'kind: commit-loop',
    'name: mender',
    'description: Mends the shop.',
    'price: { input: 0, output: 0 }',
    'autonomy: autonomous',
    `workspace: ${branch}`,
    'tests:',
    '  - { command: [node, --test, --test-reporter=tap], format: node-test-tap }',
    'protect: [test/**, package.json]',
    'exit: { novelty: 1 }',
    'whenUnsure: fail',
    `branch: ${branch}`,
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
}

it('a commit loop from a YAML file ends in the same commit over the command line and over HTTP [F-E4]', async () => {
  const bed = plant(JAVASCRIPT);
  const env = await modelFor(replies(JAVASCRIPT, 'right'), bed);
  for (const name of ['OPENAI_COMPATIBLE_BASE_URL', 'FLYBALL_MODEL'] as const) vi.stubEnv(name, env[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  const words = [
    'run',
    commitFile(bed, 'by-command'),
    '--input',
    JSON.stringify(TASK),
    '--db',
    join(bed.base, 'runs.db'),
  ];
  const said = await flyball(words, env);
  expect([said.code, said.error], said.out).toEqual([0, '']);

  const module = await loadAgentModule(commitFile(bed, 'by-http'), env);
  await expect(module.checkInput('mender', { goal: 'x' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  const stage = await serverStage({ groups: [module.group] });
  onTestFinished(() => stage.close());
  const { body: shown } = await stage.call('GET', '/v1/agents/mender');
  expect(shown).toMatchObject({ kind: 'workflow', description: 'Mends the shop.', budget: { iterations: 200 } });
  expect(shown.inputs.required).toEqual(['id', 'goal', 'requirements', 'taskClass']);
  const bounded = await stage.call('POST', '/v1/agents/mender/invoke-iterative', {
    body: { inputs: { ...TASK, id: 'bounded' }, budget: { modelCalls: 0 } },
  });
  expect([bounded.status, bounded.body.stop]).toEqual([422, 'bounded']);
  const { status, body } = await stage.call('POST', '/v1/agents/mender/invoke-iterative', { body: { inputs: TASK } });
  expect([status, body.stop], JSON.stringify(body)).toEqual([200, 'done']);
  expect(body.output).toMatchObject({ status: 'committed', git: { branch: 'by-http' } });
  expect(body.output.git.commit).toBe(git(bed.root, 'rev-parse', 'by-http'));

  for (const branch of ['by-command', 'by-http']) {
    expectVerified(bed, branch, JAVASCRIPT);
    git(bed.root, 'worktree', 'remove', '--force', join(bed.base, branch));
  }
  expect(git(bed.root, 'rev-parse', 'by-http^{tree}')).toBe(git(bed.root, 'rev-parse', 'by-command^{tree}'));
  git(bed.root, 'branch', '-q', '-D', 'by-command');
  expectUntouched(bed, 'by-http');
});
