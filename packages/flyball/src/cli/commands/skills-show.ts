import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { SKILL_FILE, type Skill } from '../../skills/skill.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { type Call, type CommonOptions, type Perform, plainCommand } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable, printableLines } from '../printable.js';
import { foldersOr, isError, showProblems, skillsIn } from '../skill-folders.js';
import { aboutSkill } from './skills-list.js';

const ABOUT =
  'Show a skill: its description, its instructions, its files, and the tools it allows. ' +
  'Give a path, or a name to look up in the folders of --in (default: the same folders as list).';

interface Options extends CommonOptions {
  readonly in: readonly string[];
}

export function showSkillCommand(perform: Perform): Command {
  return plainCommand('show <name>', ABOUT, [
    'flyball skills show pdf-forms',
    'flyball skills show ./skills/pdf-forms --json',
    'flyball skills show pdf-forms --in ~/shared-skills',
  ])
    .option('--in <folder>', 'a skills folder; repeat it for several', (folder, all: string[]) => [...all, folder], [])
    .action((name: string, options: Options) => perform(options, {}, (call) => show(call, name, options)));
}

async function show({ screen }: Call, name: string, options: Options): Promise<ExitCode> {
  const isPath = existsSync(join(name, SKILL_FILE));
  const { skills, problems } = await skillsIn(isPath ? [name] : options.in);
  const skill = isPath ? skills[0] : skills.find((each) => each.name === name);
  if (skill === undefined) {
    showProblems(screen, problems.filter(isError));
    const names = skills.map((each) => each.name);
    const near = nearestNames(name, names);
    const hint =
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : `Available skills: ${names.join(', ') || 'none'}, in ${foldersOr(isPath ? [name] : options.in).join(' and ') || 'no folder'}.`;
    screen.data({
      kind: 'error',
      code: 'SKILL_NOT_FOUND',
      message: `There is no skill "${name}".`,
      next: hint,
      exitCode: EXIT.notFound,
    });
    screen.complain(`${screen.paint('red', 'flyball:')} There is no skill "${printable(name)}".`);
    screen.complain(`  ${printable(hint)}`);
    return EXIT.notFound;
  }
  screen.data({ kind: 'skill', ...aboutSkill(skill), governance: skill.governance, instructions: skill.instructions });
  for (const line of linesOf(skill)) screen.line(printable(line));
  screen.line();
  screen.line(printableLines(skill.instructions)); // last: nothing of ours stands below it
  return EXIT.ok;
}

function linesOf(skill: Skill): readonly string[] {
  const { name, version, hash, folder, description, license, compatibility, allowedTools, disallowedTools } = skill;
  const { autonomy, approval } = skill.governance;
  const texts = (patterns: readonly { readonly text: string }[]) => patterns.map(({ text }) => text).join(' ');
  return [
    `${name}${version === '' ? '' : ` ${version}`}`,
    `  ${description.replaceAll(/\s+/g, ' ').trim()}`,
    `  folder          ${folder}`,
    `  hash            ${hash}`,
    ...(license === undefined ? [] : [`  license         ${license}`]),
    ...(compatibility === undefined ? [] : [`  compatibility   ${compatibility}`]),
    ...(allowedTools === undefined ? [] : [`  allowed tools   ${texts(allowedTools) || 'none'}`]),
    ...(disallowedTools.length === 0 ? [] : [`  not allowed     ${texts(disallowedTools)}`]),
    ...(autonomy === undefined ? [] : [`  autonomy        ${autonomy}`]),
    ...(approval === undefined ? [] : [`  approval        ${texts(approval.tools)}`]),
    ...skill.files.map(
      ({ path, bytes }, n) => `  ${n === 0 ? 'files         ' : '              '}  ${path} (${bytes} bytes)`,
    ),
  ];
}
