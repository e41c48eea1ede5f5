import { certainWords, flagsIn, isFlag, operandsIn } from './commands-flags.js';

/** Before the subcommand git takes settings, and settings can name programs: only these are harmless. */
const GLOBAL_FLAGS = [
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '--version',
];

/** Run programs by their nature, or change what later commands run. */
const DENIED_SUBCOMMANDS: Readonly<Record<string, string>> = {
  config: 'it changes settings that name programs; read them with `git config --get` where rules allow it',
  bisect: '`bisect run` runs programs',
  'filter-branch': 'it runs programs',
  'filter-repo': 'it runs programs',
  difftool: 'it runs programs',
  mergetool: 'it runs programs',
  hook: 'it runs hooks',
  daemon: 'it serves the repository',
  shell: 'it is a shell',
  'http-backend': 'it serves the repository',
  instaweb: 'it starts a server',
  gui: 'it opens windows',
  gitk: 'it opens windows',
  'send-email': 'it sends mail',
  credential: 'it hands out passwords',
  help: 'it opens a pager or a browser',
};

/**
 * Everything git may be asked for. By list, because git runs each `git-…` that it finds, and those that are not meant
 * for people (`merge-index`, `remote-ext`) run whatever they are given.
 */
const SUBCOMMANDS = new Set(
  (
    'add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format ' +
    'checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree count-objects describe ' +
    'diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object ' +
    'index-pack init interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit merge merge-base merge-file ' +
    'merge-tree mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull ' +
    'push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm ' +
    'shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace submodule switch symbolic-ref ' +
    'tag unpack-file unpack-objects update-index update-ref update-server-info var verify-pack version whatchanged ' +
    'worktree write-tree'
  ).split(' '),
);

const DENIED_FLAGS: readonly (readonly [flags: string, why: string])[] = [
  ['--upload-pack --receive-pack --exec --extcmd --ext-diff --textconv --filters', 'it runs another program'],
  ['--open-files-in-pager --paginate --show-signature --gpg-sign', 'it runs another program'],
  ['--output --output-directory', 'it writes a file'],
  ['--config --template', 'it brings settings that can name programs'],
  ['--edit --interactive', 'it opens an editor'],
  ['--submodule --recurse-submodules --ignore-submodules', 'settings of a submodule can name programs'],
];
/** What a caller may write although the others of its kind are refused: with these nothing is run. */
const HARMLESS_VALUES = /^--(?:submodule=(?:short|log)|ignore-submodules(?:=all)?|no-recurse-submodules)$/;
/** Complete flags with which a forbidden one begins, except for `cat-file`, which takes them for their beginning. */
const WHOLE_FLAGS = ['--filter', '--text'];

/** Letters that mean something else for other subcommands. */
const DENIED_LETTERS: Readonly<Record<string, readonly string[]>> = {
  grep: ['-O'],
  clone: ['-u', '-c'],
  fetch: ['-u'],
  'ls-remote': ['-u'],
  archive: ['-o'],
  'format-patch': ['-o'],
  rebase: ['-x', '-i'],
  difftool: ['-x'],
  status: ['-v', '--v', '--ve', '--ver', '--verb', '--verbo', '--verbos', '--verbose'],
};
/** Compares files by programs that a repository names, those of its submodules as well. */
const DESCRIBES_FILES = ['--dirty', '--broken'];

/** Subcommands that list when they are given no name or a flag that says so, and else make or change something. */
const LISTING: Readonly<Record<string, { readonly lists: string; readonly changes: string }>> = {
  branch: {
    lists: '--list -l --show-current --contains --no-contains --merged --no-merged --points-at',
    changes:
      '-d -D -m -M -c -C -f -u -t --delete --move --copy --force --set-upstream-to --unset-upstream --edit-description --create-reflog --track --no-list',
  },
  tag: {
    lists: '--list -l --contains --no-contains --merged --no-merged --points-at',
    changes:
      '-a -s -u -f -d -m -F -e -v --annotate --sign --local-user --force --delete --message --file --verify --no-list',
  },
};
/** Flags of these subcommands that take no value, so that the next word is a flag. */
const LISTING_ALONE = '-a -r -v -vv -l -n -i --all --remotes --verbose --list --ignore-case'.split(' ');
/** Subcommands whose first word decides; `stash` without one changes the working tree. */
const FIRST_WORDS: Readonly<Record<string, string>> = {
  remote: 'show get-url',
  stash: 'list show',
  reflog: 'show exists',
  worktree: 'list',
};

