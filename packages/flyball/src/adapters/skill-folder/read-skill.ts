import { basename, join, resolve } from 'node:path';
import { failureOf } from '../../core/errors.js';
import { checkSkill } from '../../skills/check-skill.js';
import { bytesHash, skillHash } from '../../skills/content-hash.js';
import { SKILL_FILE, type Skill, type SkillFile, type SkillProblem } from '../../skills/skill.js';
import { type Listing, listFiles } from './list-files.js';
import { readInside } from './open-inside.js';

/** A skill that was read from a folder, with its problems. */
export interface ReadSkill {
  readonly folder: string;
  /** Absent where there is an error. */
  readonly skill?: Skill;
  /** Errors and warnings, each with its place. */
  readonly problems: readonly SkillProblem[];
}

/** Far above what is ever read into a prompt: it bounds what one file may take in memory. */
const MOST_BYTES = 50_000_000;

/** Reads one skill folder whole: its text is checked, all its files are hashed. */
export async function readSkill(given: string): Promise<ReadSkill> {
  const folder = resolve(given);
  const at = (path: string, level: SkillProblem['level'], message: string): SkillProblem => ({
    level,
    file: join(folder, path),
    line: 1,
    column: 1,
    message,
  });
  const listing = await listFiles(folder).catch((error: unknown) => failureOf(error).message);
  if (typeof listing === 'string')
    return { folder, problems: [at('', 'error', `The folder cannot be read: ${listing}. Check the path.`)] };
  const problems = listing.problems.map(({ level, path, message }) => at(path, level, message));
  // what cannot be bounded is not read
  if (problems.some(({ level }) => level === 'error')) return { folder, problems };
  if (!listing.files.some(({ path }) => path === SKILL_FILE))
    return { folder, problems: [...problems, at('', 'error', missing(listing))] };
  try {
    return await readWhole(folder, listing, problems);
  } catch (error) {
    return { folder, problems: [...problems, at('', 'error', failureOf(error).message)] };
  }
}

async function readWhole(folder: string, listing: Listing, found: readonly SkillProblem[]): Promise<ReadSkill> {
  const files: SkillFile[] = [];
  let main: Uint8Array = new Uint8Array();
  for (const { path } of listing.files) {
    const bytes = await readInside(folder, path, MOST_BYTES);
    if (path === SKILL_FILE) main = bytes;
    files.push({ path, bytes: bytes.length, sha256: bytesHash(bytes) });
  }
  const file = join(folder, SKILL_FILE);
  const text = textIn(main);
  if (text === undefined) {
    const message = 'The file is not UTF-8. Save it as UTF-8 without a byte order mark.';
    return { folder, problems: [...found, { level: 'error', file, line: 1, column: 1, message }] };
  }
  const checked = checkSkill({ text, file, folder: basename(folder), files: files.map(({ path }) => path) });
  const problems = [...found, ...checked.problems];
  if (checked.skill === undefined) return { folder, problems };
  const open = (path: string): Promise<Uint8Array> => readInside(folder, path, MOST_BYTES);
  return { folder, problems, skill: { ...checked.skill, folder, files, hash: skillHash(files), open } };
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // the decoder's word for bytes that are no UTF-8
    throw error;
  }
}

function missing({ files }: Listing): string {
  const other = files.find(({ path }) => path.toLowerCase() === SKILL_FILE.toLowerCase());
  return other === undefined
    ? `There is no ${SKILL_FILE} in the folder. Write one, with name and description between two lines "---".`
    : `The file is called ${other.path}. Call it ${SKILL_FILE}.`;
}
