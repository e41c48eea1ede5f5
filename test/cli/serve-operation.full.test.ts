import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

/** `flyball serve` and `flyball run` as a service manager, a log collector and a shell meet them: real processes. */
const MAIN = fileURLToPath(new URL('../../packages/flyball/dist/cli/main.js', import.meta.url));
const built = (path: string) =>
  JSON.stringify(fileURLToPath(new URL(`../../packages/flyball/dist/${path}`, import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'flyball-operation-'));
const agents = join(folder, 'agents.mjs');
writeFileSync(
  agents,
  `import { existsSync } from 'node:fs';
import { done } from ${built('index.js')};
export const agents = {
  steps: async (run, input) => {
    for (let n = 1; n <= input.steps; n++)
      await run.step('step-' + n, n, () => new Promise((resolve) => setTimeout(() => resolve(n), input.ms ?? 20)), 'pure');
    return done('all ' + input.steps);
  },
  careless: async (run) => {
    await run.step('slip', null, () => { Promise.reject(new Error('nobody looked')); return null; }, 'pure');
    return done(await run.wait({ name: 'never' }));
  },
  thrower: async (run) => {
    await run.step('slip', null, () => { setTimeout(() => { throw new Error('from a timer'); }, 5); return null; }, 'pure');
    return done(await run.wait({ name: 'never' }));
  },
  chatty: async (run) => {
    await run.step('print', null, () => {
      console.log('hello from an agent\\nand {"half": ');
      console.error('a complaint');
      process.stdout.write('no newline');
      return null;
    }, 'pure');
    return done('said');
  },
};
`,
);
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Process {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out(): string;
  error(): string;
}

/** That of the test run, but for what is about the tests. */
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^FLYBALL_(PATIENCE|TIMES)$/.test(name)),
);

function start(...words: readonly string[]): Process {
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ENV, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  started.push(child);
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ended, out: () => out, error: () => error };
}

async function serve(database: string, ...more: readonly string[]): Promise<Process & { readonly url: string }> {
  const server = start('serve', agents, '--port', '0', '--db', join(folder, database), '--json', ...more);
  await expect.poll(() => server.out()).toContain('"serving"');
  const url = (JSON.parse(server.out().split('\n')[0] ?? '') as { url: string }).url;
  return { ...server, url };
}

const post = async (url: string, body: unknown) =>
  (await (
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  ).json()) as { readonly id: string };
const get = async (url: string) => (await (await fetch(url)).json()) as Record<string, unknown>;
const statusOf = async (url: string, id: string) => (await get(`${url}/v1/runs/${id}`))['status'];

