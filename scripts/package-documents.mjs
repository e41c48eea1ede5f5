/**
 * Puts the documents of the repository into a package before it is packed, ready to be read where there is nothing but the
 * package: a link to a file that does not ship, such as a test, becomes its words and its path.
 *
 *   node scripts/package-documents.mjs flyball             # before `npm pack` and `npm publish`
 *   node scripts/package-documents.mjs flyball --remove    # after them
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder, root } from './files.mjs';
import { DOCUMENTS, PUBLISHED } from './packages.mjs';

/** About the repository and of no use without it, or large and told in words beside it. */
const LEFT_OUT = /^docs\/(requirements|decisions|api|patterns|rooms\.json|pictures\/studio-.*)(\/|$)/;
const FENCED = /(^```.*?^```$)/gms;
/** Code, which is left alone, or a link or a picture, whose words may be code. */
const CODE_OR_LINK = /`[^`\n]*`|!?\[((?:`[^`\n]*`|[^\][`])*)\]\(([^)\s]+)\)/g;

/**
 * Whether a document of the repository belongs to a package.
 * @param {string} path @param {string} folder
 */
export function isShipped(path, folder) {
  const isIn = (/** @type {string} */ place) => path === place || path.startsWith(`${place}/`);
  // of several places that hold it, the narrowest counts: the page of a package ships with that package alone
  const places = Object.values(DOCUMENTS).flat().filter(isIn);
  const narrowest = Math.max(...places.map((place) => place.length));
  return (DOCUMENTS[folder] ?? []).some((place) => isIn(place) && place.length === narrowest) && !LEFT_OUT.test(path);
}

/**
 * A document as the package has it.
 * @param {{ readonly path: string, readonly text: string }} document @param {(path: string) => boolean} ships
 */
export function packaged({ path, text }, ships) {
  return text
    .split(FENCED)
    .map((part, n) => (n % 2 === 1 ? part : withoutDeadLinks(part, path, ships)))
    .join('');
}

/** @param {string} prose @param {string} path @param {(path: string) => boolean} ships */
function withoutDeadLinks(prose, path, ships) {
  return prose.replace(CODE_OR_LINK, (all, words, to) => {
    if (to === undefined || /^(?:[a-z]+:|#)/.test(to)) return all;
    const target = normalize(join(dirname(path), to.split('#')[0]));
    if (ships(target)) return all;
    if (all.startsWith('!')) return `(Picture: ${words})`;
    const isPath = words.includes('/') || target.endsWith(words.replaceAll('`', ''));
    return isPath ? `\`${target}\`` : `${words} (\`${target}\` in the repository)`;
  });
}

/** @param {string} folder */
function put(folder) {
  remove(folder); // of a pack that was broken off
  const ships = (/** @type {string} */ path) => isShipped(path, folder) && existsSync(join(root, path));
  for (const path of filesUnder('.').filter(ships)) {
    const to = join(root, 'packages', folder, path);
    mkdirSync(dirname(to), { recursive: true });
    if (!path.endsWith('.md')) cpSync(join(root, path), to);
    else writeFileSync(to, packaged({ path, text: readFileSync(join(root, path), 'utf8') }, ships));
  }
}

/** @param {string} folder */
function remove(folder) {
  for (const path of DOCUMENTS[folder] ?? [])
    rmSync(join(root, 'packages', folder, path), { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = '', option] = process.argv.slice(2);
  if (!PUBLISHED.includes(folder)) throw new Error(`There is no package "${folder}": ${PUBLISHED.join(', ')}.`);
  if (option === '--remove') remove(folder);
  else put(folder);
}
