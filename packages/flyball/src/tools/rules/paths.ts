import { posix } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { type Glob, matchesNamesOf, namesIn, readGlob } from './glob.js';
import { OK, type RuleVerdict, refused } from './rule-verdict.js';

/**
 * Which paths may be read and written. Pure: looks at names only, so a link can still lead elsewhere. The tool that
 * opens the file judges the resolved path by the same rules.
 */
export interface PathRules {
  readonly roots: readonly PathRoot[];
  readonly deny: readonly string[];
  readonly denyWrite: readonly string[];
}

/** A folder that may be read, or also written. */
export interface PathRoot {
  readonly path: string;
  readonly write: boolean;
}

/** Options of `pathRules`. */
export interface PathRuleOptions {
  /** Relative paths start from the first one; where two hold a path, the longer one decides. */
  readonly roots: readonly PathRoot[];
  /** Globs relative to a root. Names are compared without case, accents' spelling and invisible characters. */
  readonly deny?: readonly string[];
  /** Globs that may be read and not written. */
  readonly denyWrite?: readonly string[];
}

/** Journals and kept versions: what undoes a run must not be changed by it. */
const ALWAYS_DENIED = ['**/.flyball/**'];
/** Hooks and settings in there are commands that the next `git` runs. */
const NEVER_WRITTEN = ['**/.git/**'];
/** Where the kernel answers with something else than a file on a disk. */
const KERNEL_PATHS = ['/proc', '/sys', '/dev'];
const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;

/** Rules about which files may be read and written. */
export function pathRules(options: PathRuleOptions): PathRules {
  if (options.roots.length === 0) throw new ConfigError('Path rules need at least one root folder.');
  const roots = options.roots.map(({ path, write }) => {
    const problem = posix.isAbsolute(path) ? oddity(path) : 'is not absolute';
    if (problem !== undefined) throw new ConfigError(`Path rules: the root "${path}" ${problem}.`);
    return { path: trimmed(posix.normalize(path)), write };
  });
  for (const glob of [...(options.deny ?? []), ...(options.denyWrite ?? [])]) {
    if (readGlob(glob) === undefined) throw new ConfigError(`Path rules: "${glob}" is not a valid glob.`);
  }
  return {
    roots,
    deny: [...ALWAYS_DENIED, ...(options.deny ?? [])],
    denyWrite: [...NEVER_WRITTEN, ...(options.denyWrite ?? [])],
  };
}

/** Whether rules allow a path to be read or written. */
export function checkPath(rules: PathRules, path: string, how: 'read' | 'write'): RuleVerdict {
  const odd = oddity(path);
  if (odd !== undefined) return refused(`The path "${shown(path)}" ${odd}.`);
  const absolute = absolutePath(rules, path);
  if (KERNEL_PATHS.some((kernel) => isBelow(kernel, absolute)))
    return refused(`"${shown(path)}" is not a file but an interface to the system; ${allowed(rules)}.`);
  const root = rootOf(rules, absolute);
  if (root === undefined) return refused(`"${shown(path)}" lies outside the allowed folders; ${allowed(rules)}.`);
  if (how === 'write' && !root.write) return refused(`"${shown(path)}" may be read and not written.`);
  const inRoot = folded(absolute.slice(root.path.length));
  const rule = matching(rules.deny, inRoot) ?? (how === 'write' ? matching(rules.denyWrite, inRoot) : undefined);
  if (rule !== undefined) return refused(`"${shown(path)}" is denied by the rule ${rule}.`);
  return OK;
}

/** For a word that may or may not be the name of a file: the sentence why it is kept away if it is one. */
export function deniedName(rules: PathRules, name: string): string | undefined {
  if (name === '' || Buffer.byteLength(name) > MAX_PATH_BYTES) return undefined; // no file has such a name
  const absolute = absolutePath(rules, name);
  const root = rootOf(rules, absolute);
  const rule = root === undefined ? undefined : matching(rules.deny, folded(absolute.slice(root.path.length)));
  return rule === undefined ? undefined : `"${shown(name)}" is denied by the rule ${rule}.`;
}

/** Globs as they are compared, read once: a command has up to a thousand words, each with several readings. */
const readGlobs = new WeakMap<readonly string[], readonly (readonly [text: string, glob: Glob])[]>();

function matching(globs: readonly string[], inRoot: string): string | undefined {
  let read = readGlobs.get(globs);
  if (read === undefined) {
    read = globs.map((text) => [text, foldedGlob(text)] as const);
    readGlobs.set(globs, read);
  }
  const names = namesIn(inRoot);
  return read.find(([, glob]) => matchesNamesOf(glob, names))?.[0];
}

/** Where a path leads by its letters alone. */
export function absolutePath(rules: PathRules, path: string): string {
  return trimmed(posix.resolve(rules.roots[0]?.path ?? '/', path));
}

/** The innermost root that holds an absolute path. */
export function rootOf(rules: PathRules, absolute: string): PathRoot | undefined {
  const holding = rules.roots.filter((root) => isBelow(root.path, absolute));
  return holding.sort((a, b) => b.path.length - a.path.length)[0];
}

export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** What makes a path suspicious by itself, as the end of a sentence that starts with it. */
function oddity(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.includes('\0')) return 'holds a NUL character';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  if (/\p{Surrogate}/u.test(path)) return 'is not valid Unicode';
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(path))
    return 'holds control or invisible characters';
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|file:)/i.test(path)) return 'is an address; give a path';
  if (/[\\\u2044\u2215\u2216\u29f5\u29f8\u29f9\uff0f\uff3c\ufe68]/.test(path))
    return 'holds a character that looks like a separator; separate names with /';
  if (/%(?:00|2e|2f|5c|25)/i.test(path)) return 'holds percent escapes, which are not decoded; write it plainly';
  if (path.startsWith('~')) return 'starts with ~, which is not expanded; give a path below an allowed folder';
  return path
    .split('/')
    .map(oddName)
    .find((odd) => odd !== undefined);
}

function oddName(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return undefined;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `holds a name longer than ${MAX_NAME_BYTES} bytes`;
  // other systems drop these, so "secret." and "secret" could be one file under two names
  if (/[. ]$/.test(name)) return 'holds a name that ends with a dot or a space';
  if (name.startsWith(' ')) return 'holds a name that starts with a space';
  if (/:\$/.test(name)) return 'names a hidden stream of a file';
  if (/^\.{1,2}$/.test(name.normalize('NFKC'))) return 'holds characters that only look like dots';
  return undefined;
}

/** Two names that some file system takes for the same one become the same text. */
function folded(path: string): string {
  const plain = path.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain.toUpperCase().toLowerCase().normalize('NFC'); // both ways: ſ, K (Kelvin) and ı have no letter of their own
}

function foldedGlob(text: string): Glob {
  return readGlob(folded(text)) ?? [];
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function shown(path: string): string {
  const plain = JSON.stringify(path).slice(1, -1);
  return plain.length > 120 ? `${plain.slice(0, 120)}…` : plain;
}

function allowed(rules: PathRules): string {
  return `allowed: ${rules.roots.map(({ path, write }) => `${path}${write ? '' : ' (read only)'}`).join(', ')}`;
}
