import { execFile } from 'node:child_process';
import { ConfigError } from '../../core/errors.js';
import { LIST_SETTINGS, refusePrograms } from './repository-settings.js';

/**
 * No program that a repository names is started for us. What has a fixed name is turned off here: hooks, the watcher,
 * signatures, submodules with settings of their own, and remotes, which a partial clone would ask for objects that it
 * lacks. What has a name of the repository's choice, as filters do, is looked for before each command.
 */
const SAFE = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'gc.auto=0', 'maintenance.auto=false'],
  ...['log.showSignature=false', 'submodule.recurse=false', 'protocol.allow=never'],
].flatMap((setting) => ['-c', setting]);
const ALONE = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
const LONGEST_MS = 60_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** One git command in a folder; its output. */
export async function git(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  refusePrograms(await command(cwd, LIST_SETTINGS, {}), cwd);
  return command(cwd, words, env);
}

function command(cwd: string, words: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const how = { cwd, timeout: LONGEST_MS, maxBuffer: MOST_BYTES, env: { ...process.env, ...ALONE, ...env } };
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
  const how = ['--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all'];
  const changed = (await git(folder, ['status', ...how, '--', '.']))
    .split('\0')
    .flatMap((line) => (line.length > 3 ? [line.slice(3 + prefix.length)] : []))
    .filter((path) => path !== SHARED_MODULES && !OURS.test(path))
    .sort();
  const planted = changed.find((path) => path.endsWith('/'));
  if (planted !== undefined)
    throw new ConfigError(`${planted} is a separate git repository and cannot be committed. Remove it.`);
  return changed;
}

/** Journals and kept versions are no part of a project. */
const OURS = /(?:^|\/)\.flyball\//;

/** A folder of that name is not told as one file: this is the link to the packages that are installed elsewhere. */
export const SHARED_MODULES = 'node_modules';
