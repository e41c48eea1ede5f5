import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { placed } from './load-module.js';

/** A package as it is installed for a project. */
export interface InstalledPackage {
  readonly name: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly flyball?: unknown;
}

const PACKAGE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-zA-Z0-9~-][a-zA-Z0-9._~-]*$/;

/**
 * Looked for as Node looks for it, in `node_modules` of the project and of every folder above. Not through
 * `require.resolve`: most packages do not export their package.json.
 */
export async function installedPackage(name: string, project: string): Promise<InstalledPackage | undefined> {
  if (!PACKAGE_NAME.test(name)) throw new ConfigError(`"${name}" is not a valid package name.`);
  for (let folder = resolve(project); ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    const manifest = await readManifest(join(place, 'package.json'));
    if (manifest !== undefined) return { name, folder: await realpath(place), manifest };
    if (folder === dirname(folder)) return undefined;
  }
}

/** Undefined where there is no such file. */
export async function readManifest(file: string): Promise<Manifest | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw placed(file, error);
  }
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw placed(file, error);
  }
}

/** The module that a package declares as `"flyball": { "tools": "./dist/tools.js" }`, or undefined where it declares none. */
export async function toolModuleOf({ name, folder, manifest }: InstalledPackage): Promise<string | undefined> {
  const { flyball } = manifest;
  if (flyball === undefined) return undefined;
  const { tools } = (flyball ?? {}) as { readonly tools?: unknown };
  if (tools === undefined) return undefined;
  if (typeof tools !== 'string' || tools === '') {
    throw new ConfigError(
      `${join(folder, 'package.json')}: "flyball.tools" must be the path of a module in the package.`,
    );
  }
  const file = await realpath(join(folder, tools)).catch((error: unknown) => {
    throw placed(`The package ${name} declares its tools in ${tools}, which cannot be read`, error);
  });
  // a link or `..` could otherwise load a file that nobody installed
  if (relative(folder, file).split(sep)[0] === '..') {
    throw new ConfigError(`The package ${name} declares its tools in ${tools}, which is outside of the package.`);
  }
  return file;
}
