import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from 'flyball';
import { domainNames, domainSource } from '../domains/domain-registry.js';
import { dataFolder } from '../files/data-folder.js';
import { shippedFolder } from '../files/shipped-folder.js';
import type { Domain, DomainServices } from '../world/environment.js';
import { unknownName } from './unknown-name.js';

/** What ships with the package. */
export const SHIPPED = shippedFolder;

export interface DataOption {
  readonly data?: string;
}

export async function openDomain(
  name: string,
  { data }: DataOption,
  env: Readonly<Record<string, string | undefined>>,
  services?: DomainServices,
): Promise<Domain> {
  if (!domainNames().includes(name)) throw unknownName('domain', name, domainNames());
  return domainSource(name).load(dataFolder(isShipped(name, data) ? SHIPPED : dataPlace(name, data, env)), services);
}

/** A built-in domain comes with the package, unless the folder that is named holds one of its name. */
function isShipped(name: string, data: string | undefined): boolean {
  return domainSource(name).builtIn && (data === undefined || !existsSync(join(data, 'domains', name)));
}

/** The folder that an experiment keeps, so that it goes on with the same data wherever it is resumed. */
export function dataOf(
  name: string,
  { data }: DataOption,
  env: Readonly<Record<string, string | undefined>>,
): DataOption {
  if (!domainNames().includes(name) || isShipped(name, data)) return {};
  return { data: resolve(dataPlace(name, data, env)) };
}

/** Where the benchmark's data are: named, from the environment, or where `fetch` puts them. */
export function dataPlace(
  domain: string,
  data: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const named = data ?? env['FLYBALL_TAU2'];
  const place = named ?? FETCHED;
  // the folder of the data, or the one around it
  const found = [place, join(place, 'data')].find((folder) => existsSync(join(folder, 'domains')));
  if (found !== undefined) return found;
  if (existsSync(place)) return place;
  throw new ConfigError(
    named === undefined
      ? `The domain ${domain} needs the data of tau2-bench. Download it with \`flyball evals fetch tau2\`, or set its folder with --data or FLYBALL_TAU2.`
      : `There is no folder ${place}. Name the one that contains \`domains/${domain}\`, or download the data with \`flyball evals fetch tau2\`.`,
  );
}

/** Where `flyball evals fetch tau2` puts them. */
export const FETCHED = '.flyball/tau2';
