import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeLimits } from '../../ports/code-sandbox.js';
import { SANDBOX_LIMITS } from '../../ports/sandbox.js';
import { withDescriptors } from '../sandbox-process/inherited-descriptors.js';
import { findPrlimit, prlimitWords } from '../sandbox-process/resource-limits.js';

/** What Node itself needs beside the guest's memory, from the sources with their compiler more than from the build. */
const NODE_MB = 256;
const HEAP_MB = 96;
/** CPU time that starting may take, on top of the code's own. */
const START_CPU_S = 30;

/** Whatever zone the machine is in: code that reads local times gives the same everywhere. */
const ENVIRONMENT = { TZ: 'UTC' };

/** Starts the worker: nothing of our environment, a heap and resource limits of its own, and a group that dies as one. */
export function startWorker(limits: CodeLimits): ChildProcess {
  const worker = workerFile();
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB + limits.memoryMb}`, ...loaderFlags(worker), worker];
  const prlimit = findPrlimit();
  const kernel = { ...SANDBOX_LIMITS, memoryMb: limits.memoryMb + NODE_MB, cpuS: limits.wallMs / 1000 + START_CPU_S };
  const [file = '', ...words] =
    prlimit === undefined ? node : [...prlimitWords(prlimit, kernel, { memory: true }), ...node];
  return withDescriptors(['pipe', 'pipe', 'pipe'], (stdio) =>
    spawn(file, words, { cwd: dirname(worker), env: ENVIRONMENT, detached: true, stdio }),
  );
}

/** Beside this file, and like it TypeScript in the sources and JavaScript in the build. */
function workerFile(): string {
  const here = fileURLToPath(import.meta.url);
  return here.replace(/quickjs-process\.(ts|js)$/, 'worker.$1');
}

/** A build needs none. For the sources Node 22.18 and later strip types by themselves; before that tsx does. */
function loaderFlags(worker: string): string[] {
  const quiet = '--no-warnings';
  const strips = (process.features as { readonly typescript?: unknown }).typescript;
  return worker.endsWith('.js') || typeof strips === 'string' ? [quiet] : [quiet, '--import', 'tsx'];
}
