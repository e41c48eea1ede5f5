import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { SKILL_FILE, type SkillProblem } from '../../skills/skill.js';
import { plural } from '../amounts.js';
import { type Call, type CommonOptions, type Perform, plainCommand } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { isError, showProblems } from '../skill-folders.js';

const ABOUT =
  'Validate skills against the Agent Skills specification. Reports every problem with file, line and column, and how to fix it. ' +
  'A path is a skill, its SKILL.md, or a folder of skills. With --strict, warnings count as errors.';

interface Options extends CommonOptions {
  readonly strict?: boolean;
}

export function validateCommand(perform: Perform): Command {
  return plainCommand('validate <paths...>', ABOUT, [
    'flyball skills validate skills/pdf-forms',
    'flyball skills validate skills --strict',
    "flyball skills validate skills --json | jq '.problems[] | .line'",
  ])
    .option('--strict', 'treat warnings as errors')
    .action((paths: readonly string[], options: Options) =>
      perform(options, {}, (call) => validate(call, paths, options)),
    );
}

interface Checked {
  readonly valid: readonly string[];
  readonly problems: readonly SkillProblem[];
  readonly count: number;
}

async function validate({ screen }: Call, paths: readonly string[], { strict = false }: Options): Promise<ExitCode> {
  const { valid, problems, count } = await check(paths);
  const errors = problems.filter(isError);
  const isFine = strict ? problems.length === 0 : errors.length === 0;
  screen.data({ kind: 'skills-validation', ok: isFine, valid, problems });
  for (const folder of valid) screen.line(`${screen.paint('green', '✓')} ${folder}`);
  showProblems(screen, problems);
  if (isFine) return EXIT.ok;
  const found = [plural(errors.length, 'error'), plural(problems.length - errors.length, 'warning')].join(' and ');
  screen.complain(`${found} in ${plural(count, 'skill')}. Fix the problems above and run the command again.`);
  return EXIT.failed;
}

async function check(paths: readonly string[]): Promise<Checked> {
  // they come with YAML, and other commands need neither
  const { readSkill } = await import('../../adapters/skill-folder/read-skill.js');
  const { skillFoldersIn } = await import('../../adapters/skill-folder/read-skills.js');
  const problems: SkillProblem[] = [];
  const valid: string[] = [];
  let count = 0;
  for (const path of paths) {
    const folders = await skillFoldersIn(folderOf(path));
    if (typeof folders === 'string' || folders.length === 0) {
      const message =
        typeof folders === 'string'
          ? folders
          : `There is no ${SKILL_FILE} in this folder or its subfolders. Create one.`;
      problems.push({ level: 'error', file: resolve(path), line: 1, column: 1, message });
      continue;
    }
    for (const folder of folders) {
      count++;
      const read = await readSkill(folder);
      problems.push(...read.problems);
      if (read.skill !== undefined) valid.push(folder);
    }
  }
  return { valid, problems, count };
}

/** The file stands for its folder. */
function folderOf(path: string): string {
  return basename(path) === SKILL_FILE ? dirname(resolve(path)) : path;
}
