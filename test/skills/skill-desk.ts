import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of skills of its own, gone when the test is over. */
export interface SkillDesk {
  readonly root: string;
  path(...names: readonly string[]): string;
  /** Writes files of a skill; SKILL.md is made from `head` and `body` where it is not given. */
  skill(name: string, parts?: SkillParts): string;
  write(path: string, text: string | Uint8Array): string;
}

export interface SkillParts {
  /** Further lines of the front matter. */
  readonly head?: string;
  readonly description?: string;
  readonly body?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export function skillDesk(): SkillDesk {
  const root = mkdtempSync(join(tmpdir(), 'flyball-skills-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = (...names: readonly string[]): string => join(root, ...names);
  const write = (at: string, text: string | Uint8Array): string => {
    mkdirSync(dirname(path(at)), { recursive: true });
    writeFileSync(path(at), text);
    return path(at);
  };
  return {
    root,
    path,
    write,
    skill: (name, { head = '', description = `What ${name} is for.`, body = `Do ${name}.`, files = {} } = {}) => {
      const front = [
        '---',
        `name: ${name}`,
        `description: ${JSON.stringify(description)}`,
        ...(head === '' ? [] : [head]),
        '---',
      ];
      write(`${name}/SKILL.md`, `${front.join('\n')}\n${body}\n`);
      for (const [file, text] of Object.entries(files)) write(`${name}/${file}`, text);
      return path(name);
    },
  };
}
