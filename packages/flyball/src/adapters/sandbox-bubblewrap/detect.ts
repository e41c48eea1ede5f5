import { existsSync } from 'node:fs';
import { SANDBOX_LIMITS } from '../../ports/sandbox.js';
import { PROGRAM_PATH } from '../sandbox-process/environment.js';
import { supervise } from '../sandbox-process/supervise.js';
import type { BubblewrapMode } from './arguments.js';
import { bubblewrapStage } from './stage.js';

/** Whether bubblewrap works on this machine. */
export type BubblewrapDetection =
  | { readonly available: true; readonly path: string; readonly mode: BubblewrapMode }
  | { readonly available: false; readonly why: string };

/** From the strictest to what an older version, or root on a machine without user namespaces, can do. */
const MODES: readonly BubblewrapMode[] = [
  { userNamespace: true, noNestedNamespaces: true },
  { userNamespace: true, noNestedNamespaces: false },
  { userNamespace: false, noNestedNamespaces: false },
];

/** Tries it out, because whether it is installed says little: many machines and containers forbid namespaces. */
export async function detectBubblewrap(options: { readonly path?: string } = {}): Promise<BubblewrapDetection> {
  const path =
    options.path ??
    PROGRAM_PATH.split(':')
      .map((folder) => `${folder}/bwrap`)
      .find((file) => existsSync(file));
  if (process.platform !== 'linux')
    return { available: false, why: `bubblewrap needs Linux, this is ${process.platform}` };
  if (path === undefined || !existsSync(path))
    return {
      available: false,
      why: 'bubblewrap is not installed; install it with your package manager (apt install bubblewrap)',
    };
  const problems: string[] = [];
  for (const mode of MODES) {
    const problem = await problemOf(path, mode);
    if (problem === undefined) return { available: true, path, mode };
    problems.push(problem);
  }
  return {
    available: false,
    why: `bubblewrap is installed, but cannot make a sandbox here: ${[...new Set(problems)].join('; ')}`,
  };
}

async function problemOf(path: string, mode: BubblewrapMode): Promise<string | undefined> {
  const limits = { ...SANDBOX_LIMITS, wallMs: 10_000 };
  const job = { stages: [], cwd: '/tmp', mounts: [] };
  const stage = bubblewrapStage(['true'], { path, mode, job, limits, wrap: [], join: [] });
  const { stages, stderr } = await supervise([stage], {
    stdin: undefined,
    limits,
    signal: new AbortController().signal,
  });
  if (stages[0]?.code === 0) return undefined;
  return stages[0]?.failure?.message ?? (stderr.head.trim() || 'it gives no reason');
}
