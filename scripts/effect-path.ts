/**
 * Which files of ours take part in one model call and in one tool call, from `run.ask` and `run.call` to the disk and
 * back: those with a function that V8 executes between the call and its answer.
 * Usage: node --import tsx scripts/effect-path.ts [--json]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteEngine } from '../packages/flyball/src/adapters/engine-sqlite/index.js';
import { budget } from '../packages/flyball/src/core/budget.js';
import type { Model } from '../packages/flyball/src/core/model.js';
import type { Run } from '../packages/flyball/src/core/run.js';
import type { Tool } from '../packages/flyball/src/core/tool.js';
import { createRuntime } from '../packages/flyball/src/create-runtime.js';

interface PathFile {
  readonly file: string;
  readonly functions: readonly string[];
}

const root = fileURLToPath(new URL('../', import.meta.url));

const model: Model = {
  id: 'local/model',
  capabilities: { window: 10_000, maxOutputTokens: 100, tools: true, structuredOutput: true, promptCache: false },
  price: { input: 1, output: 1 },
  countTokens: () => 100,
  generate: async () => ({ text: 'Yes.', toolCalls: [], finish: 'stop', usage: { input: 5, output: 5 } }),
};

const charge: Tool<{ readonly amount: number }, string> = {
  name: 'charge',
  description: 'Charges a card.',
  effect: { class: 'undoable', compensate: async () => undefined },
  execute: async ({ amount }) => `charged ${amount}`,
};

const EFFECTS = {
  ask: (run: Run, nth: number) => run.ask({ name: 'clerk', model, setup: 'You are brief.' }, `Is ${nth} a number?`),
  call: (run: Run, nth: number) => run.call(charge, { amount: nth }),
};

/** The path of the second effect of a run: what the first one made ready is not part of it. */
async function pathOf(effect: keyof typeof EFFECTS): Promise<readonly PathFile[]> {
  const folder = mkdtempSync(join(tmpdir(), 'effect-path-'));
  const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
  const inspector = new Session();
  inspector.connect();
  inspector.post('Profiler.enable');
  inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let path: readonly PathFile[] = [];
  const probe = async (run: Run) => {
    await EFFECTS[effect](run, 1);
    inspector.post('Profiler.takePreciseCoverage'); // answers at once, and counts begin anew
    await EFFECTS[effect](run, 2);
    inspector.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      path = executed(result);
    });
    return { stop: 'done' as const, value: true };
  };
  // a worker's looks at the store are not part of any effect
  const runtime = createRuntime({ engine, agents: { probe }, options: { worker: false } });
  try {
    const handle = await runtime.start('probe', 'go', { budget: budget({ costUsd: 1 }) });
    await handle.outcome();
    return path;
  } finally {
    inspector.post('Profiler.stopPreciseCoverage');
    inspector.disconnect();
    await runtime.close();
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

interface Covered {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

function executed(scripts: readonly Covered[]): readonly PathFile[] {
  return scripts
    .map(({ url, functions }) => ({
      file: fileIn(url),
      functions: functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName),
    }))
    .filter(({ file, functions }) => /^(packages\/[^/]+\/)?src\//.test(file) && functions.length > 0)
    .sort((one, other) => one.file.localeCompare(other.file));
}

/** Relative to the repository; sources may carry a query of whoever loaded them. */
function fileIn(url: string): string {
  const path = url.startsWith('file:') ? fileURLToPath(url.split('?')[0] ?? url) : url;
  return relative(root, path);
}

const paths = { ask: await pathOf('ask'), call: await pathOf('call') };
if (process.argv.includes('--json')) {
  const files = Object.entries(paths).map(([effect, path]) => [effect, path.map(({ file }) => file)]);
  console.log(JSON.stringify(Object.fromEntries(files)));
} else
  for (const [effect, path] of Object.entries(paths)) {
    const kernel = path.filter(({ file }) => /(^|\/)src\/(core|runtime)\//.test(file)).length;
    console.log(`run.${effect}: ${kernel} files of the kernel, ${path.length - kernel} of adapters`);
    for (const { file, functions } of path)
      console.log(`  ${file}: ${functions.filter((name) => name !== '').join(' ')}`);
  }
