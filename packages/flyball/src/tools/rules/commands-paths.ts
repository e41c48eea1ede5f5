import type { FlagStyle } from './commands-flags.js';
import { gitCall } from './commands-git.js';
import { TRAITS } from './commands-hatches.js';
import { familyOf, launcherReason, needsSubcommands } from './commands-launchers.js';
import { isPlainReader } from './commands-plain-readers.js';
import { checkPath, deniedName, type PathRules } from './paths.js';

/** As many letters as anybody writes in front of a joined value. More are refused, so that few readings are judged. */
const MAX_LETTERS = 8;

/**
 * Why an argument could name a file that rules keep away. Which words a program opens is not known here: whatever could
 * be a path is judged as one, a pattern that looks like one too. In a word of flags every reading counts:
 * `-uf/etc/passwd` is a value of -u, or -u and then a value of -f.
 */
export function argumentProblem(paths: PathRules, name: string, words: readonly string[]): string | undefined {
  const family = familyOf(name);
  const style = Object.hasOwn(TRAITS, family) ? (TRAITS[family] ?? {}) : {};
  // dd if=/x, gcc @/x: programs that only look, and git, take such a word for a pattern or a name
  const takesValues = !isPlainReader(name) && family !== 'git';
  const isName = nameJudge(name, words);
  for (const [at, word] of words.entries()) {
    const values = [
      ...(takesValues || word.startsWith('-') ? [behind(word, '=')] : []),
      ...(takesValues ? [behind(word, '@')] : []),
    ];
    const problem = [word, ...values].map((part) => readProblem(paths, part)).find((found) => found !== undefined);
    const why =
      problem ??
      joinedProblem(paths, word, style) ??
      (isName(at) ? bareProblem(paths, [word, ...values, ...joinedNames(word), ...inGit(family, word)]) : undefined);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** They open no file that their words name. */
const OPEN_NOTHING = new Set('basename dirname echo false printf seq sleep tr true which'.split(' '));

/**
 * Which words could be names of files in the folder. A subcommand is none; and rules by name do not hold for programs
 * that run others, where most words name tasks.
 */
function nameJudge(name: string, words: readonly string[]): (at: number) => boolean {
  if (familyOf(name) === 'git') {
    const call = gitCall(words);
    const subcommand = 'why' in call ? -1 : words.indexOf(call.subcommand);
    return (at) => at !== subcommand;
  }
  const isOpen = launcherReason(name) === undefined && !needsSubcommands(name) && !OPEN_NOTHING.has(name);
  return () => isOpen;
}

/** A name without a slash: only what is denied counts, since most such words are no names of files at all. */
function bareProblem(paths: PathRules, names: readonly string[]): string | undefined {
  const why = names.map((name) => deniedName(paths, name)).find((found) => found !== undefined);
  return why === undefined
    ? undefined
    : `${why} If it is text and not a file, write it as a pattern, such as "[s]ecret".`;
}

/** `-fsecret.pem`: what stands behind each of the first letters. */
function joinedNames(word: string): readonly string[] {
  if (!/^-[^-]/.test(word)) return [];
  return Array.from({ length: Math.min(MAX_LETTERS, word.length - 2) }, (_, at) => word.slice(at + 2));
}

/** `HEAD:private/key`, `:(top)secret`: a file in a commit, and one behind magic words. */
function inGit(family: string, word: string): readonly string[] {
  if (family !== 'git') return [];
  const parts = word.split(/[:)]/, MAX_LETTERS);
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((length, part) => length + part.length + 1, 0));
  return starts.slice(1).map((start) => word.slice(start));
}

function readProblem(paths: PathRules, part: string): string | undefined {
  if (!part.includes('/') && !part.startsWith('.')) return undefined;
  return targetPathProblem(paths, part, 'read');
}

/** For what is a path and nothing else. */
export function targetPathProblem(paths: PathRules, path: string, how: 'read' | 'write'): string | undefined {
  if (path === '/dev/null') return undefined;
  const verdict = checkPath(paths, path, how);
  return verdict.ok ? undefined : verdict.why;
}

function behind(word: string, sign: string): string {
  const at = word.indexOf(sign);
  return at < 0 ? '' : word.slice(at + 1);
}

function joinedProblem(paths: PathRules, word: string, style: FlagStyle): string | undefined {
  if (!/^-[^-]/.test(word)) return undefined;
  const body = word.slice(1);
  const start = valueStart(body, style);
  if (start < 0) return undefined;
  const first = body.includes('/') ? Math.max(1, start - MAX_LETTERS) : start;
  for (let at = start; at >= first; at--) {
    const problem = readProblem(paths, body.slice(at));
    if (problem !== undefined) return advice(word, problem);
  }
  return first > 1 && first < start ? advice(word, 'A path follows too many option letters.') : undefined;
}

/** The last place at which a joined value can begin: behind a letter that takes one, or where no letter can stand. */
function valueStart(body: string, { valueLetters = '', attachedLetters = '' }: FlagStyle): number {
  const path = body.search(/[./]/);
  const letters = [...valueLetters, ...attachedLetters].map((letter) => body.indexOf(letter)).filter((at) => at >= 0);
  const letter = Math.min(...letters) + 1;
  return path < 0 ? -1 : Math.min(path, letter);
}

function advice(word: string, problem: string): string {
  const shown = word.length > 100 ? `${word.slice(0, 100)}…` : word;
  return `“${shown}” may be flags with a path behind them. ${problem.replace(/\.?$/, '.')} Write the value as a word of its own.`;
}
