/**
 * The reference of the public names: a page for each entry of a package, made of the comments in the sources.
 *
 *   npm run api             says which pages are not as the sources have them
 *   npm run api -- --update writes them
 *
 * A test compares them, so the public surface changes only on purpose.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportsOf } from './api/exports.mjs';
import { identity, mentionedBy } from './api/mentioned.mjs';
import { commentOf, kindOf, signatureOf } from './api/signature.mjs';
import { filesUnder, root } from './files.mjs';
import { publicEntries } from './packages.mjs';

const FOLDER = 'docs/api';
/** @type {readonly (readonly [import('./api/signature.mjs').Kind, string])[]} */
const SECTIONS = [
  ['function', 'Functions'],
  ['class', 'Classes'],
  ['constant', 'Constants'],
  ['type', 'Types'],
];

/** @param {string} entry */
const pageOf = (entry) => `${entry.replace('@', '').replaceAll('/', '-')}.md`;

/** Every page, by its path. @returns {ReadonlyMap<string, string>} */
export function pages() {
  /** @type {Map<string, string>} */
  const made = new Map();
  const rows = [];
  const entries = publicEntries().map(({ entry, source }) => ({
    entry,
    names: sorted([...exportsOf(source).values()]),
  }));
  const known = new Set(entries.flatMap(({ names }) => names.map(identity)));
  for (const { entry, names } of entries) {
    rows.push(`| [\`${entry}\`](${pageOf(entry)}) | ${names.length} |`);
    const mentioned = mentionedBy(names, known);
    for (const declared of mentioned) known.add(identity(declared)); // shown once, on the page of the first that needs it
    made.set(`${FOLDER}/${pageOf(entry)}`, page(entry, names, sorted(mentioned)));
  }
  const head =
    '# API reference\n\nOne page for each entry point, generated from the comments in the source code by `npm run api -- --update`.\n\n';
  made.set(`${FOLDER}/README.md`, `${head}| Import from | Names |\n| --- | ---: |\n${rows.join('\n')}\n`);
  return made;
}

/** @typedef {import('./api/exports.mjs').Declared} Declared */

/** @param {readonly Declared[]} names */
const sorted = (names) => [...names].sort((a, b) => (a.name < b.name ? -1 : 1));

/** @param {string} entry @param {readonly Declared[]} names @param {readonly Declared[]} mentioned */
function page(entry, names, mentioned) {
  const parts = [`# ${entry}\n`];
  for (const [kind, title] of SECTIONS) {
    const these = names.filter((declared) => kindOf(declared) === kind);
    if (these.length > 0) parts.push(`## ${title}\n`, ...these.flatMap(described));
  }
  if (mentioned.length > 0)
    parts.push('## Types that are not exported\n', NOT_EXPORTED, ...mentioned.flatMap(described));
  return parts.join('\n');
}

const NOT_EXPORTED = 'The signatures above use these types. TypeScript infers them, so you do not import them.\n';

/** @param {Declared} declared @returns {readonly string[]} */
function described(declared) {
  const comment = commentOf(declared);
  return [
    `### ${declared.name}\n`,
    ...(comment === '' ? [] : [`${comment}\n`]),
    `\`\`\`ts\n${signatureOf(declared)}\n\`\`\`\n`,
  ];
}

/** Pages that are missing, different or left over. @returns {readonly string[]} */
export function outdated() {
  const made = pages();
  const differ = [...made].filter(
    ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
  );
  return [...differ.map(([path]) => path), ...filesUnder(FOLDER).filter((path) => !made.has(path))];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--update')) {
    for (const path of filesUnder(FOLDER)) rmSync(join(root, path));
    for (const [path, text] of pages()) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  } else {
    const found = outdated();
    for (const path of found) console.log(`${path} is not what the sources say.`);
    if (found.length > 0) console.log('Run `npm run api -- --update`, and look at what changed in the public surface.');
    process.exitCode = found.length > 0 ? 1 : 0;
  }
}
