import type { SimpleCommand } from './command-line.js';
import { type GitCall, gitCall } from './commands-git.js';
import { missingFlags, plainGitArguments } from './commands-git-plain.js';
import { familyOf } from './commands-launchers.js';
import { PROGRAM_FOLDERS, resolveProgram } from './commands-programs.js';

/** What of the rules for commands matters here. */
interface GitRules {
  readonly programs: Readonly<Record<string, { readonly permit?: readonly string[] }>>;
  readonly folders?: readonly string[];
}

/** A call of git, with what rules open for it. */
function gitIn(rules: GitRules, { words }: SimpleCommand): { call: GitCall; permit: readonly string[] } | undefined {
  const [program = '', ...args] = words.map(({ text }) => text);
  const resolved = resolveProgram(program, rules.programs, rules.folders ?? PROGRAM_FOLDERS);
  if (!resolved.ok || familyOf(resolved.name) !== 'git') return undefined;
  const call = gitCall(args);
  return 'why' in call ? undefined : { call, permit: rules.programs[resolved.name]?.permit ?? [] };
}

/** The words as they are run: git is told to run no program that the repository names. */
export function vectorOf(rules: GitRules, command: SimpleCommand): readonly string[] {
  const [program = '', ...args] = command.words.map(({ text }) => text);
  const git = gitIn(rules, command);
  return [program, ...(git === undefined ? args : plainGitArguments(args, git.call, git.permit))];
}

/** A line for a shell is run as it was written, so what git has to be told must be in it. */
export function openGit(rules: GitRules, command: SimpleCommand): string | undefined {
  const git = gitIn(rules, command);
  const missing = git === undefined ? [] : missingFlags(git.call, git.permit);
  if (git === undefined || missing.length === 0) return undefined;
  return `git ${git.call.subcommand} needs ${missing.join(' ')} as its first flags here: a repository can name programs that it would run. Add that, or use git in a call of its own.`;
}
