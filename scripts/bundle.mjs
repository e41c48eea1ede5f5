/**
 * Makes the built folder of a package what is published: a few large modules in the place of a thousand small ones, which
 * take a third of the disk and half of the time to import. `npm pack` and `npm publish` do it, and undo it afterwards.
 *
 *   node scripts/bundle.mjs flyball             # before
 *   node scripts/bundle.mjs flyball --restore   # after
 */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { dts } from 'rolldown-plugin-dts';
import { catalogueOnce, checkStandIns } from './catalogue-once.mjs';
import { root } from './files.mjs';
import { allEntries, manifestOf, PUBLISHED, TAKEN_IN } from './packages.mjs';
import { smallTogether } from './small-chunks.mjs';

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

/** @typedef {import('rolldown').OutputChunk} OutputChunk */

/** @param {import('rolldown').RolldownOutput} bundled @returns {readonly OutputChunk[]} */
const chunksOf = ({ output }) => output.filter((file) => file.type === 'chunk');

/**
 * The bundler gives a source that is imported on demand a file of its own, which passes on the names of the chunk that
 * holds it, under the same names: the chunk itself does as well. Answers each such file with its chunk.
 * @param {readonly OutputChunk[]} chunks @returns {ReadonlyMap<string, string>}
 */
function passedOn(chunks) {
  const files = chunks.filter(
    ({ isEntry, moduleIds, code }) => !isEntry && moduleIds.length === 0 && !/ as /.test(code),
  );
  return new Map(files.map(({ fileName, imports: [chunk = ''] }) => [fileName, chunk]));
}

