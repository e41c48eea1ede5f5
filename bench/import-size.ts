// shows: R2-SHOW-IMPORT, R2-SHOW-INSTALL-SIZE
/** Time that `import 'flyball'` adds to an empty module, and what the installed package weighs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskBytes, SIZE_LIMIT } from './measure/disk-bytes.js';
import { figure, median, megabytes, quantile } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { atMost, heading, judge, type Target, table } from './measure/report.js';

const ROUNDS = Number(process.argv[2] ?? 31);
const IMPORT_LIMIT_MS = 40;
const PACKAGES = ['flyball', 'evals', 'server'];

const MODULES = {
  'an empty module': '',
  "import 'flyball'": "import 'flyball';",
  "import 'flyball/adapters/engine-sqlite'": "import 'flyball/adapters/engine-sqlite';",
  "import 'flyball/testing'": "import 'flyball/testing';",
} as const;
type ModuleName = keyof typeof MODULES;

function npm(cwd: string, ...parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', [...parameters, '--loglevel=error'], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${parameters[0]} failed: ${stderr}`);
  return stdout;
}

/** Each package as it would be published. */
function packed(folder: string): Readonly<Record<string, string>> {
  for (const name of PACKAGES) npm(join(process.cwd(), 'packages', name), 'pack', '--pack-destination', folder);
  const files = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const of = (name: string) =>
    files.find((file) => file.startsWith(name === 'flyball' ? 'flyball-0' : `flyball-${name}`));
  return Object.fromEntries(PACKAGES.map((name) => [name, join(folder, of(name) ?? name)]));
}

/** Where nothing else is, as a user would; without the SQLite driver that only Node 20 needs. Answers the folder. */
function installed(project: string, tarballs: readonly string[], ...options: string[]): string {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  npm(project, 'install', '--no-audit', '--no-fund', ...options, ...tarballs);
  return project;
}

/** A fresh process each time, the modules in turn. */
function timeImports(project: string): Record<ModuleName, number[]> {
  const names = Object.keys(MODULES) as ModuleName[];
  const files = names.map((name, index) => {
    const file = join(project, `module-${index}.mjs`);
    writeFileSync(file, MODULES[name]);
    return { name, file };
  });
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<ModuleName, number[]>;
  for (let round = -1; round < ROUNDS; round++) {
    for (const { name, file } of files) {
      const began = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
      if (round >= 0) times[name].push(performance.now() - began); // the first round warms the disk cache
    }
  }
  return times;
}

heading('Import time and installed size', [
  `Whole processes, ${ROUNDS} of each in turn; the package as packed, installed into an empty folder with what it requires.`,
]);
const targets: Target[] = await inFolder(async (folder) => {
  const tarballs = packed(folder);
  const all = (names: readonly string[]) => names.map((name) => tarballs[name] ?? name);
  const project = installed(join(folder, 'project'), all(['flyball']), '--omit=optional');
  const withDriver = installed(join(folder, 'with-driver'), all(['flyball']));
  const withServer = installed(join(folder, 'with-server'), all(PACKAGES), '--omit=optional');
  const times = timeImports(project);
  const empty = times['an empty module'];
  const added = (name: ModuleName, of: (values: readonly number[]) => number): number => of(times[name]) - of(empty);
  table(
    ['', 'ms, median', 'added', 'added, fastest quarter'],
    (Object.keys(MODULES) as ModuleName[]).map((name) => [
      name,
      figure(median(times[name])),
      `${figure(added(name, median))} ms`,
      `${figure(added(name, (values) => quantile(values, 0.25)))} ms`,
    ]),
  );
  const modules = join(project, 'node_modules');
  const packages = readdirSync(modules).filter((name) => !name.startsWith('.'));
  const weights = packages.map((name) => ({ name, bytes: diskBytes(join(modules, name)) }));
  const total = diskBytes(modules);
  const inServer = (name: string) => diskBytes(join(withServer, 'node_modules', name));
  table(
    ['installed', 'on disk'],
    [
      ...weights.map(({ name, bytes }) => [name, megabytes(bytes)]),
      ['npm i flyball', megabytes(total)],
      ['the SQLite driver that Node 20 needs', megabytes(diskBytes(join(withDriver, 'node_modules')) - total)],
      ['@flyball/evals', megabytes(inServer('@flyball/evals'))],
      ['@flyball/server', megabytes(inServer('@flyball/server'))],
      ['npm i flyball @flyball/server', megabytes(diskBytes(join(withServer, 'node_modules')))],
    ],
  );
  const addedMs = added("import 'flyball'", median);
  return [
    {
      says: `import 'flyball' adds ${figure(addedMs)} ms, at most ${IMPORT_LIMIT_MS} ms`,
      met: atMost(addedMs, IMPORT_LIMIT_MS, 0.25),
    },
    {
      says: `npm i flyball, without the driver that only Node 20 needs, takes ${megabytes(total)}, at most 5 MB`,
      met: atMost(total, SIZE_LIMIT),
    },
  ];
});
console.log('  For comparison, measured elsewhere and not in this run (install MB, import ms):');
table(
  ['', 'MB', 'ms'],
  [
    ['ai 7', '26', '122–168'],
    ['@openai/agents 0.20', '84', '539–620'],
    ['langgraph 1.4.18', '85', '419–471'],
    ['pi-agent-core 0.87', '115', '421–510'],
    ['mastra 1.71', '131', '586–805'],
    ['voltagent 2.10', '323', '598–717'],
  ],
);
judge(targets);
