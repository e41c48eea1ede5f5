import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { shellTool, unsandboxed } from 'flyball/toolbox';
import { checkCommand, pathRules, readOnlyCommands } from 'flyball/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeCommand } from '../../../packages/flyball/src/tools/rules/commands.js';
import { SHELL_FEATURES } from '../../../packages/flyball/src/tools/rules/commands-features.js';

/** Ways to hide a flag behind a word that a program takes for the value of another one. */
const granted = Object.fromEntries(
  'tar split curl shuf cp mv ln fd rg ag cpio rsync ssh scp wget tcpdump install cloc hostname'
    .split(' ')
    .map((name) => [name, {}]),
);
const rules = readOnlyCommands({ programs: granted });
const PAGER = '-Ocd ..; id >PWNED; id #';

/** Words are separated by two blanks, so that one may hold a blank. */
const HIDDEN: readonly string[] = [
  `git  grep  -e  --  ${PAGER}  -e  needle`,
  'git  grep  -e  --  --open-files-in-pager=python3 -c "print(6*7)" #  -e  needle',
  'git  grep  --max-depth  --  -Oid  -e  x',
  'git  grep  -f  --  -nOid  x',
  'git  grep  -A  --  --open=id  x',
  'git  log  --author  --  --output=o.txt',
  'git  show  --format  --  --output=o.txt',
  'git  diff  -S  --  --ext-diff',
  'git  log  -G  --  --textconv  -p',
  'git  log  --grep  --  --show-signature',
  'git  shortlog  --author  --  --output=o.txt  HEAD',
  'git  stash  list  --author  --  --output=o.txt',
  'git  describe  --match  --  --dirty',
  'git  status  --column  --  -v',
  'git  cat-file  --batch-check  --  --textconv',
  'git  branch  --format  --  -D  victim',
  'git  branch  --list  --sort  --  -m  victim  stolen',
  'git  tag  --format  --  -d  v1',
  'sort  --random-source  --  -o  o.txt  notes.txt',
  'sort  --random-source  --  --compress-program=id  -S  1  notes.txt',
  'sort  -k  --  -T  /tmp  notes.txt',
  'shuf  --random-source  --  -o  o.txt  notes.txt',
  'tree  -P  --  -o  o.txt',
  'diff  --label  --  -l  a  b',
  'file  -F  --  -C  -m  notes.txt',
  'file  -e  --  -z  notes.txt',
  'date  -d  --  -s  2020-01-01',
  'jq  --arg  a  --  -L  x  .',
  'rg  -e  --  --pre  id  x',
  'fd  -E  --  -x  id',
  'ag  -G  --  --pager=id  x',
  'tar  -cf  --  --checkpoint=1  --checkpoint-action=exec=id  notes.txt',
  'tar  -C  --  -I  id  -cf  x.tar  notes.txt',
  'tar  -x  -f  --  --to-command=id',
  'split  --additional-suffix  --  --filter=id >&2  notes.txt',
  'cpio  -H  --  --rsh-command=id',
  'cp  -S  --  -t  /tmp  notes.txt',
  'ln  -S  --  -s  -t  out  notes.txt',
  'rsync  -f  --  -e  id  a  b',
  'ssh  -p  --  -oProxyCommand=id  host',
  'scp  -P  --  -S  id  a  b',
  'wget  -U  --  -O  o.txt  http://x.example',
  'tcpdump  -i  --  -z  id',
  'curl  -A  --  -K  notes.txt',
  'hostname  -Fnotes.txt',
  'cloc  --lang  --  --config=x',
];

/** The other way round: a flag that has to be there is only the value of the one before it. */
const SWALLOWED: readonly string[] = [
  'git  branch  --format  --list  evil',
  'git  branch  --sort  --list  evil',
  'git  branch  --format  -l  evil',
  'git  branch  --  --list  evil',
  'git  tag  --format  -l  evil',
  'git  tag  --format  --list  evil  HEAD',
  'git  branch  --format  --contains  evil',
];

const words = (line: string): string[] => line.split('  ');

