/**
 * Globs over paths with `/`: `*` and `?` stay inside one name, `**` spans any number of names, `{a,b}` is either one.
 * Matched without regular expressions, because models write globs too and a backtracking matcher could be made to
 * run for ever.
 */
export type Glob = readonly (readonly string[])[];

const MAX_GLOB_LENGTH = 512;
const MAX_ALTERNATIVES = 64;

/** Undefined where the text is no glob that can be matched in bounded time. */
export function readGlob(text: string): Glob | undefined {
  if (text === '' || text.length > MAX_GLOB_LENGTH) return undefined;
  const alternatives = expandBraces(text);
  return alternatives?.map((alternative) => alternative.split('/').filter((name) => name !== '' && name !== '.'));
}

/** `path` is relative to what the glob is relative to. */
export function matchesGlob(glob: Glob, path: string): boolean {
  return matchesNamesOf(glob, namesIn(path));
}

/** For many globs over one path: it is taken apart once. */
export function namesIn(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

export function matchesNamesOf(glob: Glob, names: readonly string[]): boolean {
  return glob.some((pattern) => matchesNames(pattern, names));
}

function expandBraces(text: string): readonly string[] | undefined {
  let found: readonly string[] = [text];
  for (;;) {
    const next = found.flatMap(expandFirst);
    if (next.length > MAX_ALTERNATIVES) return undefined;
    if (next.length === found.length && next.every((each, at) => each === found[at])) return found;
    found = next;
  }
}

/** The innermost first pair of braces; text without one stays as it is. */
function expandFirst(text: string): readonly string[] {
  const close = text.indexOf('}');
  const open = close < 0 ? -1 : text.lastIndexOf('{', close);
  if (open < 0) return [text];
  const [before, inside, after] = [text.slice(0, open), text.slice(open + 1, close), text.slice(close + 1)];
  return inside.split(',').map((choice) => `${before}${choice}${after}`);
}

/** Row by row over the pattern, so that the work is at most names × pattern, whatever they hold. */
function matchesNames(pattern: readonly string[], names: readonly string[]): boolean {
  let reached = names.map(() => false).concat(false);
  reached[0] = true;
  for (const part of pattern) {
    const next = reached.map(() => false);
    for (let at = 0; at <= names.length; at++) {
      if (part === '**') next[at] = reached[at] === true || (at > 0 && next[at - 1] === true);
      else if (at > 0 && reached[at - 1] === true) next[at] = matchesName(part, names[at - 1] ?? '');
    }
    reached = next;
  }
  return reached[names.length] === true;
}

/** On a mismatch only the last `*` takes one more character: at most name × part steps. */
function matchesName(part: string, name: string): boolean {
  let [at, inName, star, starAt] = [0, 0, -1, 0];
  while (inName < name.length) {
    if (at < part.length && part[at] === '*') {
      star = at++;
      starAt = inName;
    } else if (at < part.length && (part[at] === '?' || part[at] === name[inName])) {
      at++;
      inName++;
    } else if (star >= 0) {
      at = star + 1;
      inName = ++starAt;
    } else {
      return false;
    }
  }
  while (part[at] === '*') at++;
  return at === part.length;
}
