import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, FlyballError, failureOf } from '../core/errors.js';
import { projectUrl } from './installed.js';

/** The module that a package names for this in its manifest. Undefined where it is not installed, or names none. */
export async function moduleIn<T>(name: string, what: keyof T & string): Promise<T | undefined> {
  for (const from of [projectUrl(), import.meta.url]) {
    const manifest = manifestOf(name, from);
    if (manifest === undefined) continue;
    const path = ((manifest.content['flyball'] ?? {}) as Readonly<Record<string, unknown>>)[what];
    if (path === undefined) return undefined;
    const loaded = await loadedFrom<T>(name, what, join(dirname(manifest.path), String(path)));
    if (loaded[what] === undefined)
      throw new ConfigError(`The package ${name} names ${path} for its ${what}, which exports no "${what}".`);
    return loaded as T;
  }
  return undefined;
}

async function loadedFrom<T>(name: string, what: string, path: string): Promise<Partial<T>> {
  try {
    return (await import(pathToFileURL(path).href)) as Partial<T>;
  } catch (cause) {
    const why = failureOf(cause).message;
    throw new FlyballError(
      'CONFIG_INVALID',
      `The ${what} of the package ${name} cannot be loaded from ${path}: ${why}`,
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
export function dependenciesHere(): readonly string[] {
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
