import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sandboxFor } from '../../packages/flyball/src/cli/commit/load-commit-loop.js';
import {
  BRANCH,
  calling,
  expectUntouched,
  expectVerified,
  type FixBed,
  fix,
  fixWords,
  git,
  JAVASCRIPT,
  plant,
  replies,
} from './fix-stage.js';
import { flyball } from './in-process.js';

describe('flyball fix', () => {
  it('ends in a verified commit on a new branch, and the files of the repository stay as they are [F-E4]', async () => {
    const planted = JAVASCRIPT;
    const bed = plant(planted);
    const said = await fix(bed, replies(planted, 'right'));
    expect([said.code, said.error], said.out).toEqual([0, '']);
    expect(said.out).toContain(`on branch ${BRANCH}. All tests pass.`);
    expectUntouched(bed, BRANCH);
    expectVerified(bed, BRANCH, planted);
    const mended = readFileSync(join(bed.root, planted.broken), 'utf8').replace(planted.wrong, planted.right);
    expect(`${git(bed.root, 'show', `${BRANCH}:${planted.broken}`)}\n`).toBe(mended);
    expect(readdirSync(bed.scratch)).toEqual([]);
  });

  it('makes no branch and leaves nothing behind when the model writes another bug [F-E4]', async () => {
    const bed = plant(JAVASCRIPT);
    const said = await fix(bed, replies(JAVASCRIPT, 'wrong'));
    expect(said.code, said.out).toBe(1);
    expect(said.out).toContain('Not fixed. No branch was created');
    expectUntouched(bed);
    expect(readdirSync(bed.scratch)).toEqual([]);
  });

  it('cannot be passed by changing, adding or removing tests, unless that is allowed [F-E4]', async () => {
    const { test: path } = JAVASCRIPT;
    const content = "import test from 'node:test';\ntest('adds up', () => undefined);\n";
    const cheats = [
      ['write_file', { path, content }],
      ['delete_file', { path }],
      ['move_file', { from: path, to: 'old.js' }],
      ['write_file', { path: 'package.json', content: '{}' }],
      ['edit_file', { path, edits: [{ old: '3', new: '-3' }] }],
    ] as const;
    const bed = plant(JAVASCRIPT);
    const said = await fix(bed, calling(JAVASCRIPT, cheats));
    expect(said.code, said.out).toBe(1);
    expectUntouched(bed);

    const edit = ['edit_file', { path, edits: [{ old: '1, 2]), 3', new: '1, 2]), -3' }] }] as const;
    const denied = await fix(bed, calling(JAVASCRIPT, [edit]));
    expect(denied.code, denied.out).toBe(1);
    expectUntouched(bed);
    const allowed = await fix(bed, calling(JAVASCRIPT, [edit]), ['--allow-tests']);
    expect(allowed.code, allowed.out).toBe(0);
    expect(git(bed.root, 'diff', '--name-only', 'main', BRANCH)).toBe(path);
  });
});

describe('flyball fix refuses, before a model is asked and with nothing left behind,', () => {
  const refused = async (bed: FixBed, words: readonly string[]): Promise<string> => {
    const said = await flyball(words);
    expect(said.code, said.out).toBe(2);
    expect(readdirSync(bed.scratch)).toEqual([]);
    return said.error;
  };

  it('a branch that exists, a folder without git, a repository without commits or tests, and an empty issue [F-E4]', async () => {
    const bed = plant(JAVASCRIPT);
    git(bed.root, 'branch', BRANCH);
    expect(await refused(bed, fixWords(bed))).toContain(`Branch ${BRANCH} already exists in`);
    expect(await refused(bed, ['fix', bed.base, '--issue', bed.issue])).toContain('is not a git repository');
    const empty = join(bed.base, 'empty');
    mkdirSync(empty);
    git(empty, 'init', '-q');
    expect(await refused(bed, ['fix', empty, '--issue', bed.issue])).toContain('has no commit yet');
    const untested = plant({ ...JAVASCRIPT, files: { 'readme.md': 'nothing here\n' } });
    expect(await refused(bed, ['fix', untested.root, '--issue', bed.issue])).toContain('without tests nothing can be');
    writeFileSync(bed.issue, ' \n');
    expect(await refused(bed, fixWords(bed))).toContain('is empty');
    expect(git(bed.root, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('a machine without bubblewrap, unless somebody says that it may run without [F-E4]', async () => {
    const missing = { available: false, why: 'bubblewrap is not installed' } as const;
    await expect(sandboxFor({ sandbox: 'required' }, missing)).rejects.toThrow(
      'without isolation: bubblewrap is not installed. Install bubblewrap, or use --unsandboxed',
    );
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    expect((await sandboxFor({}, missing)).name).not.toBe('bubblewrap');
    expect(warned).toHaveBeenCalledWith('Tests run without isolation: bubblewrap is not installed.');
  });
});
