import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, failureOf } from '../../core/errors.js';
import { LEARNED_FILE, type LearnedSkill, learnedFiles, learnedFrom } from '../../skills/learned-skill.js';
import { type LearnedSkills, requireNext } from '../../skills/learned-skills.js';

/** Where skills of each status lie below the root. Only active ones lie where skills are looked for. */
const FOLDERS: Readonly<Record<LearnedSkill['status'], string>> = {
  active: '',
  quarantined: '.quarantined',
  retired: '.retired',
};

/**
 * Learned skills as skill folders, which any tool that reads skills can use. Those that are out of use lie in hidden
 * folders beside them. For one process at a time: a store is for several.
 */
export function learnedFolder(folder: string): LearnedSkills {
  const root = resolve(folder);
  const placeOf = (name: string, status: LearnedSkill['status']): string => join(root, FOLDERS[status], name);
  const get = async (name: string): Promise<LearnedSkill | undefined> => {
    for (const status of Object.keys(FOLDERS) as LearnedSkill['status'][]) {
      const found = await recordIn(placeOf(name, status));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  // one after the other: a write looks at what is there before it writes
  let last: Promise<void> = Promise.resolve();
  return {
    get,
    list: async () => {
      const found: LearnedSkill[] = [];
      for (const status of Object.keys(FOLDERS) as LearnedSkill['status'][]) {
        const inside = join(root, FOLDERS[status]);
        const names = existsSync(inside) ? (await readdir(inside)).filter((name) => !name.startsWith('.')) : [];
        for (const name of names)
          found.push(...[await recordIn(join(inside, name))].filter((record) => record !== undefined));
      }
      return found.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    put: (skill) => {
      const written = last.then(async () => {
        const held = await get(skill.name);
        if (held !== undefined && JSON.stringify(held) === JSON.stringify(skill)) return; // this very write, made before
        requireNext(held, skill);
        await replace(root, skill, {
          from: held && placeOf(held.name, held.status),
          to: placeOf(skill.name, skill.status),
        });
      });
      last = written.catch(() => undefined); // who asked for it was told
      return written;
    },
  };
}

/** Written beside and moved into place: a crash leaves the old version or the new one. */
async function replace(
  root: string,
  skill: LearnedSkill,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): Promise<void> {
  const draft = join(root, '.writing', skill.name);
  await rm(draft, { recursive: true, force: true });
  for (const [path, text] of learnedFiles(skill)) {
    const file = join(draft, ...path.split('/'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await mkdir(dirname(to), { recursive: true });
  if (from === to) {
    // in place, the record last: it is what decides which version there is
    for (const path of learnedFiles(skill).keys())
      await rename(join(draft, ...path.split('/')), join(to, ...path.split('/')));
    return rm(draft, { recursive: true, force: true });
  }
  await rm(to, { recursive: true, force: true });
  await rename(draft, to);
  if (from !== undefined) await rm(from, { recursive: true, force: true });
}

async function recordIn(folder: string): Promise<LearnedSkill | undefined> {
  const file = join(folder, ...LEARNED_FILE.split('/'));
  if (!existsSync(file)) return undefined;
  try {
    const record = learnedFrom(JSON.parse(await readFile(file, 'utf8')));
    if (record !== undefined) return record;
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${failureOf(error).message}. Fix it, or remove the folder.`);
  }
  throw new ConfigError(`${file} is not a record of a learned skill. Fix it, or remove the folder.`);
}
