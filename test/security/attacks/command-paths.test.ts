import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { shellTool, unsandboxed } from 'flyball/toolbox';
import { type CommandRules, checkCommand, pathRules, readOnlyCommands } from 'flyball/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShellResult } from '../../../packages/flyball/src/toolbox/shell-report.js';
import { processorMs } from '../../patience.js';

/** Ways to hand a path to a program inside of another word. `<out>` is a file outside, `<in>` one inside the folder. */
const JOINED: readonly string[] = [
  'date -uf<out>',
  'date -uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuf<out>',
  'date -uf../outside.txt',
  'date -uf..',
  'date -Ru -uRf<out>',
  'date -f<out>=',
  'date -uf=<out>',
  'date -uf/proc/self/environ',
  'date -uf/etc/passwd',
  'date -uf.flyball/runs.db',
  'date -uf.secret',
  'date -ufprivate/key',
  'date -uffprivate/key',
  'file -bf<out>',
  'file -bLf<out>',
  'file -bkm../outside.txt',
  'file -bf/proc/self/status',
  'grep -cvf<out> notes.txt',
  'grep -cvfsub/../../outside.txt notes.txt',
  'grep -F1f<out> notes.txt',
  'du -aX<out>',
  'du -0aX../outside.txt',
  'git ls-files -oiX<out>',
  'git ls-files -- --x/../../outside=a',
  'git grep -nf<out>',
  'wc -l --files0-from=<out>',
  'sort -ruT<out> notes.txt',
  'diff -uX<out> a b',
  'tree -aI<out>',
  'jq -nf<out>',
  'cat -- -n<out>',
  'cat -- --../../../x=notes.txt',
  'dd if=<out>',
  'dd of=../x if=notes.txt',
  'tar -cvf<out> notes.txt',
  'tar -tvC../.. -f x.tar',
  'gcc -Wl,-T,<out> x.c',
  'gcc -include<out> x.c',
  'strange -ab#c<out>',
  'strange @<out>',
];

/** What has to go on working. */
const INSIDE: readonly string[] = [
  'date -uf<in>',
  'date -ufnotes.txt',
  'date -fsub/dates',
  'date -d2024/01/02 +%Y/%m/%d',
  'file -bfsub/list',
  'grep -cvf<in> notes.txt',
  'grep -rn needle --include=*.ts sub/x',
  'sort -k1.2,1.3 -t. notes.txt',
  'cut -d. -f1 notes.txt',
  'git log -n5 --format=%h/%s -- sub/x',
  'git show HEAD:sub/x',
  'grep path=/api notes.txt',
  'head -n.5 notes.txt',
  'gcc -I sub/include -o sub/x x.c',
  'tar -Csub/x -cf x.tar notes.txt',
  'dd if=notes.txt',
];

/** Plain words that name a denied file. The patterns: `secrets`, `keys/**`, any `.pem`. */
const BARE: readonly string[] = [
  'cat secrets',
  'cat SECRETS',
  'cat notes.txt secrets',
  'cat -n secrets',
  'cat -- secrets',
  'cat key.pem',
  'cat Key.PEM',
  'head -c100 key.pem',
  'ls keys',
  'ls -R keys',
  'grep -r x keys',
  'grep -fsecrets notes.txt',
  'grep -cvfsecrets notes.txt',
  'grep -fkey.pem notes.txt',
  'grep --file=secrets notes.txt',
  'sort --files0-from=secrets',
  'wc secrets',
  'jq . secrets',
  'sed -n p secrets',
  'date -rsecrets',
  'date --reference=secrets',
  'diff notes.txt secrets',
  'dd if=secrets',
  'dd if=key.pem',
  'gcc @secrets',
  'strange secrets',
  'git diff secrets',
  'git log -p -- secrets',
  'git grep x -- keys',
  'git show HEAD:secrets',
  'git show HEAD:keys/a',
  'git show HEAD@{1:0}:key.pem',
  'git log -p -- :(top)secrets',
  'git log -p -- :(top,icase)secrets',
  'git log -p -- :^x :!y :secrets',
];
/** Words that are no such name. */
const NOT_NAMED: readonly string[] = [
  'cat notes.txt',
  'echo secrets',
  'printf secrets',
  'grep [s]ecrets notes.txt',
  'grep my-secrets notes.txt',
  'cat secrets.md',
  'grep -rn secretsfile sub',
  'git log --oneline',
  'git status',
  'npm run keys',
  'nx run keys',
];

