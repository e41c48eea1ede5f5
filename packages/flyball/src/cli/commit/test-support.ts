import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** Files that settings of test runners load into every test: what stands there decides what the tests see. */
const LOADING = [
  'setupFiles',
  'setupFilesAfterEnv',
  'globalSetup',
  'globalTeardown',
  'environment',
  'testEnvironment',
  'snapshotSerializers',
  'snapshotEnvironment',
  'snapshotResolver',
  'resolver',
  'runner',
  'testRunner',
  'reporters',
  'sequencer',
  'testSequencer',
  'testResultsProcessor',
  'transform',
  'preset',
  'projects',
  'workspace',
  'extends',
  'require',
  'nodeArguments',
  'file',
];
const PROPERTY = new RegExp(`(?<![\\w$.])["']?(?:${LOADING.join('|')})["']?[ \\t]*[:=]`, 'g');
const SETTINGS =
  /^(?:(?:vitest|vite|jest|ava|playwright)\.(?:config|workspace)\.\w+|package\.json|\.mocharc(?:\.\w+)?|conftest\.py|pytest\.(?:ini|toml)|\.pytest\.(?:ini|toml)|pyproject\.toml|tox\.ini|setup\.cfg)$/;
const PYTHON = /\.(?:py|ini|toml|cfg)$/;
const ENDINGS = ['', ...['ts', 'mts', 'cts', 'tsx', 'js', 'mjs', 'cjs', 'jsx', 'json'].map((ending) => `.${ending}`)];
const LARGEST = 256 * 1024;
const LONGEST_VALUE = 4_000;
const MOST_WORDS = 200;
/** Settings stand at the top, or in the packages of a workspace. */
const MOST_FOLDERS = 100;

/**
 * Files of the project that settings of its test runners name to be loaded with the tests, as `setupFiles` does. Read as
 * text, and nothing is run: what settings compute is not seen.
 */
export function testSupportIn(root: string): readonly string[] {
  const found = foldersIn(root).flatMap((folder) =>
    namesIn(folder)
      .filter((name) => SETTINGS.test(name))
      .flatMap((name) => loadedBy(root, join(folder, name))),
  );
  return [...new Set(found)].sort();
}

/** Breadth first: the root, and below it what is no installed package and not hidden. */
function foldersIn(root: string): readonly string[] {
  const folders = [root];
  for (let at = 0; at < folders.length && folders.length < MOST_FOLDERS; at++) {
    const folder = folders[at] ?? root;
    for (const name of namesIn(folder))
      if (
        !/^(?:\.|node_modules$)/.test(name) &&
        kindOf(join(folder, name)) === 'folder' &&
        folders.length < MOST_FOLDERS
      )
        folders.push(join(folder, name));
  }
  return folders;
}

function loadedBy(root: string, settings: string): readonly string[] {
  const text = textOf(settings);
  const words = PYTHON.test(settings) ? pythonWords(text) : loadedWords(text);
  const places = [...new Set([dirname(settings), root])];
  return words
    .slice(0, MOST_WORDS)
    .flatMap((word) => places.flatMap((place) => fileBy(root, place, word)))
    .filter((path) => path !== relative(root, settings));
}

/** The strings in the values of the properties that load something. */
function loadedWords(text: string): readonly string[] {
  return [...text.matchAll(PROPERTY)].slice(0, MOST_WORDS).flatMap((match) => {
    const value = valueAt(text, match.index + match[0].length);
    return [...value.matchAll(/(["'`])((?:(?!\1)[^\\\n])*)\1|^[ \t]*-?[ \t]*([^\s"'[\]{},]+)/gm)].map(
      ([, , quoted, plain]) => (quoted ?? plain ?? '').replace(/^<rootDir>\/?/, './'),
    );
  });
}

/** A list or an object as a whole; of anything else what stands up to the next property. */
function valueAt(text: string, start: number): string {
  const rest = text.slice(start, start + LONGEST_VALUE);
  const [open = ''] = /^\s*[[{]/.exec(rest) ?? [];
  if (open === '')
    return (/^[^\n]*(?:\n[ \t]*(?:-|[)'"`])[^\n]*)*/.exec(rest)?.[0] ?? '').split(/,\s*["']?\w+["']?\s*:/)[0] ?? '';
  let depth = 0;
  for (let at = open.length - 1; at < rest.length; at++) {
    if ('[{('.includes(rest[at] ?? '')) depth++;
    if (']})'.includes(rest[at] ?? '') && --depth === 0) return rest.slice(0, at);
  }
  return rest;
}

/** `pytest_plugins = ["checks.plugin"]`, and `-p checks.plugin` or `--confcutdir`-like words of `addopts`: as paths. */
function pythonWords(text: string): readonly string[] {
  const plugins = [...text.matchAll(/\bpytest_plugins\s*(?::[^=\n]*)?=\s*/g)]
    .slice(0, MOST_WORDS)
    .flatMap((match) =>
      [...valueAt(text, match.index + match[0].length).matchAll(/["']([\w.]+)["']/g)].map(([, name = '']) => name),
    );
  const options = [...text.matchAll(/(?:^|[\s"'=])-p(?:[ \t]+|=|["'][ \t]*,[ \t]*["'])?([A-Za-z_][\w.]*)/g)].map(
    ([, name = '']) => name,
  );
  return [...plugins, ...options].flatMap((name) => {
    const path = name.replaceAll('.', '/');
    return [`./${path}.py`, `./${path}/__init__.py`, `./src/${path}.py`];
  });
}

/** Relative to the root; nothing where there is no such file of the project. */
function fileBy(root: string, place: string, word: string): readonly string[] {
  if (word === '' || word.length > 500 || word.includes('\0')) return [];
  return ENDINGS.flatMap((ending) => {
    const path = relative(root, resolve(place, `${word}${ending}`));
    if (path === '' || path.startsWith('..') || isAbsolute(path)) return [];
    return kindOf(join(root, path)) === 'file' ? [path] : [];
  });
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // what cannot be listed cannot be loaded either
  }
}

/** Nothing where it cannot be read: the run of the tests says so then. A pipe is not waited for. */
function textOf(path: string): string {
  let opened: number;
  try {
    opened = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const found = fstatSync(opened);
    return found.isFile() && found.size <= LARGEST ? readFileSync(opened, 'utf8') : '';
  } finally {
    closeSync(opened);
  }
}
