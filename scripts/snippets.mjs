/**
 * Keeps the code in the documentation the code that runs. A fence of TypeScript, JavaScript or YAML follows a line that
 * names its source, whole or a region of it (`// #region name` to `// #endregion`, with `#` instead of `//` in YAML):
 *
 *   <!-- from examples/first-agent.ts#agent -->
 *
 * TypeScript is shown with the imports that it uses. What else it needs, and the page has not shown, is in a folded
 * block above it, so that the code of a page can be copied into a project that has nothing but the packages.
 *
 *   node scripts/snippets.mjs --check   says which snippets differ from their source
 *   node scripts/snippets.mjs --write   cuts them again
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder, root } from './files.mjs';
import { joined, neededBy, readExample } from './snippet-program.mjs';

const SOURCE = /^(examples|packages|bench|test)\/.*\.(?:ts|mjs|yaml)$/;
const SETUP = '<details>\n<summary>Setup for the code below</summary>\n\n';
const FENCE =
  /^(?:<details>\n<summary>Setup for the code below<\/summary>\n\n```ts\n.*?^```\n\n<\/details>\n\n)?(?:<!-- from (?<source>\S+) -->\n+)?```(?:ts|typescript|js|yaml)\b[^\n]*\n(?<code>.*?)^```$/gms;
const START = /^\s*(?:\/\/|#) #region (?<name>\S+)$/;
const END = /^\s*(?:\/\/|#) #endregion/;

/** The documents that the checks read: those that people write, which the reference in docs/api is not. */
export function documents() {
  return [...filesUnder('.', /^[^/]+\.md$/), ...filesUnder('docs', /^docs\/(?!api\/).*\.md$/)].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
}

/** @param {string} source @returns {string | undefined} what to cut from, or undefined when it is not there */
function readSource(source) {
  return SOURCE.test(source) && existsSync(join(root, source)) ? readFileSync(join(root, source), 'utf8') : undefined;
}

/**
 * @param {string} code
 * @param {string | undefined} region
 * @returns {string | undefined} the region without its markers and its common indentation
 */
export function cut(code, region) {
  const lines = code.split('\n');
  if (region === undefined)
    return lines
      .filter((line) => !START.test(line) && !END.test(line))
      .join('\n')
      .trimEnd();
  const start = lines.findIndex((line) => START.exec(line)?.groups?.['name'] === region);
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => END.test(line));
  if (length < 0) return undefined;
  const body = lines.slice(start + 1, start + 1 + length);
  const indent = Math.min(...body.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return body
    .map((line) => line.slice(indent))
    .join('\n')
    .trim();
}

/**
 * @param {{ readonly path: string, readonly text: string }} document
 * @param {(source: string) => string | undefined} read
 * @returns {{ readonly text: string, readonly problems: readonly string[] }} the document with its snippets cut again, and what was wrong
 */
export function recut({ path, text }, read = readSource) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, Shown>} */
  const shown = new Map();
  let section = sectionAt(text, 0);
  const fresh = text.replace(FENCE, (whole, ...rest) => {
    const { source } = rest.at(-1);
    const line = text.slice(0, rest.at(-3)).split('\n').length;
    if (rest.at(-3) >= section.end) section = sectionAt(text, rest.at(-3));
    if (source === undefined) {
      problems.push(`${path}:${line} has a snippet without a source; put <!-- from examples/…#region --> above it.`);
      return whole;
    }
    const [file, region] = source.split('#');
    const content = read(file);
    const code = content === undefined ? undefined : cut(content, region);
    if (content === undefined || code === undefined) {
      problems.push(`${path}:${line} is cut from ${source}, which is not there.`);
      return whole;
    }
    const [head = ''] = /<!-- from \S+ -->\n+```[^\n]*\n/.exec(whole) ?? [];
    const { setup, imports } = completed({ shown, imported: importedIn(section, file) }, file, content, region);
    const wanted = `${setup}${head}${[...imports, code].join('\n')}\n\`\`\``;
    if (whole === wanted) return whole;
    problems.push(`${path}:${line} differs from ${source}; run node scripts/snippets.mjs --write.`);
    return wanted;
  });
  return { text: fresh, problems };
}

