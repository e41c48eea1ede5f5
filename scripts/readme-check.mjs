/** Reads the documentation as a stranger does: are the commands the two that work, do the links lead somewhere, is the code real? */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './files.mjs';
import { documents, snippetProblems } from './snippets.mjs';

const COMMANDS = ['npm start', 'npm test'];

/**
 * The first shell block of the README is the quick start: exactly the two commands, in order, nothing else to type.
 * @param {string} readme
 * @param {Readonly<Record<string, string>>} scripts
 * @returns {string[]}
 */
export function quickStartProblems(readme, scripts) {
  const block = /^```(?:sh|bash|shell|console)\n(.*?)^```$/ms.exec(readme)?.[1] ?? '';
  const commands = block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const different = commands.join('; ') !== COMMANDS.join('; ');
  return [
    ...(different
      ? [`README.md: the quick start must be "${COMMANDS.join('; ')}", it is "${commands.join('; ')}".`]
      : []),
    ...COMMANDS.map((command) => command.split(' ')[1] ?? '')
      .filter((script) => scripts[script] === undefined)
      .map((script) => `README.md names npm ${script}, but package.json has no such script.`),
  ];
}

/**
 * Links to files, and to headings in files, lead to something that is there.
 * @param {{ readonly path: string, readonly text: string }} document
 * @param {(path: string) => string | undefined} read
 * @returns {string[]}
 */
export function linkProblems({ path, text }, read = readIfThere) {
  const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))
    .flatMap((link) => {
      const [file = '', heading] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      const content = file === '' ? text : read(target);
      if (content === undefined) return [`${path} links to ${link}, which is not there.`];
      if (heading === undefined || headingsOf(content).has(heading)) return [];
      return [`${path} links to ${link}, but ${target} has no such heading.`];
    });
}

/** @param {string} markdown @returns {ReadonlySet<string>} anchors as the usual renderers make them */
function headingsOf(markdown) {
  const titles = [...markdown.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    titles.map((title) =>
      title
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replace(/ /g, '-'),
    ),
  );
}

/** @param {string} path @returns {string | undefined} the content; a folder is there too, but has none */
function readIfThere(path) {
  const full = join(root, path);
  if (!existsSync(full)) return undefined;
  return path.endsWith('.md') ? readFileSync(full, 'utf8') : '';
}

/** @returns {string[]} */
export function documentationProblems() {
  const readme = readIfThere('README.md');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return [
    ...(readme === undefined ? ['There is no README.md.'] : quickStartProblems(readme, scripts)),
    ...documents().flatMap((document) => linkProblems(document)),
    ...snippetProblems(),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = documentationProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length === 0)
    console.log(`Checked ${documents().length} documents: commands, links and snippets are right.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
