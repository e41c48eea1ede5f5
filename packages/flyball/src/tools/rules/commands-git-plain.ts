import { certainWords } from './commands-flags.js';
import type { GitCall } from './commands-git.js';

/** A repository can name programs that show a diff or turn a file into text; the last one asks programs of submodules. */
const NO_DRIVERS = ['--no-ext-diff', '--no-textconv'];
const NO_TEXT = ['--no-textconv'];
const NO_SUBMODULES = ['--ignore-submodules=all'];

const PLAIN: Readonly<Record<string, readonly string[]>> = {
  log: NO_DRIVERS,
  show: NO_DRIVERS,
  whatchanged: NO_DRIVERS,
  'format-patch': NO_DRIVERS,
  'diff-tree': NO_DRIVERS,
  diff: [...NO_DRIVERS, ...NO_SUBMODULES],
  'diff-index': [...NO_DRIVERS, ...NO_SUBMODULES],
  'diff-files': [...NO_DRIVERS, ...NO_SUBMODULES],
  status: NO_SUBMODULES,
  blame: NO_TEXT,
  annotate: NO_TEXT,
  grep: NO_TEXT,
};
/** Their first word is a subcommand of its own, and takes the flags. */
const NESTED: Readonly<Record<string, readonly string[]>> = { stash: ['list', 'show'], reflog: ['show'] };

interface Insertion {
  /** Among what follows the subcommand. */
  readonly at: number;
  readonly flags: readonly string[];
}

/** The call with what keeps it from running programs of the repository; `permit` names flags that are opened on purpose. */
export function plainGitArguments(args: readonly string[], call: GitCall, permit: readonly string[]): string[] {
  const { at, flags } = insertionFor(call, permit);
  const start = args.length - call.rest.length + at;
  return [...args.slice(0, start), ...flags, ...args.slice(start)];
}

/** The flags that the call lacks, for lines that are handed on as they are. */
export function missingFlags(call: GitCall, permit: readonly string[]): readonly string[] {
  const { at, flags } = insertionFor(call, permit);
  const given = certainWords(call.rest.slice(at), flags);
  return flags.filter((flag) => !given.includes(flag));
}

function insertionFor({ subcommand, rest }: GitCall, permit: readonly string[]): Insertion {
  const opened = (flag: string) => permit.includes(flag.replace('--no-', '--').replace('=all', ''));
  const flags = (names: readonly string[]) => names.filter((flag) => !opened(flag));
  if (!Object.hasOwn(NESTED, subcommand))
    return { at: 0, flags: flags(Object.hasOwn(PLAIN, subcommand) ? (PLAIN[subcommand] ?? []) : []) };
  const isNamed = NESTED[subcommand]?.includes(rest[0] ?? '') === true;
  // `git reflog` alone is a log; any other word there is not one that shows a diff
  const shows = isNamed || (subcommand === 'reflog' && (rest[0] === undefined || rest[0].startsWith('-')));
  return { at: isNamed ? 1 : 0, flags: shows ? flags(NO_DRIVERS) : [] };
}