describe('a log that nobody reads any more', () => {
  it('does not end a server: it goes on with its runs, and logs to the other stream [F-O1]', async () => {
    const server = await serve('pipe.db');
    const { id } = await post(`${server.url}/v1/runs`, { agent: 'steps', input: { steps: 20 } });
    server.child.stdout?.destroy(); // as `serve --json | head -1` does
    await expect.poll(() => statusOf(server.url, id)).toBe('done');
    await expect.poll(() => server.error()).toContain('"what":"run ended"');
    server.child.stderr?.destroy(); // and where both are gone, it goes on in silence
    const { id: other } = await post(`${server.url}/v1/runs`, { agent: 'steps', input: { steps: 3 } });
    await expect.poll(() => statusOf(server.url, other)).toBe('done');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('does not end a run either [F-O1]', async () => {
    const db = join(folder, 'head.db');
    const run = start('run', agents, '--agent', 'steps', '--input', '{"steps":30}', '--db', db, '--id', 'kept');
    await expect.poll(() => run.out()).toContain('kept');
    run.child.stdout?.destroy();
    expect(await run.ended).toBe(0);
    const shown = start('show', 'kept', '--db', db, '--json');
    expect(await shown.ended).toBe(0);
    expect(shown.out()).toContain('"all 30"');
  });

  it('is no reason to say that all went well where the disk is full [F-O1]', async () => {
    const child = spawn('sh', ['-c', `"${process.execPath}" "${MAIN}" --help > /dev/full`], { stdio: 'ignore' });
    started.push(child);
    expect((await once(child, 'exit'))[0]).toBe(9);
  });
});

describe('signals', () => {
  it('of a terminal that is closed stop a server as orderly as any other [F-O8]', async () => {
    const server = await serve('hangup.db');
    const { id } = await post(`${server.url}/v1/runs`, { agent: 'steps', input: { steps: 200, ms: 100 } });
    await expect.poll(async () => JSON.stringify(await get(`${server.url}/v1/runs/${id}/entries`))).toContain('step-1');
    server.child.kill('SIGHUP');
    expect(await server.ended).toBe(129);
    const again = await serve('hangup.db');
    await expect.poll(async () => (await get(`${again.url}/v1/runs/${id}`))['attempts']).toBe(2);
    expect(await get(`${again.url}/v1/runs/${id}`)).toMatchObject({ takeovers: 0 });
  });

  it('of a terminal that is closed give the run of a command back [F-O8]', async () => {
    const db = join(folder, 'hangup-run.db');
    const run = start(
      'run',
      agents,
      '--agent',
      'steps',
      '--input',
      '{"steps":200,"ms":50}',
      '--db',
      db,
      '--id',
      'hung',
    );
    await expect.poll(() => run.out()).toContain('step-2');
    run.child.kill('SIGHUP');
    expect(await run.ended).toBe(129);
    const listed = start('runs', '--db', db, '--json');
    await listed.ended;
    expect(JSON.parse(listed.out())).toMatchObject({ runs: [{ id: 'hung', status: 'pending', crashes: 0 }] });
  });
});

describe('code of an agent that leaves an error uncaught', () => {
  it.each(['careless', 'thrower'])('fails its run and not the server: %s [F-O5]', async (agent) => {
    const server = await serve(`${agent}.db`);
    const { id: innocent } = await post(`${server.url}/v1/runs`, { agent: 'steps', input: { steps: 40 } });
    const { id } = await post(`${server.url}/v1/runs`, { agent, input: {} });
    await expect.poll(() => statusOf(server.url, id)).toBe('failed');
    expect(await get(`${server.url}/v1/runs/${id}`)).toMatchObject({ outcome: { failure: { code: 'UNCAUGHT' } } });
    await expect.poll(() => statusOf(server.url, innocent)).toBe('done');
    const lines = server
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', what: 'uncaught error', run: id }));
    expect(server.error()).toBe('');
  });
});

describe('an error of nobody', () => {
  it('is told, and ends the server in order where it was thrown [F-O5]', async () => {
    const odd = join(folder, 'odd.mjs');
    writeFileSync(
      odd,
      `import { existsSync } from 'node:fs';
const now = ${JSON.stringify(join(folder, 'odd-now'))};
const look = setInterval(() => {
  if (!existsSync(now)) return;
  clearInterval(look);
  Promise.reject(new Error('left behind'));
  setTimeout(() => { throw new Error('thrown by nobody'); }, 50);
}, 20);
export const agents = { idle: async (run) => ({ stop: 'done', value: await run.wait({ name: 'go' }) }) };`,
    );
    const server = start('serve', odd, '--port', '0', '--db', join(folder, 'odd.db'), '--json');
    await expect.poll(() => server.out()).toContain('"serving"');
    writeFileSync(join(folder, 'odd-now'), '');
    expect(await server.ended).toBe(1);
    const told = server
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const errors = told.filter(({ what }) => what === 'uncaught error').map(({ error }) => error);
    expect(errors).toEqual(['left behind', 'thrown by nobody']);
    expect(told.at(-1)).toMatchObject({ what: 'server stopped' });
  });

  it('of the code of a command fails its run, and the command says so [F-O5]', async () => {
    const db = join(folder, 'careless-run.db');
    const run = start('run', agents, '--agent', 'careless', '--input', '{}', '--db', db, '--id', 'slipped');
    expect(await run.ended).toBe(1);
    expect(run.out()).toContain('nobody looked');
  });
});

describe('what agents print', () => {
  it('is in the log of JSON as lines of it, with the run it comes from [F-O6]', async () => {
    const server = await serve('chatty.db');
    const { id } = await post(`${server.url}/v1/runs`, { agent: 'chatty', input: {} });
    await expect.poll(() => statusOf(server.url, id)).toBe('done');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    const lines = server
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = lines.filter(({ what }) => what === 'output').map(({ stream, text, run }) => [stream, text, run]);
    expect(told).toEqual([
      ['stdout', 'hello from an agent', id],
      ['stdout', 'and {"half": ', id],
      ['stderr', 'a complaint', id],
      ['stdout', 'no newline', undefined], // told when nothing came after it any more
    ]);
  });
});

describe('settings', () => {
  it('come from the command line, then a variable, then one file [F-O8]', async () => {
    const config = join(folder, 'flyball.yaml');
    writeFileSync(config, `agents: [${agents}]\nmaxStreams: 1\nstudio: false\npublicCard: true\nlogLevel: error\n`);
    const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--json', '--db', join(folder, 'config.db')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...ENV,
        NODE_OPTIONS: '',
        FLYBALL_CONFIG: config,
        FLYBALL_PUBLIC_CARD: 'false',
        FLYBALL_DRAIN: '3',
      },
    });
    started.push(child);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    await expect.poll(() => out).toContain('"serving"');
    const { url, studio } = JSON.parse(out) as { url: string; studio?: string };
    expect(studio).toBeUndefined();
    const first = await fetch(`${url}/v1/events`);
    expect(first.status).toBe(200);
    expect((await fetch(`${url}/v1/events`)).status).toBe(429); // one stream each, as the file says
    await first.body?.cancel();
    expect(out.trim().split('\n')).toHaveLength(1); // requests are below the level of the file
  });

  it('that are wrong are told with the place where they stand', async () => {
    const config = join(folder, 'wrong.yaml');
    writeFileSync(config, 'maxStreams: many\n');
    const wrong = start('serve', agents, '--config', config, '--db', join(folder, 'wrong.db'));
    expect(await wrong.ended).toBe(2);
    expect(wrong.error()).toContain(
      `maxStreams in ${config}:1 is not valid: it must be a whole number from 1 to 1000000000.`,
    );
    const zero = start('serve', agents, '--rate', '0', '--db', join(folder, 'wrong.db'));
    expect(await zero.ended).toBe(2);
    expect(zero.error()).toContain('It must be a whole number from 1 to 1000000000.'); // and no "Try again in Infinity s."
  });
});