/**
 * The code of a page as somebody has it who copies it from top to bottom: a program for each of its examples. A
 * definition that is shown twice, folded and in the text, is copied once.
 * @param {{ readonly path: string, readonly text: string }} document
 * @returns {readonly { readonly name: string, readonly code: string }[]}
 */
export function copied({ path, text }) {
  /** @type {Map<string, string[]>} */
  const blocks = new Map();
  for (const [whole, source] of text.matchAll(FENCE)) {
    const file = source?.split('#')[0];
    if (file === undefined || !file.endsWith('.ts')) continue;
    const code = [...whole.matchAll(/^```ts[^\n]*\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
    blocks.set(file, [...(blocks.get(file) ?? []), ...code]);
  }
  const nameOf = (/** @type {string} */ file) => `${path}-${file}`.replaceAll(/[^a-z0-9]+/gi, '-');
  return [...blocks].map(([file, parts]) => ({ name: nameOf(file), code: joined(parts) }));
}

/**
 * @typedef {{ readonly example: import('./snippet-program.mjs').Example, readonly statements: Set<import('./snippet-program.mjs').Statement> }} Shown an example, and what of it the page has shown
 * @typedef {{ readonly end: number, readonly imported: Map<string, Set<string>> }} Section where it ends, and what its blocks of each example import so far: nobody can import a name twice who copies them one below the other
 */

/** @param {string} text @param {number} at @returns {Section} the section around this place */
function sectionAt(text, at) {
  const next = text.slice(at + 1).search(/^#{2,} /m);
  return { end: next < 0 ? text.length : at + 1 + next, imported: new Map() };
}

/** @param {Section} section @param {string} file */
function importedIn({ imported }, file) {
  const known = imported.get(file) ?? new Set();
  imported.set(file, known);
  return known;
}

/**
 * What stands above and inside a fence besides the lines of its region.
 * @param {{ readonly shown: Map<string, Shown>, readonly imported: Set<string> }} before @param {string} file @param {string} content @param {string | undefined} region
 * @returns {{ readonly setup: string, readonly imports: readonly string[] }}
 */
function completed({ shown, imported }, file, content, region) {
  if (!file.endsWith('.ts')) return { setup: '', imports: [] };
  const known = shown.get(file) ?? { example: readExample(file, content), statements: new Set() };
  shown.set(file, known);
  const { own, setup, imports, setupImports } = neededBy(known.example, rangeOf(content, region), {
    shown: known.statements,
    imported,
  });
  for (const each of [...own, ...setup]) known.statements.add(each);
  const code = setup.map(({ start, end }) => content.slice(start, end));
  const block = [...setupImports, ...(setupImports.length > 0 ? [''] : []), ...code].join('\n');
  return {
    setup: setup.length === 0 ? '' : `${SETUP}\`\`\`ts\n${block}\n\`\`\`\n\n</details>\n\n`,
    imports: imports.length === 0 ? [] : [...imports, ''],
  };
}

/** Where a region is in its file. @param {string} code @param {string | undefined} region */
function rangeOf(code, region) {
  if (region === undefined) return { start: 0, end: code.length };
  const lines = code.split('\n');
  const first = lines.findIndex((line) => START.exec(line)?.groups?.['name'] === region) + 1;
  const last = first + lines.slice(first).findIndex((line) => END.test(line));
  const at = (/** @type {number} */ n) => lines.slice(0, n).reduce((sum, line) => sum + line.length + 1, 0);
  return { start: at(first), end: at(last) };
}

/** @returns {string[]} */
export function snippetProblems() {
  return documents().flatMap((document) => recut(document).problems);
}

/** @param {readonly string[]} options */
function main(options) {
  if (options.includes('--write')) {
    for (const document of documents()) {
      const { text } = recut(document);
      if (text !== document.text) writeFileSync(join(root, document.path), text);
    }
  }
  const problems = snippetProblems();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
