/**
 * Keeps the code in the documentation the code that is compiled. A TypeScript fence follows a line that names its
 * source, whole or a region of it (`// #region name` to `// #endregion`):
 *
 *   <!-- from examples/first-agent.ts#agent -->
 *
 *   node scripts/snippets.mjs --check   says which snippets differ from their source
 *   node scripts/snippets.mjs --write   cuts them again
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder, root } from './files.mjs';

const COMPILED = /^(examples|src|bench|test)\/.*\.ts$/;
const FENCE = /^(?:<!-- from (?<source>\S+) -->\n+)?```(?:ts|typescript)\b[^\n]*\n(?<code>.*?)^```$/gms;

/** The documents that the checks read. */
export function documents() {
  return [...filesUnder('.', /^[^/]+\.md$/), ...filesUnder('docs', /\.md$/)].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
}

/** @param {string} source @returns {string | undefined} what to cut from, or undefined when it is not there */
function readCompiled(source) {
  return COMPILED.test(source) && existsSync(join(root, source)) ? readFileSync(join(root, source), 'utf8') : undefined;
}

/**
 * @param {string} code
 * @param {string | undefined} region
 * @returns {string | undefined} the region without its markers and its common indentation
 */
export function cut(code, region) {
  if (region === undefined) return code.replace(/^\s*\/\/ #(end)?region.*\n/gm, '').trimEnd();
  const lines = code.split('\n');
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.trim().startsWith('// #endregion'));
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
export function recut({ path, text }, read = readCompiled) {
  /** @type {string[]} */
  const problems = [];
  const fresh = text.replace(FENCE, (whole, ...rest) => {
    const { source, code } = rest.at(-1);
    const line = text.slice(0, rest.at(-3)).split('\n').length;
    if (source === undefined) {
      problems.push(
        `${path}:${line} has a TypeScript snippet without a source; put <!-- from examples/…#region --> above it.`,
      );
      return whole;
    }
    const [file, region] = source.split('#');
    const content = read(file);
    const wanted = content === undefined ? undefined : cut(content, region);
    if (wanted === undefined) {
      problems.push(`${path}:${line} is cut from ${source}, which is not there.`);
      return whole;
    }
    if (code.trimEnd() === wanted) return whole;
    problems.push(`${path}:${line} differs from ${source}; run node scripts/snippets.mjs --write.`);
    return `${whole.slice(0, -(code.length + 3))}${wanted}\n\`\`\``; // the fence closes right behind the code
  });
  return { text: fresh, problems };
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