export interface GitCall {
  readonly subcommand: string;
  readonly rest: readonly string[];
}

/** Undefined with a reason when something before the subcommand is not harmless. */
export function gitCall(args: readonly string[]): GitCall | { readonly why: string } {
  const at = args.findIndex((word) => !GLOBAL_FLAGS.includes(word));
  const subcommand = args[at];
  if (at < 0 || subcommand === undefined)
    return args.includes('--version') ? { subcommand: 'version', rest: [] } : { why: 'git needs a subcommand.' };
  if (subcommand.startsWith('-'))
    return {
      why: `git may not be given ${subcommand} before its subcommand: it brings settings or another repository, which can name programs to run.`,
    };
  return { subcommand, rest: args.slice(at + 1) };
}

/** Why this call of git does more than its subcommand says. `permit` names what rules open on purpose. */
export function gitProblem({ subcommand, rest }: GitCall, permit: readonly string[]): string | undefined {
  const denied = Object.hasOwn(DENIED_SUBCOMMANDS, subcommand) ? DENIED_SUBCOMMANDS[subcommand] : undefined;
  if (denied !== undefined && !permit.includes(subcommand)) return `git ${subcommand} is not allowed: ${denied}.`;
  if (!SUBCOMMANDS.has(subcommand) && !permit.includes(subcommand))
    return `git ${subcommand} is not allowed: it is not on the list of subcommands that run no other program.`;
  if (subcommand === 'submodule' && rest.includes('foreach'))
    return 'git submodule foreach is not allowed: it runs programs.';
  const judged = rest.filter((word) => !HARMLESS_VALUES.test(word));
  const flags = flagsIn(judged).filter((flag) => !permit.includes(flag));
  const letter = flags.find((flag) => DENIED_LETTERS[subcommand]?.includes(flag));
  if (letter !== undefined) return `git ${subcommand} may not be given ${letter}: it runs a program or writes a file.`;
  const describes =
    subcommand === 'describe' && flags.find((flag) => DESCRIBES_FILES.some((each) => isFlag(flag, each)));
  if (describes) return `git describe may not be given ${describes}: it compares files. Ask git status for that.`;
  const whole = subcommand === 'cat-file' ? [] : WHOLE_FLAGS;
  for (const [names, why] of DENIED_FLAGS) {
    const found = flags.find((flag) => !whole.includes(flag) && names.split(' ').some((name) => isFlag(flag, name)));
    if (found !== undefined) return `git ${subcommand} may not be given ${found}: ${why}.`;
  }
  if (rest.some((word) => /%G|%\(\*?signature/.test(word)))
    return 'git may not be given %G: it runs a program to check signatures.';
  const remote = rest.find((word) => /^(?:ext|fd)::/i.test(word.replace(/^--?[^=]*=/, '')));
  return remote === undefined ? undefined : `git may not use ${remote}: this transport runs a program.`;
}

/** Why a subcommand that usually reads would change the repository; for rules that promise not to. */
export function gitChange({ subcommand, rest }: GitCall): string | undefined {
  const firsts = Object.hasOwn(FIRST_WORDS, subcommand) ? FIRST_WORDS[subcommand]?.split(' ') : undefined;
  // `stash -- list` puts a file of that name away, and `stash` alone everything
  const first = subcommand === 'stash' ? rest[0] : operandsIn(rest)[0];
  if (firsts !== undefined && (first === undefined ? subcommand === 'stash' : !firsts.includes(first)))
    return `git ${subcommand} may only be followed by ${firsts.join(', ')}: anything else changes the repository.`;
  const listing = Object.hasOwn(LISTING, subcommand) ? LISTING[subcommand] : undefined;
  if (listing === undefined) return undefined;
  const flags = flagsIn(rest);
  const changing = flags.find((flag) => listing.changes.split(' ').some((each) => isFlag(flag, each)));
  const lists = flagsIn(certainWords(rest, LISTING_ALONE)).some((flag) => listing.lists.split(' ').includes(flag));
  if (changing === undefined && (lists || first === undefined)) return undefined;
  return `git ${subcommand} may only list here: ${changing ?? `“${first}”`} would change the repository. Use --list as the first word.`;
}
