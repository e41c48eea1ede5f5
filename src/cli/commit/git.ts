import { execFile } from 'node:child_process';
import { ConfigError } from '../../core/errors.js';

/** Whatever a repository's own settings say: no hook, no watcher and no program of others is started for us. */
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'] as const;
const LONGEST_MS = 60_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** One git command in a folder; its output. */
export function git(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const how = {
      cwd,
      timeout: LONGEST_MS,
      maxBuffer: MOST_BYTES,
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', ...env },
    };
    execFile('git', [...SAFE, ...words], how, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const why = stderr.trim() === '' ? error.message : stderr.trim();
      reject(new ConfigError(`git ${words[0] ?? ''} failed in ${cwd}: ${why}`));
    });
  });
}

/** Files below a folder that differ from the last commit, new ones included, in order and relative to the folder. */
export async function changedFiles(folder: string): Promise<readonly string[]> {
  const prefix = (await git(folder, ['rev-parse', '--show-prefix'])).trimEnd();
  const status = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--', '.'];
  const changed = (await git(folder, status))
    .split('\0')
    .flatMap((line) => (line.length > 3 ? [line.slice(3 + prefix.length)] : []))
    .filter((path) => path !== SHARED_MODULES && !OURS.test(path))
    .sort();
  const planted = changed.find((path) => path.endsWith('/'));
  if (planted !== undefined)
    throw new ConfigError(`There is a git repository of its own in ${planted}, which cannot be committed. Remove it.`);
  return changed;
}

/** Journals and kept versions are no part of a project. */
const OURS = /(?:^|\/)\.flyball\//;

/** A folder of that name is not told as one file: this is the link to the packages that are installed elsewhere. */
export const SHARED_MODULES = 'node_modules';
