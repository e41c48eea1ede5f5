import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FlyballError } from '../../core/errors.js';
import { problemText, type Skill } from '../../skills/skill.js';
import { readSkills } from './read-skills.js';

/** Where skills are copied from and to. */
export interface AddSkills {
  /** A skill, or a folder of skills. */
  readonly from: string;
  /** The folder of skills that they are put into; made where it is missing. */
  readonly to: string;
}

/** A skill that was copied. */
export interface AddedSkill {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  readonly folder: string;
}

/**
 * Copies skills into a folder of skills. All of them are checked before anything is written, nothing is overwritten, and
 * each appears whole or not at all.
 */
export async function addSkills({ from, to }: AddSkills): Promise<readonly AddedSkill[]> {
  const { skills, problems } = await readSkills(from);
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length > 0) throw invalid(errors.map(problemText).join('\n'));
  if (skills.length === 0) throw invalid(`${resolve(from)} contains no skill: none of its folders has a SKILL.md.`);
  const target = resolve(to);
  const taken = skills.filter(({ name }) => existsSync(join(target, name))).map(({ name }) => name);
  if (taken.length > 0)
    throw invalid(`${target} already holds ${taken.join(', ')}. Remove it first, or choose another folder.`);
  const added: AddedSkill[] = [];
  for (const skill of skills) {
    const { name, version, hash } = skill;
    added.push({ name, version, hash, folder: await copy(skill, target) });
  }
  return added;
}

async function copy(skill: Skill, target: string): Promise<string> {
  const folder = join(target, skill.name);
  const draft = join(target, `.adding-${skill.name}`);
  await rm(draft, { recursive: true, force: true });
  try {
    for (const { path } of skill.files) {
      const file = join(draft, ...path.split('/'));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await skill.open(path), { mode: path.startsWith('scripts/') ? 0o755 : 0o644 });
    }
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof FlyballError || code === undefined) throw error;
    throw new FlyballError('INPUT_INVALID', `${folder} cannot be written (${code}). Choose a folder that is yours.`, {
      cause: error,
    });
  }
  return folder;
}

function invalid(message: string): FlyballError {
  return new FlyballError('CONFIG_INVALID', message);
}
