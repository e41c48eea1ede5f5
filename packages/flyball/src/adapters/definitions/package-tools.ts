import { join, resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import type { ToolEntry } from '../../tools/registry.js';
import { exportedTools } from './exported-tools.js';
import { type InstalledPackage, installedPackage, readManifest, toolModuleOf } from './installed-package.js';
import { loadModule } from './load-module.js';

/** Where packages are looked up from. */
export interface PackagesOptions {
  /** The root of the project whose packages are meant. */
  readonly from: string;
}

/** The tools of packages that were asked for by name: a package runs code here only because somebody said so. */
export async function toolsFromPackages(
  names: readonly string[],
  { from }: PackagesOptions,
): Promise<readonly ToolEntry[]> {
  const entries: ToolEntry[] = [];
  for (const name of names) {
    const file = (await toolModuleOf(await required(name, from))) ?? undeclared(name);
    for (const tool of exportedTools(await loadModule(file), file)) {
      entries.push({ tool, tags: tool.tags ?? [], origin: { kind: 'package', package: name, file } });
    }
  }
  return entries;
}

/** Names of the packages a project depends on that declare tools, sorted. Reads their package.json and loads nothing. */
export async function discoverPackages(root: string): Promise<readonly string[]> {
  const file = join(resolve(root), 'package.json');
  const manifest = await readManifest(file);
  if (manifest === undefined) throw new ConfigError(`There is no ${file}, so there are no packages to look at.`);
  const { dependencies = {}, optionalDependencies = {} } = manifest;
  const found: string[] = [];
  for (const name of [...new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)])].sort()) {
    const installed = Object.hasOwn(optionalDependencies, name)
      ? await installedPackage(name, root)
      : await required(name, root);
    if (installed !== undefined && (await toolModuleOf(installed)) !== undefined) found.push(name);
  }
  return found;
}

async function required(name: string, project: string): Promise<InstalledPackage> {
  const found = await installedPackage(name, project);
  if (found !== undefined) return found;
  throw new ConfigError(`The package ${name} is not installed for ${resolve(project)}. Run: npm install ${name}`);
}

function undeclared(name: string): never {
  throw new ConfigError(
    `The package ${name} declares no tools. Its package.json would say: "flyball": { "tools": "./dist/tools.js" }.`,
  );
}
