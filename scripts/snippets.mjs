/**
 * Keeps the code in the documentation the code that runs. A fence of TypeScript, JavaScript or YAML follows a line that
 * names its source, whole or a region of it (`// #region name` to `// #endregion`, with `#` instead of `//` in YAML):
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

const SOURCE = /^(examples|packages|bench|test)\/.*\.(?:ts|mjs|yaml)$/;
const FENCE = /^(?:<!-- from (?<source>\S+) -->\n+)?```(?:ts|typescript|js|yaml)\b[^\n]*\n(?<code>.*?)^```$/gms;
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
  const fresh = text.replace(FENCE, (whole, ...rest) => {
    const { source, code } = rest.at(-1);
    const line = text.slice(0, rest.at(-3)).split('\n').length;
    if (source === undefined) {
      problems.push(`${path}:${line} has a snippet without a source; put <!-- from examples/…#region --> above it.`);
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
