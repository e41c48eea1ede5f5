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
export async function openerFor(address: string): Promise<OpenEngine> {
  const scheme = schemeOf(address) ?? '';
  const home = Object.hasOwn(PACKAGE_OF, scheme) ? PACKAGE_OF[scheme] : undefined;
  for (const name of home === undefined ? dependenciesHere() : [home]) {
    const { engines } = (await moduleIn<EnginePackage>(name, 'engines')) ?? { engines: {} };
    const open = Object.hasOwn(engines, scheme) ? engines[scheme] : undefined;
    if (open !== undefined) return open;
  }
  if (home === undefined)
    throw new ConfigError(
      `No installed package opens ${withoutPassword(address)}. Use a file, or an address that begins with postgres://.`,
    );
  throw new FlyballError(
    'DRIVER_MISSING',
    `${scheme}:// addresses are opened by the package ${home}, which is not installed. Run: npm install ${home}`,
    { detail: { missing: [home] } },
  );
}