let base: string;
let root: string;
let rules: CommandRules;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'flyball-joined-'));
  root = join(base, 'work');
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'notes.txt'), '2024-01-02\n');
  writeFileSync(join(base, 'outside.txt'), 'ZEBRA\n');
  const paths = pathRules({ roots: [{ path: root, write: false }], deny: ['.secret', 'private/**', 'fprivate/**'] });
  const programs = { dd: {}, tar: {}, gcc: {}, strange: {} };
  rules = readOnlyCommands({ paths, programs, features: ['pipe', 'redirection'] });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Denied by a name without a slash. */
function named(): CommandRules {
  const paths = pathRules({
    roots: [{ path: root, write: false }],
    deny: ['secrets', 'keys/**', '**/*.pem', 'status', 'log'],
  });
  const open = { permit: ['programs'] };
  return readOnlyCommands({ paths, programs: { dd: {}, gcc: {}, strange: {}, npm: open, nx: open } });
}

const words = (line: string): string[] =>
  line.replaceAll('<out>', join(base, 'outside.txt')).replaceAll('<in>', join(root, 'notes.txt')).split(' ');

describe('a path that is joined to other letters', () => {
  it.each(JOINED)('is judged as a path: %s [R8-TRIAL3-A10]', (line) => {
    expect(checkCommand(rules, words(line))).toMatchObject({ ok: false });
  });

  it.each(INSIDE)('may be one inside the folder: %s [R8-TRIAL3-A10]', (line) => {
    expect(checkCommand(rules, words(line))).toEqual({ ok: true });
  });

  it('is refused with what to write instead [R8-TRIAL3-A10]', () => {
    expect(checkCommand(rules, ['grep', '-cfsub/list', 'notes.txt'])).toMatchObject({
      why: expect.stringMatching(/“-cfsub\/list” .* "\/list" lies outside .* Write the value as a word of its own\.$/),
    });
    expect(checkCommand(rules, ['grep', '-c', '-f', 'sub/list', 'notes.txt'])).toEqual({ ok: true });
  });

  it('is what a redirection leads to, whatever it looks like [R8-TRIAL3-A10]', () => {
    for (const target of ['-a/../../x=notes.txt', '--x/../../../etc/a=b', '-=/../../x'])
      expect(checkCommand(rules, `cat < ${target}`), target).toMatchObject({ ok: false });
    expect(checkCommand(rules, 'cat < -x/notes.txt')).toEqual({ ok: true });
  });
});

describe('a plain word that names a denied file', () => {
  it.each(BARE)('is refused: %s [R8-REST-BARE]', (line) => {
    expect(checkCommand(named(), words(line))).toMatchObject({ ok: false, why: expect.stringContaining('denied by') });
  });

  it.each(NOT_NAMED)('is another word in %s [R8-REST-BARE]', (line) => {
    expect(checkCommand(named(), words(line))).toEqual({ ok: true });
  });

  it('is judged in little time among many words and patterns [R8-REST-BARE]', () => {
    const deny = Array.from({ length: 20 }, (_, n) => `**/*${n}*secret*`);
    const paths = pathRules({ roots: [{ path: root, write: false }], deny });
    const before = processorMs();
    const flags = Array.from({ length: 500 }, () => `-${'s'.repeat(90)}`);
    expect(checkCommand(readOnlyCommands({ paths }), ['cat', ...flags])).toEqual({ ok: true });
    expect(processorMs() - before).toBeLessThan(2_000);
  });
});

it('shows nothing of a file outside without a sandbox, where date alone would [R8-TRIAL3-A10]', async () => {
  const shell = shellTool({ sandbox: unsandboxed(processSandbox(), 'a test'), rules, cwd: root });
  const run = (line: string) =>
    shell.execute({ argv: words(line) }, { key: 'k', signal: new AbortController().signal });
  for (const line of ['date -uf<out>', 'file -bf<out>', 'grep -cvf<out> notes.txt', 'du -aX<out>'])
    await expect(run(line), line).rejects.toMatchObject({ code: 'DENIED' });
  expect(((await run('date -uf<in> +%Y')) as ShellResult).stdout).toBe('2024');
  const [program = '', ...args] = words('date -uf<out>');
  expect(() => execFileSync(program, args, { stdio: 'pipe' })).toThrow(/ZEBRA/); // what it is refused for
});
