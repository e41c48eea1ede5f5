/**
 * What the project promises, and which test or benchmark shows it. docs/requirements/*.json holds the entries; a test
 * names the ones it shows in brackets in its title, a benchmark in a comment `// shows: R2-…, F-C1`.
 *
 *   npm run requirements               prints what is shown and what is open
 *   npm run requirements -- --update   fills `shows` and `status` from the tests and benchmarks, and the clauses shown in
 *                                      the catalogue of patterns
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHOWN_FILE, shownModule } from './clauses-shown.mjs';
import { filesUnder, root } from './files.mjs';

/** @typedef {{ readonly id: string, readonly text: string, readonly status: 'done' | 'open', readonly shows: readonly string[], readonly missed?: string }} Requirement */
/* `missed` says, in a sentence, why an entry that something measures is open all the same. Only a person writes or removes it. */
/** @typedef {ReadonlyMap<string, ReadonlySet<string>>} Claims the ids that each file says it shows */

/** @returns {{ readonly file: string, readonly entries: readonly Requirement[] }[]} */
export function requirementFiles() {
  return filesUnder('docs/requirements', /\.json$/).map((file) => ({
    file,
    entries: JSON.parse(readFileSync(join(root, file), 'utf8')),
  }));
}

/** What was asked for (`R2-…`), a fault that was found and must not come back (`F-C1`), or a clause of a pattern (`R17.3`). */
const ID = 'R\\d+-[A-Z0-9-]+|F-[A-Z]\\d+|[SKROVIHY]\\d+\\.(?:\\d+|[a-z]+)';
const IN_TITLE = new RegExp(`\\[(${ID})\\]`, 'g');
const IN_HEADER = new RegExp(`\\bshows: *((?:${ID})(?:, *(?:${ID}))*)`, 'g');

/** @param {string} path @param {string} text @returns {ReadonlySet<string>} */
export function claimsIn(path, text) {
  const marked = path.startsWith('bench/')
    ? [...text.matchAll(IN_HEADER)].flatMap((match) => (match[1] ?? '').split(/, */))
    : [...text.matchAll(IN_TITLE)].map((match) => match[1] ?? '');
  return new Set(marked);
}

/** @returns {Claims} */
export function claims() {
  const files = [
    ...filesUnder('packages', /\.test\.ts$/),
    ...filesUnder('packages/flyball/src/testing', /contract[^/]*(?:\/[^/]+)?(?<!\.test)\.ts$/), // a contract's titles stand where it is written, not where it is run
    ...filesUnder('test', /\.test\.ts$/),
    ...filesUnder('bench', /\.(ts|mjs)$/),
  ];
  return new Map(files.map((path) => [path, claimsIn(path, readFileSync(join(root, path), 'utf8'))]));
}

/**
 * @param {readonly Requirement[]} entries
 * @param {Claims} claimed
 * @returns {string[]} sentences about what does not fit together
 */
export function problems(entries, claimed) {
  const ids = entries.map(({ id }) => id);
  const known = new Set(ids);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} is there twice.`);
  const unshown = entries.flatMap(({ id, status, shows }) => [
    ...(status === 'done' && shows.length === 0 ? [`${id} is marked done, but nothing shows it.`] : []),
    ...shows
      .filter((file) => claimed.get(file)?.has(id) !== true)
      .map((file) => `${id} names ${file}, which does not show it.`),
  ]);
  const unknown = [...claimed].flatMap(([file, named]) =>
    [...named].filter((id) => !known.has(id)).map((id) => `${file} names ${id}, which is no requirement.`),
  );
  return [...twice, ...unshown, ...unknown];
}

/**
 * @param {readonly Requirement[]} entries
 * @param {Claims} claimed
 * @returns {Requirement[]}
 */
export function updated(entries, claimed) {
  return entries.map(({ id, text, missed }) => {
    const shows = [...claimed]
      .filter(([, named]) => named.has(id))
      .map(([file]) => file)
      .sort();
    if (missed !== undefined) return { id, text, status: 'open', shows, missed };
    return { id, text, status: shows.length > 0 ? 'done' : 'open', shows };
  });
}

/** @param {readonly string[]} options */
function main(options) {
  const claimed = claims();
  for (const { file, entries } of requirementFiles()) {
    const current = options.includes('--update') ? updated(entries, claimed) : entries;
    if (options.includes('--update')) writeFileSync(join(root, file), `${JSON.stringify(current, null, 2)}\n`);
    const done = current.filter(({ status }) => status === 'done');
    console.log(`${file}: ${done.length} of ${current.length} shown\n`);
    for (const { id, text, status, shows, missed } of current) {
      console.log(`${status === 'done' ? '✓' : '·'} ${id.padEnd(26)} ${text}`);
      if (missed !== undefined) console.log(`  ${' '.repeat(26)} MISSED: ${missed}`);
      for (const where of shows) console.log(`  ${' '.repeat(26)} ${where}`);
    }
  }
  const all = requirementFiles().flatMap(({ entries }) => entries);
  if (options.includes('--update')) writeFileSync(join(root, SHOWN_FILE), shownModule(all));
  const wrong = problems(all, claimed);
  for (const problem of wrong) console.error(problem);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
