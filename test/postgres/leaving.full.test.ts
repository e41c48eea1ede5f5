import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { freshSchema, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped programs that end on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('a program on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  beforeAll(async () => {
    server = await sharedServer();
  });
  afterAll(() => server.remove());

  it('ends by itself when its runtime is closed, as on SQLite, also if it leaves the engine open [R10-PG-LEAVES]', async () => {
    const program = spawn(process.execPath, [join(import.meta.dirname, 'one-run.mjs'), server.url, freshSchema()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    program.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    const stuck = setTimeout(() => program.kill('SIGKILL'), patient(20_000));
    const [code] = await once(program, 'exit');
    clearTimeout(stuck);
    expect({ code, said: said.trim() }).toEqual({ code: 0, said: 'done' });
  });
});
