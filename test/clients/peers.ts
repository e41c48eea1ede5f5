import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Programs of others that talk to ours. `.ci/run` installs them; without them their tests are skipped, and say so. */
const PYTHON = resolve('.cache/peers/python/bin');
export const NODE_PEERS = resolve('.cache/peers/node');
export const COMPOSE_READER = resolve('.cache/peers/compose/cmd');

export function hasPython(...modules: readonly string[]): boolean {
  const lib = join(PYTHON, '../lib');
  const versions = existsSync(lib) ? readdirSync(lib) : [];
  return has(modules, (name) => versions.some((version) => existsSync(join(lib, version, 'site-packages', name))));
}

export function hasPackages(...names: readonly string[]): boolean {
  return has(names, (name) => existsSync(join(NODE_PEERS, 'node_modules', name)));
}

export function hasComposeReader(): boolean {
  return has(['compose'], () => existsSync(COMPOSE_READER));
}

function has(names: readonly string[], isThere: (name: string) => boolean): boolean {
  const missing = names.filter((name) => !isThere(name));
  if (missing.length === 0) return true;
  process.stderr.write(`Skipped ${missing.join(', ')}: not in .cache/peers. Install it with: bash .ci/run peers\n`);
  return false;
}

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

export function runPython(
  program: string,
  args: readonly string[],
  { env = {}, cwd }: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Finished> {
  return run(join(PYTHON, program), args, { env: { PYTHONDONTWRITEBYTECODE: '1', ...env }, ...(cwd ? { cwd } : {}) });
}

/** Runs a program to its end; what it printed, on both streams, is the output. */
export function run(
  command: string,
  args: readonly string[],
  { env = {}, cwd }: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Finished> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, ...(cwd === undefined ? {} : { cwd }) });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    child.once('error', failed);
    child.once('close', (code) => done({ code, output }));
  });
}
