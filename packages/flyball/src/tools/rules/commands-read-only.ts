import type { CommandRules, ProgramRule } from './commands.js';
import { PLAIN_READERS } from './commands-plain-readers.js';

const GIT_READERS =
  'status log show diff blame annotate branch tag remote stash reflog worktree describe rev-parse rev-list ls-files ls-tree cat-file shortlog grep name-rev merge-base diff-tree diff-index diff-files for-each-ref show-ref show-branch whatchanged count-objects check-ignore check-attr version';

/**
 * Programs that look and change nothing, with every known way in which they could do more taken away. `uniq` writes to
 * its second file and `sort -o` to its first, `find` deletes and runs, `git` does what settings say: all that is refused.
 */
export function readOnlyCommands(
  more: Omit<CommandRules, 'programs'> & Partial<Pick<CommandRules, 'programs'>> = {},
): CommandRules {
  const readers = PLAIN_READERS.map((name): [string, ProgramRule] => [name, { readOnly: true }]);
  return {
    ...more,
    programs: {
      ...Object.fromEntries(readers),
      git: { readOnly: true, subcommands: GIT_READERS.split(' ') },
      ...more.programs,
    },
  };
}
