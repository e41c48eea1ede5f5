/**
 * Makes a checkout ready to run: installs when node_modules is not what the lock file says, builds what is older than
 * its sources. Uses nothing but Node, because it is the first thing that runs in a fresh clone.
 *
 *   node scripts/ensure.mjs [--install-only | --rebuild]
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { filesUnder, root } from './files.mjs';
import { allEntries } from './packages.mjs';

/**
 * `with` names the tool that builds it, the compiler where nothing is said; `reads` which files in `from` count.
 * @typedef {{ readonly out: string, readonly config: string, readonly from: readonly string[], readonly what: string,
 *   readonly with?: 'vite', readonly reads?: RegExp }} Target
 */

const FLYBALL = 'packages/flyball/src';
const EVALS = 'packages/evals/src';
const SERVER = 'packages/server/src';
const PACKAGES = [FLYBALL, EVALS, SERVER];

/** A package is built against the types that the ones before it were built to. @type {readonly Target[]} */
export const packages = [
  { out: 'packages/flyball/dist', config: 'packages/flyball/tsconfig.build.json', from: [FLYBALL], what: 'flyball' },
  {
    out: 'packages/evals/dist',
    config: 'packages/evals/tsconfig.build.json',
    from: [FLYBALL, EVALS],
    what: '@flyball/evals',
  },
  {
    out: 'packages/server/dist',
    config: 'packages/server/tsconfig.build.json',
    from: PACKAGES,
    what: '@flyball/server',
  },
  {
    out: 'packages/postgres/dist',
    config: 'packages/postgres/tsconfig.build.json',
    from: [FLYBALL, 'packages/postgres/src'],
    what: '@flyball/postgres',
  },
  {
    out: 'packages/restate/dist',
    config: 'packages/restate/tsconfig.build.json',
    from: [FLYBALL, 'packages/restate/src'],
    what: '@flyball/restate',
  },
];

/** What is built with the packages. @type {Readonly<Record<'examples' | 'programs' | 'bench' | 'studio', Target>>} */
export const targets = {
  examples: {
    out: 'packages/flyball/dist-examples', // `flyball demo` runs from there
    config: 'tsconfig.examples.json',
    from: [...PACKAGES, 'examples'],
    what: 'examples',
  },
  programs: {
    out: 'dist-programs',
    config: 'tsconfig.programs.json',
    from: [...PACKAGES, 'test/programs'],
    what: 'test programs',
  },
  bench: { out: 'dist-bench', config: 'tsconfig.bench.json', from: [...PACKAGES, 'bench'], what: 'benchmarks' },
  studio: {
    out: 'packages/server/dist-studio',
    config: 'packages/studio/vite.config.ts',
    from: [`${FLYBALL}/core`, `${FLYBALL}/views`, 'packages/studio'],
    what: 'studio',
    with: 'vite',
    reads: /(?<!\.test)\.(ts|tsx|css|html|svg|json)$/,
  },
};

export async function ensureInstalled() {
  if (isInstalled()) return;
  const npm = process.env['npm_execpath'];
  const locked = existsSync(join(root, 'package-lock.json'));
  // dev dependencies are asked for by name: NODE_ENV=production would leave the compiler out
  const options = [locked ? 'ci' : 'install', '--include=dev', '--no-audit', '--no-fund'];
  await (npm === undefined
    ? runTool('Installing dependencies', 'npm', options)
    : runTool('Installing dependencies', process.execPath, [npm, ...options]));
}

/** @param {{ readonly always?: boolean }} [how] */
export async function ensurePackages(how = {}) {
  for (const target of packages) await ensureBuilt(target, how);
}

