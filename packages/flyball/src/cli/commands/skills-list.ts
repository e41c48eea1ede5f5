import type { Command } from 'commander';
import type { Skill } from '../../skills/skill.js';
import { shorten } from '../amounts.js';
import { type Call, type CommonOptions, type Perform, plainCommand } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../printable.js';
import { isError, showProblems, skillsIn, USUAL_FOLDERS } from '../skill-folders.js';

const ABOUT = `List the skills in the given folders, or in ${USUAL_FOLDERS.join(' and ')}. Invalid skills are reported and skipped.`;

export function listCommand(perform: Perform): Command {
  return plainCommand('list [folders...]', ABOUT, [
    'flyball skills list',
    'flyball skills list skills ~/shared-skills',
    "flyball skills list --json | jq -r '.skills[].name'",
  ]).action((folders: readonly string[], options: CommonOptions) =>
    perform(options, {}, (call) => list(call, folders)),
  );
}

async function list({ screen }: Call, folders: readonly string[]): Promise<ExitCode> {
  const { skills, problems } = await skillsIn(folders);
  const errors = problems.filter(isError);
  screen.data({ kind: 'skills', skills: skills.map(aboutSkill), problems: errors });
  const widest = Math.max(0, ...skills.map(({ name }) => name.length));
  for (const { name, version, hash, description } of skills) {
    const head = `${name.padEnd(widest)}  ${(version === '' ? '-' : version).padEnd(8)}  ${hash.slice(0, 12)}  `;
    screen.line(
      printable(head + shorten(description.replaceAll(/\s+/g, ' '), Math.max(20, screen.width - head.length))),
    );
  }
  if (skills.length === 0 && errors.length === 0)
    screen.line(`No skills found. Write one in ${USUAL_FOLDERS[0]}/<name>/SKILL.md, or: flyball skills add <folder>`);
  showProblems(screen, errors);
  return errors.length === 0 ? EXIT.ok : EXIT.failed;
}

/** What a program gets to know of a skill without its instructions. */
export function aboutSkill(skill: Skill): Readonly<Record<string, unknown>> {
  const { name, description, version, hash, folder, license, compatibility, metadata, files } = skill;
  return {
    name,
    description,
    version,
    hash,
    folder,
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    metadata,
    ...(skill.allowedTools === undefined ? {} : { allowedTools: skill.allowedTools.map(({ text }) => text) }),
    disallowedTools: skill.disallowedTools.map(({ text }) => text),
    files: files.map(({ path, bytes }) => ({ path, bytes })),
  };
}
