import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { repetitions } from '../repetitions.js';
import { readEvents } from './sse-reader.js';

/** Planned restarts of a server that has work to do and people who watch it. */
const MAIN = fileURLToPath(new URL('../../packages/flyball/dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'flyball-restarts-'));
const agents = join(folder, 'agents.mjs');
const enough = join(folder, 'enough');
// every run works, one short step after the other, until it is told that it is enough
writeFileSync(
  agents,
  `import { existsSync } from 'node:fs';
export const agents = {
  worker: async (run) => {
    let isEnough = false;
    for (let n = 0; !isEnough; n++)
      isEnough = await run.step('work', n, () => new Promise((resolve) => setTimeout(() => resolve(existsSync(${JSON.stringify(enough)})), 200)), 'idempotent');
    return { stop: 'done', value: 'worked' };
  },
};
`,
);
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function serve(port: number): Promise<{ readonly child: ChildProcess; readonly ended: Promise<unknown[]> }> {
  const words = ['serve', agents, '--port', String(port), '--db', join(folder, 'runs.db'), '--json', '--quiet'];
  const child = spawn(process.execPath, [MAIN, ...words, '--max-streams', '1000', '--drain', '60', '--no-mcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  started.push(child);
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error('it did not start')))]);
  child.stdout.resume();
  return { child, ended };
}

/** Follows a run over as many servers as it takes, as a browser does. Answers the positions of the entries it got. */
async function follow(url: string, id: string, until: number): Promise<readonly string[]> {
  const seen: string[] = [];
  while (Date.now() < until) {
    try {
      const last = seen.at(-1);
      const reader = await readEvents(`${url}/v1/runs/${id}/events`, last === undefined ? {} : { lastEventId: last });
      for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
        if (event.event === 'entry' && event.id !== undefined) seen.push(event.id);
        if (event.event === 'end') return seen;
      }
    } catch {
      // nobody is there just now, or went away in the middle
    }
    await after(50);
  }
  throw new Error(`${id} did not end: ${seen.length} entries were seen`);
}

it('no run counts as crashed and no reader loses an entry over planned restarts under load [R8-OPS-RESTARTS]', async () => {
  const [restarts, runs, readers] = [repetitions({ sample: 20, full: 20 }), 50, 100];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let server = await serve(port);
  const ids: string[] = [];
  for (let n = 0; n < runs; n++) {
    const answer = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'worker', input: {}, budget: {} }),
    });
    expect(answer.status).toBe(202);
    ids.push(((await answer.json()) as { readonly id: string }).id);
  }
  const until = Date.now() + patient(600_000);
  const reading = Array.from({ length: readers }, (_, n) => follow(url, ids[n % runs] ?? '', until));
  for (let n = 0; n < restarts; n++) {
    await after(300);
    server.child.kill('SIGTERM');
    expect((await server.ended)[0], `restart ${n}`).toBe(0);
    server = await serve(port);
  }
  writeFileSync(enough, '');
  const seen = await Promise.all(reading);
  for (const [n, positions] of seen.entries()) {
    const id = ids[n % runs] ?? '';
    const run = (await (await fetch(`${url}/v1/runs/${id}`)).json()) as Record<string, unknown>;
    expect(run, id).toMatchObject({ status: 'done', takeovers: 0 });
    const all: string[] = [];
    for (let last: string | undefined; ; ) {
      const page = await fetch(`${url}/v1/runs/${id}/entries?limit=1000${last === undefined ? '' : `&after=${last}`}`);
      const { entries, more } = (await page.json()) as {
        entries: { generation: number; seq: number }[];
        more: boolean;
      };
      all.push(...entries.map(({ generation, seq }) => `${generation}.${seq}`));
      last = all.at(-1);
      if (!more) break;
    }
    expect(positions, `reader ${n} of ${id}`).toEqual(all); // every entry, once, in order
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^flyball_runs_taken_over_total 0$/m);
  server.child.kill('SIGTERM');
  await server.ended;
});