/** How the bundler says which source the lines below came from, and how a reader of a stack trace wants to know it. */
const CAME_FROM = /^\/\/ (?:\.\.\/)*\.cache\/unbundled-[\w-]+\/(.*)$/gm;
const ON_DEMAND = /(?<=\bimport\(")[^"]+(?="\))/g;

/** What stands on a line of its own. */
const STATEMENTS = /** @type {const} */ (['body', 'consequent', 'cases']);
/** What begins a line where the one before is full. */
const PARTS = /** @type {const} */ (['properties', 'elements', 'arguments']);
/** Node prints the whole line that an uncaught error comes from, before the error itself. */
const WIDTH = 120;

/**
 * Without spaces that mean nothing, which are a tenth of it. Names stay as they are, and each statement, each case and each
 * member of a class begins a line, so that stack traces say as much as those of the sources. Long ones go on in the next
 * line, in front of a property, an element or an argument.
 * @param {string} file @param {string} code
 */
export function withoutSpaces(file, code) {
  const bare = (/** @type {string} */ text) =>
    minifySync(file, text, { module: true, compress: false, mangle: false, codegen: { legalComments: 'inline' } }).code;
  const dense = bare(code);
  const { starts, parts } = startsIn(file, dense);
  const places = [...starts, ...parts].sort((a, b) => a - b);
  const cuts = [0];
  for (const [nth, place] of places.entries()) {
    const isFull = (places[nth + 1] ?? dense.length) - (cuts.at(-1) ?? 0) > WIDTH;
    if (starts.has(place) || isFull) cuts.push(place);
  }
  const lines = cuts.map((start, nth) => dense.slice(start, cuts[nth + 1]).trimEnd());
  const flat = lines.join('\n').trimStart();
  if (bare(flat) !== dense) throw new Error(`${file} means something else without its spaces.`);
  return flat;
}

/** Where statements and their parts begin. @param {string} file @param {string} code */
function startsIn(file, code) {
  const [starts, parts] = [/** @type {Set<number>} */ (new Set()), /** @type {Set<number>} */ (new Set())];
  const noting =
    (/** @type {Set<number>} */ set, /** @type {readonly string[]} */ names) => (/** @type {object} */ node) => {
      const lists = /** @type {Readonly<Record<string, unknown>>} */ (node);
      for (const list of names.map((name) => lists[name]))
        if (Array.isArray(list)) for (const each of list) if (each !== null) set.add(each.start); // an array can have holes
    };
  const [begins, goesOn] = [noting(starts, STATEMENTS), noting(parts, PARTS)];
  new Visitor({
    Program: begins,
    BlockStatement: begins,
    StaticBlock: begins,
    ClassBody: begins,
    SwitchStatement: begins,
    SwitchCase: begins,
    ObjectExpression: goesOn,
    ArrayExpression: goesOn,
    CallExpression: goesOn,
    NewExpression: goesOn,
  }).visit(parseSync(file, code).program);
  return { starts, parts };
}

/**
 * Writes what takes less of the disk. What is taken in from others is no code of ours to read: it takes half without its
 * spaces and long names.
 * @param {string} folder @param {readonly OutputChunk[]} chunks
 */
function shorten(folder, chunks) {
  const passes = passedOn(chunks);
  for (const { fileName, moduleIds, code } of chunks) {
    const file = join(built(folder), fileName);
    if (passes.has(fileName)) {
      rmSync(file);
      continue;
    }
    const isOthers =
      moduleIds.length > 0 && moduleIds.every((id) => id.startsWith('\0') || id.includes('/node_modules/'));
    const direct = code.replace(ON_DEMAND, (path) => {
      const chunk = passes.get(join(dirname(fileName), path));
      return chunk === undefined ? path : relative(dirname(fileName), chunk).replace(/^(?!\.)/, './');
    });
    const short = isOthers
      ? minifySync(fileName, direct, { module: true }).code
      : withoutSpaces(fileName, direct.replace(CAME_FROM, '//! $1')); // a comment with this mark is kept
    writeFileSync(file, short);
  }
}

/** A dependency is installed beside the package. @param {string} id */
const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !TAKEN_IN.includes(id);

/**
 * One module for each room that whoever uses it uses most of. The others are cut along what is loaded together: importing
 * `flyball` must not load all of the tools, and a command not all commands.
 */
const CUT_FURTHER = /^(cli|runtime|views|tools|models|adapters\/(engine-memory|host-node|schema-json))$/;

/** @param {string} id */
function roomOf(id) {
  const room = /unbundled-flyball\/(adapters\/[\w-]+|(?!adapters\/)[\w-]+)\//.exec(id)?.[1]; // folders of other packages import each other
  return room === undefined || CUT_FURTHER.test(room) ? null : room.replace('/', '-');
}

/**
 * The group that each source belongs to whose chunk is put together with others.
 * @param {readonly OutputChunk[]} chunks @returns {ReadonlyMap<string, string>}
 */
function togetherIn(chunks) {
  const passes = passedOn(chunks);
  const onDemand = new Set(passes.values());
  const real = chunks.filter(({ fileName }) => !passes.has(fileName));
  const groups = smallTogether(
    real.map(({ fileName, code, imports, isEntry, isDynamicEntry }) => ({
      file: fileName,
      bytes: code.length,
      imports,
      isEntry,
      isLoadedAlone: isEntry || isDynamicEntry || onDemand.has(fileName),
    })),
  );
  return new Map(
    groups.flatMap((files) => {
      const members = real.filter(({ fileName }) => files.includes(fileName));
      const [largest] = members.sort((a, b) => b.code.length - a.code.length);
      const name = `${largest?.name}-and-${members.length - 1}-more`;
      return members.flatMap(({ moduleIds }) => moduleIds.map((id) => /** @type {const} */ ([id, name])));
    }),
  );
}

/** @param {string} folder */
async function bundle(folder) {
  restore(folder); // of a pack that was broken off
  renameSync(built(folder), kept(folder));
  if (DATA[folder]?.includes('catalogue/catalogue.json')) await checkStandIns(kept(folder));
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
    external: (id) => isPackage(id) || id.endsWith('.json'),
    platform: 'node',
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') } }, // of this one only what is used is taken
    preserveEntrySignatures: 'allow-extension', // an entry may also hold what others share
    plugins: [plugin, catalogueOnce(kept(folder))],
  });
  const cut = (/** @type {ReadonlyMap<string, string>} */ together) => ({
    dir: built(folder),
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: false,
    minifyInternalExports: false, // so that a chunk stands for the module that it holds
    codeSplitting: {
      includeDependenciesRecursively: false, // or a room would take the core along, and whoever needs the core loads the room
      groups: [
        {
          name: (/** @type {string} */ id) => (started.has(id) ? null : (together.get(id) ?? name(id) ?? roomOf(id))),
          debugName: 'rooms',
        },
      ],
    },
  });
  const apart = chunksOf(await code.generate(cut(new Map())));
  const chunks = chunksOf(await code.write(cut(togetherIn(apart))));
  shorten(folder, chunks);
  for (const path of DATA[folder] ?? []) cpSync(join(kept(folder), path), join(built(folder), path));
  const runs = chunks.find(({ imports }) => imports.some((path) => fixed.includes(path.replace(/\.js$/, ''))));
  if (runs !== undefined) throw new Error(`${runs.fileName} imports a module that runs when it is imported.`);
  await bundleTypes(folder, inputs(entries, '.d.ts'));
}

/** @param {string} folder @param {Readonly<Record<string, string>>} input */
async function bundleTypes(folder, input) {
  const types = await rolldown({
    input,
    external: isPackage,
    plugins: [dts({ dtsInput: true, tsconfig: false })],
  });
  const { output } = await types.write({
    dir: built(folder),
    entryFileNames: '[name].js',
    chunkFileNames: 'types/[name]-[hash].d.ts',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] }, // who reads types reads all of them
  });
  for (const file of output)
    if (file.type === 'chunk') writeFileSync(join(built(folder), file.fileName), file.code.replace(CAME_FROM, '// $1'));
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
