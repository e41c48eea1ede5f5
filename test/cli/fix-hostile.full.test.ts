import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commitToBranch, makeTree } from '../../packages/flyball/src/cli/commit/commit-branch.js';
import { changedFiles } from '../../packages/flyball/src/cli/commit/git.js';
import { openWorkTree } from '../../packages/flyball/src/cli/commit/work-tree.js';
import { BRANCH, type FixBed, git, JAVASCRIPT, plant } from './fix-stage.js';

/** Repositories whose settings name programs, which would run as the user and outside every sandbox. */
interface Hostile extends FixBed {
  /** What a program of the repository makes. */
  readonly mark: string;
  /** A command line that leaves the mark and passes on what it is given. */
  readonly program: string;
}

function hostile(attributes?: string): Hostile {
  const files = attributes === undefined ? {} : { '.gitattributes': `${attributes}\n` };
  const bed = plant({ ...JAVASCRIPT, files: { ...JAVASCRIPT.files, ...files } });
  vi.stubEnv('TMPDIR', bed.scratch);
  vi.stubEnv('GIT_CONFIG_GLOBAL', join(bed.base, 'own-settings'));
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFileSync(join(bed.base, 'own-settings'), '[user]\n\tname = Ada\n\temail = ada@shop.example\n');
  const mark = join(bed.base, 'mark');
  return { ...bed, mark, program: `sh -c 'touch ${mark}; cat'` };
}

/** All that is done to a repository around the loop: a work tree, its changes, and a commit of them. */
async function workedOn({ root, base }: Hostile): Promise<string> {
  const tree = await openWorkTree(root, optionsIn(base));
  try {
    writeFileSync(join(tree.folder, JAVASCRIPT.broken), 'export const total = () => 3;\n');
    const made = await makeTree(tree.folder, await changedFiles(tree.folder), join(base, 'indexes'));
    return (await commitToBranch(tree.folder, made, { branch: BRANCH, message: 'Fix' })).commit;
  } finally {
    await tree.remove();
  }
}

const optionsIn = (base: string) => ({ branch: BRANCH, for: { run: 'run_hostile', database: join(base, 'runs.db') } });
const setting = ({ root }: Hostile, name: string, value: string): string => git(root, 'config', name, value);
const isOlder = (path: string): void => utimesSync(path, 1e9, 1e9); // so that git reads it again

const REFUSED: readonly (readonly [string, (bed: Hostile) => void])[] = [
  ['a filter for files that are checked out', (bed) => setting(bed, 'filter.x.smudge', bed.program)],
  ['a filter that stays', (bed) => setting(bed, 'filter.x.process', bed.program)],
  [
    'a filter for files that are read',
    (bed) => {
      setting(bed, 'filter.x.clean', bed.program);
      isOlder(join(bed.root, JAVASCRIPT.broken));
    },
  ],
  [
    'a filter in an included file',
    (bed) => {
      writeFileSync(join(bed.root, '.git/more'), `[filter "x"]\n\tsmudge = "${bed.program}"\n`);
      setting(bed, 'include.path', 'more');
    },
  ],
  [
    'a filter in a file that is included for work trees only',
    (bed) => {
      writeFileSync(join(bed.root, '.git/more'), `[filter "x"]\n\tsmudge = "${bed.program}"\n`);
      appendFileSync(join(bed.root, '.git/config'), '[includeIf "gitdir:**/worktrees/**"]\n\tpath = more\n');
    },
  ],
  [
    'a filter in the settings of one work tree',
    (bed) => {
      setting(bed, 'core.repositoryformatversion', '1');
      setting(bed, 'extensions.worktreeConfig', 'true');
      writeFileSync(join(bed.root, '.git/config.worktree'), `[filter "x"]\n\tsmudge = "${bed.program}"\n`);
    },
  ],
];

