import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError, failureOf } from '../../core/errors.js';
import { problemText, SKILL_FILE, type Skill, type SkillProblem } from '../../skills/skill.js';
import { requireDistinct, type SkillLibrary, skillLibrary } from '../../skills/skill-library.js';
import { type ReadSkill, readSkill } from './read-skill.js';

/** All skills of some folders, with their problems. */
export interface ReadSkills {
  /** Those without an error, in the order in which they were found. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
  /** Every skill folder that was looked at. */
  readonly read: readonly ReadSkill[];
}

/**
 * Reads skills from folders. A folder that holds SKILL.md is a skill; any other is a folder of skills, whose own folders
 * with SKILL.md are read. A skill with an error is left out and told about.
 */
export async function readSkills(...folders: readonly string[]): Promise<ReadSkills> {
  const read: ReadSkill[] = [];
  const problems: SkillProblem[] = [];
  for (const folder of folders) {
    const found = await skillFoldersIn(folder);
    if (typeof found === 'string') problems.push({ level: 'error', file: folder, line: 1, column: 1, message: found });
    else for (const each of found) read.push(await readSkill(each));
  }
  return {
    read,
    skills: read.flatMap(({ skill }) => skill ?? []),
    problems: [...problems, ...read.flatMap((each) => each.problems)],
  };
}

/** The skills of folders as a library. Every error is told at once, and then there is no library. */
export async function loadSkills(...folders: readonly string[]): Promise<SkillLibrary> {
  const { skills, problems } = await readSkills(...folders);
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length > 0) throw new ConfigError(errors.map(problemText).join('\n'));
  requireDistinct(skills);
  return skillLibrary(skills);
}

/** The skill folders that a path stands for, or why there are none. */
export async function skillFoldersIn(given: string): Promise<readonly string[] | string> {
  const folder = resolve(given);
  const found = await stat(folder).catch((error: unknown) => failureOf(error));
  if (!('isDirectory' in found))
    return found.originalCode === 'ENOENT'
      ? 'There is no such folder. Check the path, or make a skill there.'
      : `The folder cannot be read: ${found.message}. Check the path.`;
  if (!found.isDirectory()) return `It is a file. Name the folder that holds ${SKILL_FILE}, or a folder of skills.`;
  if (existsSync(join(folder, SKILL_FILE))) return [folder];
  const names = (await readdir(folder, { withFileTypes: true })).flatMap((entry) =>
    entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules' ? [entry.name] : [],
  );
  return names
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, SKILL_FILE)));
}
