/**
 * Makes the documents of the package ready to be read where there is nothing but the package: a link to a file that does
 * not ship, such as a test, becomes its words and its path. Runs before and after every `npm pack` and `npm publish`.
 *
 *   node scripts/package-documents.mjs             # before: rewrites them, and keeps the originals
 *   node scripts/package-documents.mjs --restore   # after: puts the originals back
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder, root } from './files.mjs';

const ORIGINALS = join(root, '.cache/documents');
const FENCED = /(^```.*?^```$)/gms;
/** Code, which is left alone, or a link, whose words may be code. */
const CODE_OR_LINK = /`[^`\n]*`|\[((?:`[^`\n]*`|[^\][`])*)\]\(([^)\s]+)\)/g;

/**
 * Whether a path belongs to the package, by the `files` of its manifest.
 * @param {string} path @param {readonly string[]} files
 */
export function isShipped(path, files) {
  const isIn = (/** @type {string} */ folder) => path === folder || path.startsWith(`${folder}/`);
  const named = files.filter((each) => !each.startsWith('!')).some(isIn);
  return named && !files.some((each) => each.startsWith('!') && isIn(each.slice(1)));
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
    const isPath = words.includes('/') || target.endsWith(words.replaceAll('`', ''));
    return isPath ? `\`${target}\`` : `${words} (\`${target}\` in the repository)`;
  });
}

/** @returns {readonly string[]} */
function shippedDocuments(/** @type {readonly string[]} */ files) {
  return filesUnder('.', /\.md$/).filter((path) => isShipped(path, files));
}

function restore() {
  if (!existsSync(ORIGINALS)) return;
  for (const path of JSON.parse(readFileSync(join(ORIGINALS, 'list.json'), 'utf8')))
    copyFileSync(join(ORIGINALS, path), join(root, path));
  rmSync(ORIGINALS, { recursive: true });
}

function rewrite() {
  restore(); // of a pack that was broken off
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  /** @type {string[]} */
  const changed = [];
  for (const path of shippedDocuments(files)) {
    const text = readFileSync(join(root, path), 'utf8');
    const made = packaged({ path, text }, (target) => isShipped(target, files) && existsSync(join(root, target)));
    if (made === text) continue;
    mkdirSync(dirname(join(ORIGINALS, path)), { recursive: true });
    writeFileSync(join(ORIGINALS, path), text);
    changed.push(path);
    writeFileSync(join(ORIGINALS, 'list.json'), JSON.stringify(changed)); // before the file is touched
    writeFileSync(join(root, path), made);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--restore')) restore();
  else rewrite();
}
