import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadSkills } from '../adapters/skill-folder/read-skills.js';
import { problemText, type SkillProblem } from '../skills/skill.js';
import { printable } from './printable.js';
import type { Screen } from './screen.js';

/** Where skills are looked for when nobody says where: this project's own, and those that several tools share. */
export const USUAL_FOLDERS = ['skills', '.agents/skills'] as const;

/** The folders that were named, or those of the usual ones that there are. */
export function foldersOr(given: readonly string[]): readonly string[] {
  if (given.length > 0) return given.map((folder) => resolve(folder));
  return USUAL_FOLDERS.map((folder) => resolve(folder)).filter((folder) => existsSync(folder));
}

export async function skillsIn(given: readonly string[]): Promise<ReadSkills> {
  const { readSkills } = await import('../adapters/skill-folder/read-skills.js'); // brings YAML, which others do not need
  return readSkills(...foldersOr(given));
}

/** One line each, as editors and compilers write them. */
export function showProblems(screen: Screen, problems: readonly SkillProblem[]): void {
  for (const problem of problems) {
    const color = problem.level === 'error' ? 'red' : 'yellow';
    screen.complain(`${screen.paint(color, problem.level === 'error' ? '✗' : '!')} ${printable(problemText(problem))}`);
  }
}

export function isError({ level }: SkillProblem): boolean {
  return level === 'error';
}
