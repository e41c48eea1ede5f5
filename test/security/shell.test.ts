import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processSandbox } from '../../packages/flyball/src/adapters/sandbox-process/index.js';
import type { StandardResult } from '../../packages/flyball/src/core/schema.js';
import type { Sandbox } from '../../packages/flyball/src/ports/sandbox.js';
import { type ShellCall, shellTool, unsandboxed } from '../../packages/flyball/src/toolbox/shell.js';
import { type CommandRules, checkCommand } from '../../packages/flyball/src/tools/rules/commands.js';
import { SHELL_FEATURES } from '../../packages/flyball/src/tools/rules/commands-features.js';
import { readOnlyCommands } from '../../packages/flyball/src/tools/rules/commands-read-only.js';
import { pathRules } from '../../packages/flyball/src/tools/rules/paths.js';
import table from './shell-cases.json' with { type: 'json' };

/** One entry of the table; `repeat` stands for input too long to be written down. */
interface Case {
  readonly id: string;
  readonly tries: string;
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly pipeline?: readonly (readonly string[])[];
  readonly repeat?: number;
  readonly rules?: string;
  readonly reason: string;
}

const cases: readonly Case[] = table.cases;

/** Every program that occurs in the table, listed as by somebody who thinks that a list of names is enough. */
const everyProgram = Object.fromEntries(
  cases.flatMap(({ argv, pipeline }) => [argv ?? [], ...(pipeline ?? [])].map(([program = '']) => [program, {}])),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flyball-shell-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function rulesFor(name: string | undefined): CommandRules {
  if (name === 'listed') return { programs: everyProgram };
  if (name === 'scripting') return readOnlyCommands({ features: SHELL_FEATURES });
  if (name === 'here') return readOnlyCommands({ paths: pathRules({ roots: [{ path: folder, write: false }] }) });
  return readOnlyCommands();
}

function callOf({ command, argv, pipeline, repeat = 0 }: Case): ShellCall {
  if (command !== undefined) return { command: command + 'a'.repeat(repeat) };
  return argv === undefined
    ? { pipeline: pipeline ?? [] }
    : { argv: [...argv, ...Array.from({ length: repeat }, String)] };
}

/** Real processes, counted. */
function countedSandbox(): Sandbox & { runs: number } {
  const real = processSandbox();
  const counted = {
    ...real,
    runs: 0,
    run: (...job: Parameters<Sandbox['run']>) => {
      counted.runs++;
      return real.run(...job);
    },
  };
  return counted;
}

function toolFor(name: string | undefined, sandbox: Sandbox) {
  return shellTool({
    sandbox: unsandboxed(sandbox, 'a test'),
    rules: rulesFor(name),
    cwd: folder,
    effect: 'idempotent',
  });
}

describe('what a model tries through the shell [R3-SHELL-ALLOW] [R3-SHOW-SECURITY]', () => {
  it('is written down as at least 80 different cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(80);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(new Set(cases.map((each) => JSON.stringify([callOf(each), each.rules]))).size).toBe(cases.length);
  });

  it.each(cases.map((each) => [`${each.id}: ${each.tries}`, each] as const))(
    'is refused with a reason — %s',
    async (_name, each) => {
      const sandbox = countedSandbox();
      const tool = toolFor(each.rules, sandbox);
      const call = callOf(each);

      const checked = (await tool.input['~standard'].validate(call)) as StandardResult<unknown>;
      expect(checked.issues?.[0]?.message).toContain(each.reason);
      expect(checked.issues?.[0]?.message).toMatch(/^\S.{15,}[.!]$/s); // a sentence, for whoever reads it
      const executed = tool.execute(call, { key: 'k', signal: new AbortController().signal });
      await expect(executed).rejects.toMatchObject({ code: 'DENIED', message: checked.issues?.[0]?.message });

      expect(sandbox.runs).toBe(0);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('is refused by command rules alone as well, so that the rules hold for other tools', () => {
    for (const each of cases) {
      const call = callOf(each);
      if (!('argv' in call || 'command' in call) || each.id === 'pipeline-too-long') continue;
      const verdict = checkCommand(rulesFor(each.rules), 'argv' in call ? call.argv : call.command);
      expect(verdict, each.id).toMatchObject({ ok: false, why: expect.stringContaining(each.reason) });
    }
  });
});

describe('what it needs for its work', () => {
  const ordinary = [
    'ls -la src',
    'cat README.md package.json',
    "grep -rn 'TODO|FIXME' --include=*.ts src".replace('*', "'*'"),
    'grep -c x file | sort -rn | head -5',
    "find . -name '*.ts' -not -path './node_modules/*' ! -name x -type f",
    "sed -n '10,20p' file.txt",
    "sed -E 's/(a+)b/\\1c/g' file.txt",
    "sed -n '/start/,/end/p' file",
    'sort -k2,2n -t, file | uniq -c',
    'uniq -f 1 file',
    'git status --short',
    'git log --oneline -n 20 --format=%h%x09%s',
    'git --no-pager diff HEAD~1 -- src',
    'git branch -a',
    'git branch --list main',
    'git tag --list "v1.*"',
    'git remote -v',
    'git stash list',
    'git show HEAD:README.md',
    'git rev-parse --git-dir',
    'git grep -n "needle" -- src',
    "jq '.scripts.test' package.json",
    'wc -l file',
    'echo "a; rm -rf x && $5"'.replace('$5', 'five'),
    "echo '$(id) `id` ; | & > <'",
    '/usr/bin/head -n 5 file',
    "date -d 'next monday' +%F",
    'xxd -l 16 file',
    'tree -L 2',
    'diff -u a b',
  ];

  it.each(ordinary)('is allowed: %s', (line) => {
    expect(checkCommand(readOnlyCommands(), line)).toEqual({ ok: true });
  });

  it.each([
    'ls && echo "$(cat x | head -1)" > out',
    '(ls; ls) 2>&1 | cat',
    '{ ls; } >> log &',
    "cat <<'E'\nx y\nE",
    "cat <<'E' && ls\nx y\nE\nls",
    'x=1 echo a{b,c}* ~/x # and a comment',
    'echo `ls`; echo "$x" $x',
    'diff <(ls a) <(ls b)',
  ])('is allowed where rules allow what a shell does with it: %s', (line) => {
    expect(checkCommand(readOnlyCommands({ features: SHELL_FEATURES }), line)).toEqual({ ok: true });
  });
});