/** @param {Target} target @param {{ readonly always?: boolean }} [how] */
export async function ensureBuilt(target, how = {}) {
  const sources = target.from.map((folder) => filesUnder(folder, target.reads ?? /(?<!\.test)\.m?ts$/));
  if (sources.at(-1)?.length === 0) return;
  const name = target.out.replaceAll('/', '-');
  const stampFile = join(root, '.cache', `${name}.stamp`);
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', target.config];
  const stamp = hashOf([...settings, join(dirname(target.config), 'package.json'), ...sources.flat()]);
  const fresh =
    existsSync(join(root, target.out)) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  if (fresh && how.always !== true) return;
  // built aside and swapped in, so that a process that runs the old output meets a missing folder only for an instant
  const aside = join(root, '.cache', `${name}-${process.pid}`);
  await runTool(`Building ${target.what}`, process.execPath, builderOf(target, aside)).catch((error) => {
    rmSync(aside, { recursive: true, force: true });
    throw error;
  });
  rmSync(join(root, target.out), { recursive: true, force: true });
  renameSync(aside, join(root, target.out));
  writeEntries(target.out);
  await writeCatalogue(join(root, target.out, 'catalogue'));
  const program = join(root, target.out, 'cli/main.js');
  if (existsSync(program)) chmodSync(program, 0o755); // a project that links this folder runs it by name
  writeFileSync(stampFile, stamp);
}

/**
 * An entry is `dist/tools.js`, and its source `src/tools/index.ts`: a folder for each of forty entries would take twice
 * the disk in the published package.
 * @param {string} out
 */
function writeEntries(out) {
  for (const { source, types } of allEntries()) {
    const isFolder = source.endsWith('/index.ts') && !types.endsWith('/index.d.ts');
    if (!isFolder || !types.startsWith(`${out}/`)) continue;
    const passesOn = `export * from './${basename(types, '.d.ts')}/index.js';\n`;
    writeFileSync(join(root, types), passesOn);
    writeFileSync(join(root, types.replace(/\.d\.ts$/, '.js')), passesOn);
  }
}

/** The package has the catalogue of patterns as JSON too, for whoever reads it without our code. @param {string} folder */
export async function writeCatalogue(folder) {
  const module = join(folder, 'index.js');
  if (!existsSync(module)) return;
  const { catalogueJson } = await import(`${pathToFileURL(module).href}?${Date.now()}`); // not what an older build made
  writeFileSync(join(folder, 'catalogue.json'), JSON.stringify(catalogueJson()));
}

/** @param {Target} target @param {string} into @returns {readonly string[]} */
function builderOf(target, into) {
  if (target.with === 'vite') {
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    return [vite, 'build', '-c', target.config, '--outDir', into, '--logLevel', 'warn'];
  }
  return [join(root, 'node_modules/typescript/bin/tsc'), '-p', target.config, '--outDir', into];
}

/** npm keeps its own record of what it installed; equal versions there and in the lock file mean nothing is missing. */
function isInstalled() {
  const record = join(root, 'node_modules/.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (!existsSync(record)) return false;
  if (!existsSync(lock)) return true;
  const wanted = packagesIn(lock);
  const installed = packagesIn(record);
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    const found = installed[path];
    if (path === '' || (found === undefined && optional === true)) return true; // built for another platform
    return found !== undefined && found.version === version;
  });
}

/** @param {string} file @returns {Record<string, { readonly version?: string, readonly optional?: boolean }>} */
function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

/** @param {readonly string[]} files */
function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`${file}\n`).update(readFileSync(path)).update('\n');
  }
  return hash.digest('hex');
}

/**
 * Runs a tool quietly: one line when it takes longer than a second, its whole output when it fails.
 * @param {string} what @param {string} command @param {readonly string[]} parameters
 * @returns {Promise<void>}
 */
function runTool(what, command, parameters) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  return new Promise((resolve, reject) => {
    const notice = setTimeout(() => console.error(`${what} …`), 1000);
    const child = spawn(command, parameters, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    /** @type {Buffer[]} */
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => {
      clearTimeout(notice);
      reject(new Error(`${what} failed: ${error.message}`));
    });
    child.on('close', (code) => {
      clearTimeout(notice);
      if (code === 0) resolve();
      else reject(new Error(`${what} failed (exit code ${code}):\n${Buffer.concat(output).toString()}`));
    });
  });
}

/** @param {readonly string[]} options */
async function main(options) {
  await ensureInstalled();
  if (options.includes('--install-only')) return;
  const always = options.includes('--rebuild');
  await ensurePackages({ always });
  await Promise.all(
    [targets.examples, targets.programs, targets.studio].map((target) => ensureBuilt(target, { always })),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
