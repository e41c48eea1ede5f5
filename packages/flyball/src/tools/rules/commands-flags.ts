/** How a program reads its flags, as far as it matters for finding a forbidden one. */
export interface FlagStyle {
  /** Letters whose value may follow in the same word: in `-k2o` nothing after the k is a flag. */
  readonly valueLetters?: string;
  /** Letters whose value can only follow in the same word: the word after `-I` is none. */
  readonly attachedLetters?: string;
  /** Flags are whole words behind one dash, as with find. */
  readonly wholeWords?: boolean;
}

/**
 * Every flag that may be among the arguments: `--name=value` as `--name`, `-abc` as `-a`, `-b`, `-c` and as itself.
 * `--` ends nothing here: it can be the value of the option before it, and not every program knows it. A file with
 * such a name is written `./-o`.
 */
export function flagsIn(args: readonly string[], style: FlagStyle = {}): string[] {
  if (style.wholeWords === true) return args.filter((word) => word.startsWith('-'));
  const letters = (style.valueLetters ?? '') + (style.attachedLetters ?? '');
  return [...new Set(args.flatMap((word) => flagsOf(word, letters)))];
}

/**
 * Words that are no value of an option in any reading, for rules that ask for a flag: before any `--`, and not behind
 * a word that could take them for its value. `alone` names flags that take none.
 */
export function certainWords(args: readonly string[], alone: readonly string[]): string[] {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  return before.filter((_, at) => takesNoValue(before[at - 1] ?? '', alone));
}

function takesNoValue(word: string, alone: readonly string[]): boolean {
  return !word.startsWith('-') || alone.includes(word) || /^--[^=]+=/.test(word);
}

function flagsOf(word: string, valueLetters: string): string[] {
  if (word.startsWith('--')) return [word.split('=', 1)[0] ?? word];
  if (!word.startsWith('-') || word.length < 2) return [];
  const letters: string[] = [];
  for (const letter of word.slice(1)) {
    letters.push(`-${letter}`);
    if (valueLetters.includes(letter)) break;
  }
  return word.length > 2 ? [...letters, word.split('=', 1)[0] ?? word] : letters;
}

/** Long options may be cut short as long as they stay unambiguous, so a beginning of a forbidden one counts as it. */
export function isFlag(given: string, forbidden: string): boolean {
  if (given === forbidden) return true;
  return forbidden.startsWith('--') && given.length > 2 && given.startsWith('--') && forbidden.startsWith(given);
}

/** Words that may be neither flags nor, as far as the style knows them, values of flags. */
export function operandsIn(args: readonly string[], style: FlagStyle = {}): string[] {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const operands = before.filter((word, at) => {
    if (word.startsWith('-') && word !== '-') return false;
    return !(takesNext(before[at - 1], style) && !mayTakeNext(before[at - 2], style));
  });
  return [...operands, ...(end < 0 ? [] : args.slice(end + 1))];
}

/** `-f` or `-cf`: the value of the f is the next word. */
function takesNext(word = '', { valueLetters = '', attachedLetters = '' }: FlagStyle): boolean {
  if (!/^-[^-]/.test(word)) return false;
  const first = [...word.slice(1)].findIndex((letter) => (valueLetters + attachedLetters).includes(letter));
  return first >= 0 && first === word.length - 2 && valueLetters.includes(word.at(-1) ?? '');
}

/** In `--date -d x` the -d is a value, so that the x is none. */
function mayTakeNext(word = '', style: FlagStyle): boolean {
  return takesNext(word, style) || /^--[^=]+$/.test(word);
}
