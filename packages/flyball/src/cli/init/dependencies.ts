import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the package that a new project depends on comes from. */
export interface Origin {
  readonly spec: string;
  /** From a registry: then the project works wherever it is taken. Otherwise on this machine only. */
  readonly isRelease: boolean;
}

/**
 * What a new project depends on: the release that this copy was installed from, or the place that this copy came from
 * where that was no registry. A version that no registry has could not be installed, and the name may be another's there.
 */
export function originOf(root: string = ownRoot()): Origin {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const resolved = resolvedByNpm(root) ?? resolvedByPnpm(root);
  if (resolved === 'registry') return { spec: `^${version}`, isRelease: true };
  const file = resolved !== undefined && existsSync(resolved) ? resolved : root;
  return { spec: `file:${file}`, isRelease: false };
}

function ownRoot(): string {
  return fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');
}

/** npm keeps in node_modules what it installed from where. A file is named from the folder around node_modules. */
function resolvedByNpm(root: string): string | undefined {
  const packages = dirname(root);
  const record = join(packages, '.package-lock.json');
  if (!existsSync(record)) return undefined;
  const lock = JSON.parse(readFileSync(record, 'utf8')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>;
  };
  const own = lock.packages?.[`node_modules/${root.slice(packages.length + 1)}`];
  if (own?.resolved?.startsWith('file:') === true)
    return resolve(dirname(packages), own.resolved.slice('file:'.length));
  // where addresses are left out of the record, only what came from a registry has a hash and no address
  return /^https?:/.test(own?.resolved ?? '') || own?.integrity !== undefined ? 'registry' : undefined;
}

/** pnpm says it in the name of the folder: `.pnpm/flyball@0.1.0/…`, or `.pnpm/flyball@file+…`. */
function resolvedByPnpm(root: string): 'registry' | undefined {
  return /\.pnpm[/\\]flyball@\d/.test(root.split(sep).join('/')) ? 'registry' : undefined;
}
