import type { CommandPackage } from '../command.js';
import { dependenciesHere, moduleIn } from './package-modules.js';

/** Commands of our own that come in packages of their own, so that whoever lacks one is told what to install. */
export const PACKAGE_OF: Readonly<Record<string, string>> = {
  evals: '@flyball/evals',
  lab: '@flyball/evals',
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
export function commandPackage(name: string): Promise<CommandPackage | undefined> {
  return moduleIn<CommandPackage>(name, 'commands');
}
