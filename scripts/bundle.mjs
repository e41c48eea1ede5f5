/**
 * Makes the built folder of a package what is published: a few large modules in the place of a thousand small ones, which
 * take a third of the disk and half of the time to import. `npm pack` and `npm publish` do it, and undo it afterwards.
 *
 *   node scripts/bundle.mjs flyball             # before
 *   node scripts/bundle.mjs flyball --restore   # after
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { dts } from 'rolldown-plugin-dts';
import { root } from './files.mjs';
import { allEntries, manifestOf, PUBLISHED, TAKEN_IN } from './packages.mjs';

/** Started by their path, so that nothing imports them. @type {Readonly<Record<string, readonly string[]>>} */
const STARTED = { flyball: ['adapters/sandbox-quickjs/worker.js', 'cli/typescript-hook.js'] };

/** Files that ship as they are. @type {Readonly<Record<string, readonly string[]>>} */
const DATA = { flyball: ['catalogue/catalogue.json'] };

/** @param {string} folder */
const built = (folder) => join(root, 'packages', folder, 'dist');
/** @param {string} folder */
const kept = (folder) => join(root, '.cache', `unbundled-${folder}`);

/** What is started by its path or named by the manifest. @param {string} folder @returns {readonly string[]} */
function fixedModules(folder) {
  const manifest = /** @type {{ bin?: Record<string, string>, flyball?: Record<string, string> }} */ (
    /** @type {unknown} */ (manifestOf(folder))
  );
  const named = [...Object.values(manifest.bin ?? {}), ...Object.values(manifest.flyball ?? {})];
  return [...named.map((path) => relative('dist', path.replace('./', ''))), ...(STARTED[folder] ?? [])];
}

const OWN_URL = 'import.meta.url';

/**
 * Modules that find files from where they stand. Each becomes a module of its own in `chunks`, and goes by where it stood
 * before. A module that is started by its path stays there and needs nothing.
 * @param {string} folder
 */
function placed(folder) {
  const from = kept(folder);
  const paths = new Map(
    /** @type {string[]} */ (readdirSync(from, { recursive: true }))
      .filter((path) => path.endsWith('.js') && readFileSync(join(from, path), 'utf8').includes(OWN_URL))
      .map((path) => [join(from, path), path]),
  );
  return {
    name: (/** @type {string} */ id) => paths.get(id)?.replace(/\.js$/, '').replaceAll('/', '-'),
    plugin: {
      name: 'placed',
      transform: (/** @type {string} */ code, /** @type {string} */ id) => {
        const path = paths.get(id);
        return path === undefined ? undefined : code.replaceAll(OWN_URL, `new URL('../${path}', ${OWN_URL}).href`);
      },
    },
  };
}

/** What is taken in from others is no code of ours to read: it takes half of the disk without its spaces and long names. */
const othersShort = {
  name: 'others-short',
  renderChunk: (/** @type {string} */ code, /** @type {{ fileName: string, moduleIds: readonly string[] }} */ chunk) =>
    chunk.moduleIds.every((id) => id.startsWith('\0') || id.includes('/node_modules/'))
      ? minifySync(chunk.fileName, code, { module: true }).code
      : null,
};

/** A dependency is installed beside the package. @param {string} id */
const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !TAKEN_IN.includes(id);

/**
 * One module for each room that whoever uses it uses most of. The others are cut along what is loaded together: importing
 * `flyball` must not load all of the tools, and a command not all commands.
 */
const CUT_FURTHER = /^(cli|runtime|views|tools|models|adapters\/(engine-memory|host-node|schema-json))$/;

/** @param {string} id */
function roomOf(id) {
  const room = /unbundled-flyball\/((?:adapters\/)?[\w-]+)\//.exec(id)?.[1]; // folders of other packages import each other
  return room === undefined || CUT_FURTHER.test(room) ? null : room.replace('/', '-');
}

/** @param {string} folder */
async function bundle(folder) {
  restore(folder); // of a pack that was broken off
  renameSync(built(folder), kept(folder));
  const entries = allEntries()
    .filter((each) => each.folder === folder)
    .map(({ types }) => relative(join('packages', folder, 'dist'), types).replace(/\.d\.ts$/, ''));
  const fixed = fixedModules(folder).map((path) => path.replace(/\.js$/, ''));
  const inputs = (/** @type {readonly string[]} */ names, /** @type {string} */ ending) =>
    Object.fromEntries(names.map((name) => [name, join(kept(folder), `${name}${ending}`)]));
  const { name, plugin } = placed(folder);
  const started = new Set(fixed.map((path) => join(kept(folder), `${path}.js`))); // running them is what they are for
  const code = await rolldown({
    input: inputs([...entries, ...fixed], '.js'),
    external: isPackage,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension', // an entry may also hold what others share
    plugins: [plugin, othersShort],
  });
  const { output } = await code.write({
    dir: built(folder),
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false, // or a room would take the core along, and whoever needs the core loads the room
      groups: [{ name: (id) => (started.has(id) ? null : (name(id) ?? roomOf(id))), debugName: 'rooms' }],
    },
  });
  for (const path of DATA[folder] ?? []) copyFileSync(join(kept(folder), path), join(built(folder), path));
  const runs = output.find(
    (file) => file.type === 'chunk' && file.imports.some((path) => fixed.includes(path.replace(/\.js$/, ''))),
  );
  if (runs !== undefined) throw new Error(`${runs.fileName} imports a module that runs when it is imported.`);
  const types = await rolldown({
    input: inputs(entries, '.d.ts'),
    external: isPackage,
    plugins: [dts({ dtsInput: true, tsconfig: false })],
  });
  await types.write({
    dir: built(folder),
    entryFileNames: '[name].js',
    chunkFileNames: 'types/[name]-[hash].d.ts',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] }, // who reads types reads all of them
  });
}

/** @param {string} folder */
function restore(folder) {
  if (!existsSync(kept(folder))) return;
  rmSync(built(folder), { recursive: true, force: true });
  renameSync(kept(folder), built(folder));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = '', option] = process.argv.slice(2);
  if (!PUBLISHED.includes(folder)) throw new Error(`There is no package "${folder}": ${PUBLISHED.join(', ')}.`);
  if (option === '--restore') restore(folder);
  else await bundle(folder);
}
