import { ConfigError } from '../../core/errors.js';

/**
 * Settings of a repository with which our own git commands would start a program that the repository names. Those that
 * a flag or the environment turns off (hooks, watchers, remotes, signatures) are not among them.
 */
const STARTS_PROGRAMS: readonly RegExp[] = [
  /^filter\..*\.(?:clean|smudge|process)$/s,
  /^includeif\./s, // may hold any of these, for the work tree only
  /^lfs\.(?:extension|customtransfer)\./s,
  /^lfs\.(?:.*\.)?standalonetransferagent$/s,
];
/** Filters of the user, such as Git LFS, are started, and these start programs by settings of the repository. */
const STARTS_PROGRAMS_OF_FILTERS: readonly RegExp[] = [
  /^core\.(?:sshcommand|askpass|gitproxy)$/,
  /^credential\.(?:.*\.)?helper$/s,
];
const FILTER = /^filter\./;
/** Where git finds the settings that came with the repository; those of the user and the machine are the user's own. */
const OF_REPOSITORY: ReadonlySet<string> = new Set(['local', 'worktree']);

/** Lists names of settings with their origin. Reads files and runs nothing. */
export const LIST_SETTINGS = ['config', '--list', '--show-scope', '--name-only', '-z'] as const;

/**
 * Refuses settings that start programs, from what `LIST_SETTINGS` answers. A repository that was unpacked from an
 * archive brings its settings along, so they are a stranger's, unlike those of a clone.
 */
export function refusePrograms(listed: string, folder: string): void {
  const words = listed.split('\0');
  const settings = words.flatMap((scope, at) => (at % 2 === 0 ? [{ scope, name: words[at + 1] ?? '' }] : []));
  const own = settings.filter(({ scope }) => OF_REPOSITORY.has(scope)).map(({ name }) => name);
  const hasFilters = settings.some(({ scope, name }) => !OF_REPOSITORY.has(scope) && FILTER.test(name));
  const refused = [...STARTS_PROGRAMS, ...(hasFilters ? STARTS_PROGRAMS_OF_FILTERS : [])];
  const found = own.find((name) => refused.some((pattern) => pattern.test(name)));
  if (found === undefined) return;
  throw new ConfigError(
    `The settings of the repository in ${folder} start a program outside the sandbox: ${shown(found)}. ` +
      'If you know it, move the setting to your own with git config --global; otherwise remove it with git config --unset.',
  );
}

/** A name that a stranger chose, for a terminal. */
function shown(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100);
}
