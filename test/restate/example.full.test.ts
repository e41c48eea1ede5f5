import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { patient } from '../patience.js';
import { freePort, sharedServer, whyNoServer } from '../postgres/server.js';
import { TestRestate, whyNoRestate } from './server.js';

const why = whyNoServer() ?? whyNoRestate();
if (why !== undefined) process.stdout.write(`Skipped the program of the documentation on Restate: ${why}.\n`);

describe.skipIf(why !== undefined)('the program of the documentation on Restate', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  let restate: TestRestate;
  beforeAll(async () => {
    [server, restate] = await Promise.all([sharedServer(), TestRestate.start()]);
  });
  afterAll(async () => {
    server.remove();
    await restate.remove();
  });

  it('runs as it stands, but for the ports [R19-MACHINES-PROGRAMS]', { timeout: patient(60_000) }, async () => {
    const program = readFileSync(join(root, 'packages/flyball/dist-examples/machines/restate.js'), 'utf8');
    const listen = `127.0.0.1:${await freePort()}`;
    const here = program.replace(
      "{ url: 'restate://localhost:8080' }",
      JSON.stringify({ url: restate.urls[0], admin: restate.admins[0], listen }),
    );
    expect(here).not.toBe(program);
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', here], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: server.url },
    });
    expect(stdout).toContain("value: 'Hello, Ada.'");
  });
});
