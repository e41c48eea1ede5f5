import type { FlagStyle } from './commands-flags.js';
import { TRAITS } from './commands-hatches.js';
import { familyOf } from './commands-launchers.js';
import { isPlainReader } from './commands-plain-readers.js';
import { checkPath, type PathRules } from './paths.js';

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
  for (const word of words) {
    const values = [
      ...(takesValues || word.startsWith('-') ? [behind(word, '=')] : []),
      ...(takesValues ? [behind(word, '@')] : []),
    ];
    const problem = [word, ...values].map((part) => readProblem(paths, part)).find((found) => found !== undefined);
    const why = problem ?? joinedProblem(paths, word, style);
    if (why !== undefined) return why;
  }
  return undefined;
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
  return first > 1 && first < start ? advice(word, 'A path stands behind too many letters.') : undefined;
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