describe('a repository that names programs of its own', () => {
  it.each(REFUSED)('is refused before any of them runs: %s [R8-TRIAL-F1]', async (_, set) => {
    const bed = hostile('*.js filter=x');
    set(bed);
    await expect(workedOn(bed)).rejects.toThrow(/start a program outside the sandbox: (?:filter\.x\.|includeif\.)/);
    expect(existsSync(bed.mark)).toBe(false);
  });

  it('by attributes that are in no commit is refused too [R8-TRIAL-F1]', async () => {
    const bed = hostile();
    mkdirSync(join(bed.root, '.git/info'), { recursive: true });
    writeFileSync(join(bed.root, '.git/info/attributes'), '*.js filter=x\n');
    setting(bed, 'filter.x.smudge', bed.program);
    await expect(workedOn(bed)).rejects.toThrow('git config --global');
    expect(existsSync(bed.mark)).toBe(false);
  });

  it('as hooks, watcher, signatures and remotes is worked on, and none of them runs [R8-TRIAL-F1]', async () => {
    const bed = hostile();
    for (const name of ['post-checkout', 'reference-transaction', 'post-index-change'])
      writeFileSync(join(bed.root, '.git/hooks', name), `#!/bin/sh\ntouch ${bed.mark}\n`, { mode: 0o755 });
    for (const name of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'core.editor', 'diff.external'])
      setting(bed, name, bed.program);
    setting(bed, 'log.showSignature', 'true');
    setting(bed, 'gpg.program', bed.program);
    expect(await workedOn(bed)).toMatch(/^[0-9a-f]{40}$/);
    expect(existsSync(bed.mark)).toBe(false);
  });

  it.each([
    ['a program for its remote', 'remote.origin.uploadpack', '/'],
    ['a program for ssh', 'core.sshCommand', 'ssh://127.0.0.1/x'],
  ])('is not asked for objects that it lacks: %s [R8-TRIAL-F1]', async (_, name, url) => {
    const bed = hostile();
    const object = git(bed.root, 'rev-parse', `HEAD:${JAVASCRIPT.broken}`);
    rmSync(join(bed.root, '.git/objects', object.slice(0, 2), object.slice(2)));
    setting(bed, 'core.repositoryformatversion', '1');
    setting(bed, 'extensions.partialClone', 'origin');
    setting(bed, 'remote.origin.promisor', 'true');
    setting(bed, 'remote.origin.url', url);
    setting(bed, name, `touch ${bed.mark};`);
    await expect(workedOn(bed)).rejects.toThrow(/git worktree failed/);
    expect(existsSync(bed.mark)).toBe(false);
  });

  it('in a repository inside of it is not looked into [R8-TRIAL-F1]', async () => {
    const bed = hostile();
    const inner = join(bed.root, 'lib');
    mkdirSync(inner);
    git(inner, 'init', '-q');
    writeFileSync(join(inner, '.gitattributes'), '* filter=x\n');
    writeFileSync(join(inner, 'file'), '1\n');
    git(inner, 'add', '.');
    git(inner, 'commit', '-q', '-m', 'inner');
    git(bed.root, '-c', 'advice.addEmbeddedRepo=false', 'add', '.');
    git(bed.root, 'commit', '-q', '-m', 'outer');
    git(inner, 'config', 'filter.x.clean', bed.program);
    isOlder(join(inner, 'file'));
    expect(await changedFiles(bed.root)).toEqual([]);
    expect(existsSync(bed.mark)).toBe(false);
  });
});

describe('a filter of the user', () => {
  const own = (bed: Hostile): void =>
    appendFileSync(join(bed.base, 'own-settings'), `[filter "x"]\n\tsmudge = "${bed.program}"\n\tclean = cat\n`);

  it('such as Git LFS runs [R8-TRIAL-F1]', async () => {
    const bed = hostile('*.js filter=x');
    own(bed);
    expect(await workedOn(bed)).toMatch(/^[0-9a-f]{40}$/);
    expect(existsSync(bed.mark)).toBe(true);
  });

  it.each(['lfs.customtransfer.x.path', 'core.sshCommand', 'credential.https://a.example.helper'])(
    'does not run where the repository says what it starts: %s [R8-TRIAL-F1]',
    async (name) => {
      const bed = hostile('*.js filter=x');
      own(bed);
      setting(bed, name, bed.program);
      await expect(workedOn(bed)).rejects.toThrow(`start a program outside the sandbox: ${name.toLowerCase()}`);
      expect(existsSync(bed.mark)).toBe(false);
    },
  );
});

describe('a repository whose last commit cannot be read', () => {
  const ref = ({ root }: FixBed) => join(root, '.git/refs/heads/main');

  it('is told apart from one without a commit [R8-WAYS-HEAD]', async () => {
    const bed = hostile();
    rmSync(ref(bed));
    await expect(openWorkTree(bed.root, optionsIn(bed.base))).rejects.toThrow(
      `Branch main of ${bed.root} has no commit yet. Commit its files first.`,
    );
  });

  it.each<[string, (bed: Hostile) => void]>([
    ['whose branch is garbage', (bed) => writeFileSync(ref(bed), 'garbage\n')],
    ['whose branch is empty after a crash', (bed) => writeFileSync(ref(bed), '')],
    [
      'whose commit is gone',
      (bed) => {
        const commit = git(bed.root, 'rev-parse', 'HEAD');
        rmSync(join(bed.root, '.git/objects', commit.slice(0, 2), commit.slice(2)));
      },
    ],
  ])('is refused in a sentence that says so: one %s [R8-WAYS-HEAD]', async (_, damage) => {
    const bed = hostile();
    damage(bed);
    await expect(openWorkTree(bed.root, optionsIn(bed.base))).rejects.toThrow(
      `The last commit of ${bed.root} cannot be read. Run git status and git fsck there`,
    );
  });
});

describe('package.json', () => {
  it('that is a pipe is refused and not waited for [R8-TRIAL-F2]', async () => {
    const bed = hostile();
    rmSync(join(bed.root, 'package.json'));
    execFileSync('mkfifo', [join(bed.root, 'package.json')]);
    await expect(openWorkTree(bed.root, optionsIn(bed.base))).rejects.toThrow('package.json is not a regular file');
  });

  it('that is not JSON, or too large, is refused without a word of it [R8-TRIAL-F2]', async () => {
    const bed = hostile();
    const file = join(bed.root, 'package.json');
    writeFileSync(file, 'hush');
    await expect(openWorkTree(bed.root, optionsIn(bed.base))).rejects.toThrow(/package\.json is not JSON\. Fix it/);
    writeFileSync(file, `{"a":"${'x'.repeat(1024 * 1024)}"}`);
    await expect(openWorkTree(bed.root, optionsIn(bed.base))).rejects.toThrow('is larger than 1 MiB');
    writeFileSync(file, '{"scripts":{"test":["node --test"]}}');
    await expect(openWorkTree(bed.root, optionsIn(bed.base))).rejects.toThrow('No tests were found');
    expect(readFileSync(join(bed.root, '.git/HEAD'), 'utf8')).toContain('main');
  });
});
