import type { CommandRules, ProgramRule } from './commands.js';

const PLAIN_READERS =
  'ls cat head tail wc grep egrep fgrep rg sort uniq cut tr paste nl fold fmt rev tac join comm column expand unexpand diff cmp od xxd hexdump strings stat file du df tree find fd basename dirname realpath readlink pwd echo printf date whoami id uname sha1sum sha256sum sha512sum md5sum cksum b2sum base64 seq sleep true false test which jq sed';

/** A program that only looks: its flags need no table beyond the one it may have. */
export function isPlainReader(name: string): boolean {
  return PLAIN_READERS.split(' ').includes(name);
}

const GIT_READERS =
  'status log show diff blame annotate branch tag remote stash reflog worktree describe rev-parse rev-list ls-files ls-tree cat-file shortlog grep name-rev merge-base diff-tree diff-index diff-files for-each-ref show-ref show-branch whatchanged count-objects check-ignore check-attr version';

/**
 * Programs that look and change nothing, with every known way in which they could do more taken away. `uniq` writes to
 * its second file and `sort -o` to its first, `find` deletes and runs, `git` does what settings say: all that is refused.
 */
export function readOnlyCommands(
  more: Omit<CommandRules, 'programs'> & Partial<Pick<CommandRules, 'programs'>> = {},
): CommandRules {
  const readers = PLAIN_READERS.split(' ').map((name): [string, ProgramRule] => [name, { readOnly: true }]);
  return {
    ...more,
    programs: {
      ...Object.fromEntries(readers),
      git: { readOnly: true, subcommands: GIT_READERS.split(' ') },
      ...more.programs,
    },
  };
}
