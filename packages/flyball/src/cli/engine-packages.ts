import { ConfigError, FlyballError } from '../core/errors.js';
import { schemeOf, withoutPassword } from './database-address.js';
import type { EnginePackage, OpenEngine } from './database-engine.js';
import { dependenciesHere, moduleIn } from './package-modules.js';

/** Kinds of databases of our own that come in packages of their own, so that whoever lacks one is told what to install. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  postgres: '@flyball/postgres',
  postgresql: '@flyball/postgres',
};

/** What opens the database at this address. */
export function openerFor(address: string): Promise<OpenEngine> {
  return ofInstalled<EnginePackage, 'engines'>(address, 'engines', PACKAGE_OF);
}

/** Whether there is anything to read at this address. Where nobody can tell, opening it will. */
export async function isStoredAt(address: string): Promise<boolean> {
  const scheme = schemeOf(address) ?? '';
  for (const name of packagesFor(scheme, PACKAGE_OF)) {
    const found = await moduleIn<EnginePackage>(name, 'engines');
    if (found === undefined || !Object.hasOwn(found.engines, scheme)) continue;
    const { stored = {} } = found;
    return Object.hasOwn(stored, scheme) ? ((await stored[scheme]?.(address)) ?? true) : true;
  }
  return true;
}

/** The package of ours that is for this scheme, or all that the project depends on. */
function packagesFor(scheme: string, homes: Readonly<Record<string, string>>): readonly string[] {
  const home = Object.hasOwn(homes, scheme) ? homes[scheme] : undefined;
  return home === undefined ? dependenciesHere() : [home];
}

type Openers<P, W extends keyof P> = Extract<P[W], Readonly<Record<string, unknown>>>;

/** What an installed package has for the scheme of this address. `homes` says which package of ours would have it. */
export async function ofInstalled<P, W extends keyof P & string>(
  address: string,
  what: W,
  homes: Readonly<Record<string, string>>,
): Promise<Openers<P, W>[string]> {
  const scheme = schemeOf(address) ?? '';
  const home = Object.hasOwn(homes, scheme) ? homes[scheme] : undefined;
  for (const name of packagesFor(scheme, homes)) {
    const openers = ((await moduleIn<P>(name, what))?.[what] ?? {}) as Openers<P, W>;
    if (Object.hasOwn(openers, scheme)) return openers[scheme] as Openers<P, W>[string];
  }
  if (home === undefined) throw nobodyOpens(address, what, Object.keys(homes)[0] ?? '');
  throw new FlyballError(
    'DRIVER_MISSING',
    `${scheme}:// addresses are opened by the package ${home}, which is not installed. Run: npm install ${home}`,
    { detail: { missing: [home] } },
  );
}

function nobodyOpens(address: string, what: string, example: string): ConfigError {
  const other = what === 'engines' ? 'Use a file, or an address' : 'Use an address';
  return new ConfigError(
    `No installed package opens ${withoutPassword(address)}. ${other} that begins with ${example}://.`,
  );
}
