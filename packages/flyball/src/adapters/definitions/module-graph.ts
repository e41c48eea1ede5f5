import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { JAVASCRIPT, TYPESCRIPT } from './load-module.js';
import { bareSpecifiers, filesOfPackage, isInside } from './packages-in-place.js';

/** Everything that decides which code runs when some modules are loaded. Absolute paths; not all of them exist. */
export interface ModuleGraph {
  readonly files: readonly string[];
  /** Modules that load what is not in `files`: by a computed name, or because there is too much to read. */
  readonly open: readonly string[];
  /** Globs of programs that they name and start, where nobody can tell in which folder those lie. */
  readonly started: readonly string[];
}

const CODE = [...JAVASCRIPT, ...TYPESCRIPT, '.jsx', '.tsx'];
/** What a specifier without its ending may stand for, in any loader: a file that is not there yet would win later. */
const ENDINGS = ['', ...CODE, '.json', '.node', '/index.js', '/index.mjs', '/index.cjs', '/index.ts', '/package.json'];
/** Beside or above a module, these change how it is read or what its bare specifiers mean. */
const AROUND = ['package.json', 'node_modules', 'tsconfig.json'];
const LOADABLE = new Set([...CODE, '.json', '.node', '.wasm']);
const LITERAL = /(['"`])((?:\.{1,2}\/|\/|file:|#)[^'"`\n$]*)(\$\{|\1)/g;
const COMPUTED = [
  /\b(?:import|require)\s*\(\s*(?!['"`)])|\b(?:import|require)\s*\(\s*(?:`[^`]*\$\{|['"][^'"]*['"]\s*[+,])/,
  // `createRequire(…)(x)`; under any other name than `require` nobody follows it
  /\bcreateRequire\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:\.\s*resolve\s*)?\(\s*(?!['"])/,
  /\b(?!require\b)\w+\s*=\s*(?:\w+\s*\.\s*)?createRequire\s*\(|\bcreateRequire\s*(?:as|:)\s*\w|[=[(]\s*createRequire\s*[;,)\]\n]/,
  /\bnew\s+Worker\s*\(\s*(?!['"]|new\s+URL\s*\(\s*['"])|\bfork\s*\(\s*(?!['"])/,
];
/** A script by its name alone, as `spawn('node', ['lib/child.mjs'])` has it; in any language. */
const SCRIPT = /(['"`])((?:[\w@.~-]+\/)*[\w@.~-]+\.(?:[cm]?[jt]s|py|sh|bash|rb|pl|php|lua|jar))\1/g;
const STARTS = /\b(?:spawn|exec|execFile|fork|execa)(?:Sync)?\s*\(|\$`/;
const MOST_FILES = 2_000;
const LONGEST = 2_000_000;

/**
 * The modules that `entries` load, with all that those load, inside `root`. Reads text and runs nothing. It errs towards
 * more: every literal that leads to a file which can be loaded counts, also in a comment.
 */
export async function moduleGraph(entries: readonly string[], root: string): Promise<ModuleGraph> {
  const files = new Set<string>();
  const open = new Set<string>();
  const started = new Set<string>();
  const waiting = entries.map((entry) => resolve(entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || !isInside(root, file)) continue;
    if (files.size > MOST_FILES) {
      open.add(file); // what was not looked at may load anything
      break;
    }
    files.add(file);
    if (!CODE.includes(extname(file))) continue;
    const text = await textOf(file);
    if (text === undefined) continue;
    if (text.length > LONGEST) {
      open.add(file);
      continue;
    }
    for (const near of around(file, root)) files.add(near);
    if (COMPUTED.some((each) => each.test(text))) open.add(file);
    for (const found of await named(file, text)) waiting.push(found);
    if (STARTS.test(text))
      for (const script of scriptsIn(text)) {
        const found = await placesOf(script, [dirname(file), root]);
        waiting.push(...found.flatMap((path) => [path, ...besideScript(path, root)]));
        if (found.length === 0) started.add(`**/${basename(script)}`); // put together from parts
      }
    for (const name of bareSpecifiers(text)) waiting.push(...(await filesOfPackage(file, name, root)));
  }
  return { files: [...files], open: [...open], started: [...started] };
}

function scriptsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(SCRIPT)].map(([, , path = '']) => path));
}

async function placesOf(script: string, folders: readonly string[]): Promise<readonly string[]> {
  const paths = [...new Set(folders.map((folder) => resolve(folder, script)))];
  const kinds = await Promise.all(paths.map(kindOf));
  return paths.filter((_, at) => kinds[at] === 'file');
}

/** In a language whose imports are not read here, everything beside a script may be what it loads. */
function besideScript(path: string, root: string): readonly string[] {
  return CODE.includes(extname(path)) || dirname(path) === resolve(root) ? [] : [dirname(path)];
}

async function named(file: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [, , start = '', end] of text.matchAll(LITERAL)) {
    const path = pathOf(file, start);
    if (path === undefined) continue;
    if (end === '${') {
      // a name that is put together: the folder that it begins with holds what is loaded
      const folder = start.endsWith('/') ? path : dirname(path);
      if (folder !== dirname(file) && (await kindOf(folder)) === 'folder') found.push(folder);
      continue;
    }
    const isFile = (await kindOf(path)) === 'file'; // then nothing can lie below it
    const endings = isFile ? ENDINGS.filter((ending) => !ending.startsWith('/')) : ENDINGS;
    const there = await Promise.all(
      endings.map(async (ending) => [`${path}${ending}`, await kindOf(`${path}${ending}`)]),
    );
    const isLoaded = there.some(([each, kind]) => kind === 'file' && LOADABLE.has(extname(String(each))));
    // also the names that are not there: one that is tried earlier would be loaded in its place
    if (isLoaded) found.push(...there.flatMap(([each, kind]) => (kind === 'folder' ? [] : [String(each)])));
    // TypeScript writes the name of the output for the source beside it
    if (/\.[cm]?js$/.test(path)) found.push(path, path.replace(/js$/, 'ts'));
  }
  return found;
}

function pathOf(file: string, specifier: string): string | undefined {
  const bare = specifier.replace(/[?#].*$/, '');
  try {
    if (specifier.startsWith('file:')) return fileURLToPath(bare);
    if (specifier.startsWith('#')) return createRequire(pathToFileURL(file)).resolve(specifier);
  } catch {
    return undefined; // no address, or no such import: then it loads nothing
  }
  return isAbsolute(bare) ? bare : resolve(dirname(file), bare);
}

function around(file: string, root: string): readonly string[] {
  const found: string[] = [];
  for (let folder = dirname(file); isInside(root, folder); folder = dirname(folder)) {
    // what lies in an installed package is kept with `node_modules` as a whole
    if (basename(folder) === 'node_modules') return [folder];
    found.push(...AROUND.map((name) => join(folder, name)));
    if (folder === root || folder === dirname(folder)) break;
  }
  return found;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined; // whoever loads it says what is wrong with it
  }
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : undefined;
}
