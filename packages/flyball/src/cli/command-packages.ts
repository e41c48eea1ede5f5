import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CommandPackage } from '../command.js';
import { ConfigError, FlyballError, failureOf } from '../core/errors.js';
import { projectUrl } from './installed.js';

/** Commands of our own that come in packages of their own, so that whoever lacks one is told what to install. */
export const PACKAGE_OF: Readonly<Record<string, string>> = {
  evals: '@flyball/evals',
  serve: '@flyball/server',
  keys: '@flyball/server',
  mcp: '@flyball/server',
};

/** Every installed package that brings commands, by name. */
export async function commandPackages(): Promise<ReadonlyMap<string, CommandPackage>> {
  const { found, problems } = await searchPackages();
  if (problems.length > 0) throw problems[0];
  return found;
}

/** Those that can be loaded, and what is wrong with the others: one of them must not keep anybody from the help. */
export async function searchPackages(): Promise<Search> {
  const found = new Map<string, CommandPackage>();
  const problems: unknown[] = [];
  const names = new Set(Object.values(PACKAGE_OF));
  try {
    for (const name of dependenciesHere()) names.add(name);
  } catch (error) {
    problems.push(error);
  }
  for (const name of names) {
    try {
      const loaded = await commandPackage(name);
      if (loaded !== undefined) found.set(name, loaded);
    } catch (error) {
      problems.push(error);
    }
  }
  return { found, problems };
}

export interface Search {
  readonly found: ReadonlyMap<string, CommandPackage>;
  readonly problems: readonly unknown[];
}

/** Undefined where it is not installed, or brings no commands. */
export async function commandPackage(name: string): Promise<CommandPackage | undefined> {
  for (const from of [projectUrl(), import.meta.url]) {
    const manifest = manifestOf(name, from);
    if (manifest === undefined) continue;
    const { commands } = (manifest.content['flyball'] ?? {}) as { readonly commands?: unknown };
    if (commands === undefined) return undefined;
    const loaded = await loadedFrom(name, join(dirname(manifest.path), String(commands)));
    if (loaded.commands === undefined)
      throw new ConfigError(`The package ${name} names ${commands} for its commands, which exports no "commands".`);
    return loaded as CommandPackage;
  }
  return undefined;
}

async function loadedFrom(name: string, path: string): Promise<Partial<CommandPackage>> {
  try {
    return (await import(pathToFileURL(path).href)) as Partial<CommandPackage>;
  } catch (cause) {
    const why = failureOf(cause).message;
    throw new FlyballError(
      'CONFIG_INVALID',
      `The commands of the package ${name} cannot be loaded from ${path}: ${why}`,
      {
        cause,
      },
    );
  }
}

interface Manifest {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** The manifest of a package, also of one that does not export it. */
function manifestOf(name: string, from: string): Manifest | undefined {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    const path = join(folder, name, 'package.json');
    const content = jsonIn(path);
    if (content !== undefined) return { path, content };
  }
  return undefined;
}

/** What the project in the current folder depends on. */
function dependenciesHere(): readonly string[] {
  const project = jsonIn(join(process.cwd(), 'package.json')) ?? {};
  return ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((key) => Object.keys(project[key] ?? {}));
}

function jsonIn(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR')
      return undefined;
    throw new ConfigError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
