import { createRequire } from 'node:module';

/** As the package says. */
export function versionOf(): string {
  const manifest = createRequire(import.meta.url)('../../package.json') as { readonly version: string };
  return manifest.version;
}
