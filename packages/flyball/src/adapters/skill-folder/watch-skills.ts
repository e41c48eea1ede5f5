import { resolve } from 'node:path';
import { failureOf } from '../../core/errors.js';
import type { Skill, SkillProblem } from '../../skills/skill.js';
import { type SkillLibrary, skillLibrary } from '../../skills/skill-library.js';
import { type ReadSkills, readSkills } from './read-skills.js';
import { placesUnder, Watchers } from './watch-folders.js';

/** What a change on the disk came to. */
export interface SkillsChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Errors and warnings of all skills as they are now on the disk. */
  readonly problems: readonly SkillProblem[];
  /** Skills whose last good version stays in force because what is on the disk has an error. */
  readonly kept: readonly string[];
}

/** A skill library that follows changes of its folders. */
export interface WatchedSkills {
  /** Always the newest good version of every skill. */
  readonly library: SkillLibrary;
  problems(): readonly SkillProblem[];
  /** Looks at the folders now, and answers once what was found is in force. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** How long a folder must be quiet before it is read again. */
export interface WatchOptions {
  /** How long the folder has to be quiet before it is read: 100 ms where it is absent. */
  readonly debounceMs?: number;
}

const DEBOUNCE = 100;
/** Events after which the reading is not put off any longer: a folder that never gets quiet is read all the same. */
const MOST_PUT_OFF = 100;

/**
 * The skills of a folder, read again when something in it changes. A change with an error leaves the last good version
 * in force and is told to `onChange`, as every change is. Does not keep the process alive.
 */
export async function watchSkills(
  folders: string | readonly string[],
  onChange: (change: SkillsChange) => void,
  { debounceMs = DEBOUNCE }: WatchOptions = {},
): Promise<WatchedSkills> {
  const roots = [folders].flat().map((folder) => resolve(folder));
  const shelf = new Shelf();
  const watchers = new Watchers(() => later());
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Promise.resolve();
  let isClosed = false;
  let putOff = 0;

  const read = async (): Promise<void> => {
    // watched before it is read: what changes meanwhile is a change of its own
    watchers.set(await placesUnder(roots));
    const change = shelf.take(await readSkills(...roots));
    if (change !== undefined && !isClosed) onChange(change);
  };
  const reload = (): Promise<void> => {
    putOff = 0;
    // one that failed was told to whoever asked for it, and is no reason not to look again
    last = last.catch(() => undefined).then(() => (isClosed ? undefined : read()));
    return last;
  };
  const later = (): void => {
    if (isClosed || ++putOff > MOST_PUT_OFF) return;
    clearTimeout(timer);
    timer = setTimeout(() => void reload().catch((error: unknown) => shelf.fail(error, roots, onChange)), debounceMs);
    timer.unref();
  };
  watchers.set(await placesUnder(roots));
  shelf.take(await readSkills(...roots));
  return {
    library: skillLibrary(() => shelf.skills()),
    problems: () => shelf.problems,
    reload,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      watchers.set([]);
      await last.catch(() => undefined); // who asked for that reload was told
    },
  };
}

/** The last good version of every skill folder. */
class Shelf {
  problems: readonly SkillProblem[] = [];
  private good = new Map<string, Skill>();
  private told = '';

  skills(): readonly Skill[] {
    return [...this.good.values()];
  }

  /** Undefined where nothing is different for anybody. */
  take({ read, problems }: ReadSkills): SkillsChange | undefined {
    const before = this.good;
    const next = new Map<string, Skill>();
    const kept: string[] = [];
    const taken = new Map<string, Skill>();
    const clashes: SkillProblem[] = [];
    for (const { folder, skill } of read) {
      const old = before.get(folder);
      const sound = skill ?? old;
      if (sound === undefined) continue;
      const other = taken.get(sound.name);
      if (other !== undefined) {
        clashes.push(clash(folder, sound, other));
        continue;
      }
      if (skill === undefined) kept.push(sound.name);
      taken.set(sound.name, sound);
      next.set(folder, sound);
    }
    this.good = next;
    this.problems = [...problems, ...clashes];
    const change = { ...differences([...before.values()], [...next.values()]), problems: this.problems, kept };
    return this.isNews(change) ? change : undefined;
  }

  /** A reload that broke: what was in force stays so. */
  fail(error: unknown, roots: readonly string[], onChange: (change: SkillsChange) => void): void {
    const message = `The folder cannot be read: ${failureOf(error).message}. The skills stay as they were.`;
    const problems: readonly SkillProblem[] = roots.map((file) => ({
      level: 'error',
      file,
      line: 1,
      column: 1,
      message,
    }));
    const kept = this.skills().map(({ name }) => name);
    const change = { added: [], changed: [], removed: [], problems, kept };
    this.problems = problems;
    if (this.isNews(change)) onChange(change);
  }

  /** The same problems are not told again for every further event. */
  private isNews({ added, changed, removed, problems }: SkillsChange): boolean {
    const text = JSON.stringify(problems);
    const isNew = text !== this.told || added.length + changed.length + removed.length > 0;
    this.told = text;
    return isNew;
  }
}

function clash(folder: string, { name }: Skill, other: Skill): SkillProblem {
  const message = `A skill called "${name}" is in ${other.folder} already; this one is left out. Rename one of them.`;
  return { level: 'error', file: folder, line: 1, column: 1, message };
}

function differences(
  before: readonly Skill[],
  after: readonly Skill[],
): Pick<SkillsChange, 'added' | 'changed' | 'removed'> {
  const old = new Map(before.map((skill) => [skill.name, skill.hash]));
  const now = new Map(after.map((skill) => [skill.name, skill.hash]));
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    changed: [...now].flatMap(([name, hash]) => (old.has(name) && old.get(name) !== hash ? [name] : [])),
    removed: [...old.keys()].filter((name) => !now.has(name)),
  };
}