let base: string;
let root: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root, encoding: 'utf8' });
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'flyball-flags-'));
  root = join(base, 'work');
  mkdirSync(root);
  writeFileSync(join(root, 'notes.txt'), 'b needle\na\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('branch', 'victim');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a flag that a rule refuses', () => {
  it.each(HIDDEN)('is refused behind a “--” that may be the value of an option: %s [R8-TRIAL3-A1]', (line) => {
    expect(checkCommand(rules, words(line))).toMatchObject({ ok: false });
  });

  it('is refused although the rule is one of the operator, and asked about where a person has to agree [R8-TRIAL3-A1]', () => {
    const own = { programs: { rm: { denyFlags: ['-v'] }, git: { approve: ['push --force'] } } };
    expect(checkCommand(own, ['rm', '--interactive', '--', '-v', 'x'])).toMatchObject({ ok: false });
    expect(judgeCommand(own, ['git', 'push', '-o', '--', '--force'])).toHaveProperty('approval');
    expect(checkCommand(own, ['rm', '--', './-v'])).toEqual({ ok: true }); // a file of that name
  });
});

describe('a flag that a rule asks for', () => {
  it.each(SWALLOWED)('does not count where it may be the value of an option: %s [R8-TRIAL3-A1]', (line) => {
    expect(checkCommand(rules, words(line))).toMatchObject({ ok: false });
  });

  it('does not count in a line for a shell either, where git is told to run nothing [R8-TRIAL3-A1]', () => {
    const shell = readOnlyCommands({ features: SHELL_FEATURES });
    const says = (line: string) => checkCommand(shell, `${line} && ls`);
    expect(says('git log -p --grep --no-textconv --author --no-ext-diff')).toMatchObject({ ok: false });
    expect(says('git log -p -- --no-textconv --no-ext-diff')).toMatchObject({ ok: false });
    expect(says('git log --no-ext-diff --no-textconv -p')).toEqual({ ok: true });
    expect(says('git log HEAD --no-textconv --no-ext-diff --grep=x')).toEqual({ ok: true });
    expect(says('git diff --stat=80 --no-ext-diff --no-textconv --ignore-submodules=all')).toEqual({ ok: true });
  });

  it.each([
    ['branch', '-a', '--list', 'v*'],
    ['branch', '-r', '-v', '--list', 'x'],
    ['branch', '--format=%(refname)', '--list', 'x'],
    ['branch', '--contains', 'HEAD'],
    ['tag', '-n', '-l', 'v1'],
    ['grep', '-n', '-e', 'needle', '--', 'notes.txt'],
    ['log', '--oneline', '--', 'notes.txt', '-unusual-name'],
    ['diff', 'HEAD', '--', 'notes.txt'],
  ])('leaves ordinary calls alone: git %s %s %s [R8-TRIAL3-A1]', (...call) => {
    expect(checkCommand(rules, ['git', ...call])).toEqual({ ok: true });
  });
});

it('does nothing to a repository without a sandbox, where git alone would be fooled [R8-TRIAL3-A1]', async () => {
  const paths = pathRules({ roots: [{ path: root, write: false }] });
  const shell = shellTool({
    sandbox: unsandboxed(processSandbox(), 'a test'),
    rules: readOnlyCommands({ paths }),
    cwd: root,
    mounts: [{ path: root, access: 'read-only' }],
  });
  const pwned = join(base, 'PWNED');
  const calls = [...HIDDEN, ...SWALLOWED].filter((line) => line.startsWith('git') || line.startsWith('sort'));
  for (const line of calls) {
    const call = shell.execute({ argv: words(line) }, { key: 'k', signal: new AbortController().signal });
    await expect(call, line).rejects.toMatchObject({ code: 'DENIED' });
  }
  expect(existsSync(pwned)).toBe(false);
  expect(readdirSync(root).sort()).toEqual(['.git', 'notes.txt']);
  expect(git('branch', '--format=%(refname:short)').trim().split('\n')).toEqual(['main', 'victim']);
  git(...words(HIDDEN[0] ?? '').slice(1)); // what it is refused for
  expect(existsSync(pwned)).toBe(true);
  git(...words(SWALLOWED[0] ?? '').slice(1));
  expect(git('branch', '--list', 'evil')).toContain('evil');
});
