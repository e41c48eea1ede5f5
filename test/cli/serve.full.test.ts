import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { flyball } from './in-process.js';

const MAIN = fileURLToPath(new URL('../../packages/flyball/dist/cli/main.js', import.meta.url));
const built = (path: string) =>
  JSON.stringify(fileURLToPath(new URL(`../../packages/flyball/dist/${path}`, import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'flyball-serve-'));
const agents = join(folder, 'agents.mjs');
writeFileSync(
  agents,
  `import { existsSync } from 'node:fs';
import { done } from ${built('index.js')};
import { defineAgent } from ${built('agents/index.js')};
import { scriptedModel } from ${built('testing/index.js')};
import { tool } from ${built('tools/index.js')};
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  effect: { class: 'irreversible' },
  execute: async () => 'paid',
});
const model = scriptedModel({
  payer: ({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? 'It is paid.' : { toolCalls: [{ id: '1', name: 'pay', arguments: '{}' }] },
});
const loop = { doubleConfirmation: false };
export const agents = {
  payer: defineAgent({ name: 'payer', description: 'Pays.', model, tools: [pay], loop }),
  slow: async (run, input) => {
    for (let n = 1; n <= input.steps; n++)
      await run.step('step-' + n, n, () => existsSync(input.hurry ?? '') ? n : new Promise((resolve) => setTimeout(() => resolve(n), 150)), 'pure');
    return done('slow and steady');
  },
};
`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In the environment of every server here. */
const SECRET = 'kept from everybody else';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

interface Serving {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<number | null>;
}

/** A real process; resolves when it says where it serves. */
async function serve(database: string, ...more: readonly string[]): Promise<Serving> {
  const words = [MAIN, 'serve', agents, '--port', '0', '--db', join(folder, database), '--json', ...more];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HARBOUR_TOKEN: SECRET },
  });
  started.push(child);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  let out = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      out += String(chunk);
      const line = out.split('\n').find((text) => text.includes('"serving"'));
      if (line !== undefined) resolve((JSON.parse(line) as { url: string }).url);
    });
    void ended.then((code) => reject(new Error(`it ended with ${code} before it served: ${out}`)));
  });
  return { child, url, ended };
}

const post = async (url: string, body: unknown) =>
  (await (
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  ).json()) as {
    readonly id: string;
  };
const get = async (url: string) => (await (await fetch(url)).json()) as Record<string, unknown>;

const until = (look: () => Promise<boolean>) => expect.poll(look).toBe(true);

describe('flyball serve', () => {
  it('serves the agents of a file, gives runs back on a signal, and goes on with them when it starts again [R6-CLI-SERVE]', async () => {
    const first = await serve('drain.db');
    expect(await get(`${first.url}/ready`)).toMatchObject({ ready: true });
    const { id } = await post(`${first.url}/v1/runs`, {
      agent: 'slow',
      input: { steps: 100, hurry: join(folder, 'hurry') },
    });
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    writeFileSync(join(folder, 'hurry'), '');
    const second = await serve('drain.db');
    await until(async () => (await get(`${second.url}/v1/runs/${id}`))['status'] === 'done');
    expect(await get(`${second.url}/v1/runs/${id}`)).toMatchObject({ takeovers: 0, attempts: 2 });
  });

  it('blanks the secrets of its environment in what it sends [R6-ACCESS-NO-LEAKS]', async () => {
    const { url } = await serve('secrets.db');
    const { id } = await post(`${url}/v1/runs`, { agent: 'slow', input: { steps: 1, word: `it is ${SECRET}` } });
    await until(async () => (await get(`${url}/v1/runs/${id}`))['status'] === 'done');
    for (const path of ['', '/entries', '/events']) {
      const text = await (await fetch(`${url}/v1/runs/${id}${path}`)).text();
      expect(text).toContain('it is ');
      expect(text).not.toContain(SECRET);
    }
  });

  it('loses nothing when it is killed [R6-CLI-SERVE]', async () => {
    rmSync(join(folder, 'hurry'), { force: true });
    const first = await serve('kill.db');
    const { id } = await post(`${first.url}/v1/runs`, {
      agent: 'slow',
      input: { steps: 100, hurry: join(folder, 'hurry') },
    });
    await until(async () => JSON.stringify(await get(`${first.url}/v1/runs/${id}/entries`)).includes('step-2'));
    first.child.kill('SIGKILL');
    await first.ended;
    writeFileSync(join(folder, 'hurry'), '');
    const second = await serve('kill.db');
    await until(async () => (await get(`${second.url}/v1/runs/${id}`))['status'] === 'done');
    expect(await get(`${second.url}/v1/runs/${id}`)).toMatchObject({ takeovers: 1 });
  });

  it('shares its runs with other commands: what one of them approves goes on, here or there [R6-CLI-SERVE]', async () => {
    const { url, child, ended } = await serve('shared.db');
    const db = ['--db', join(folder, 'shared.db')];
    const invoke = async (more: object) => {
      const answer = await post(`${url}/v1/agents/payer/invoke-iterative`, { inputs: 'Pay.', ...more });
      return String((answer as { readonly run_id?: string }).run_id);
    };
    const [plain, varied] = [await invoke({}), await invoke({ max_iterations: 3 })];
    const approved = await flyball(['approve', plain, ...db]);
    expect(approved.code, approved.error).toBe(0); // whichever of the two processes was faster
    await until(async () => (await get(`${url}/v1/runs/${plain}`))['status'] === 'done');
    child.kill('SIGTERM');
    await ended;
    const carried = await flyball(['approve', varied, ...db]); // a run that only a server starts
    expect(carried.code, carried.error).toBe(0);
    expect(carried.out).toContain('It is paid.');
  });

  it('refuses an address that others can reach while there is no key, and says how to make one [R6-ACCESS-LOOPBACK] [R6-CLI-SERVE]', async () => {
    const { code, error } = await flyball([
      'serve',
      agents,
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--db',
      join(folder, 'open.db'),
    ]);
    expect(code).toBe(2);
    expect(error).toContain('flyball keys create');
  });

  it.each([
    [['serve', 'nowhere.yaml'], 'There is no file'],
    [['serve', agents, '--port', 'many'], 'whole number'],
    [['serve', agents, '--port', '65536'], '0 to 65535'],
    [['serve', agents, '--host', '203.0.113.7', '--port', '0'], 'keys create'],
  ])('refuses %j with what to do instead [R6-CLI-SERVE]', async (words, said) => {
    const { code, error } = await flyball([...words, '--db', join(folder, 'bad.db')]);
    expect(code).toBe(2);
    expect(error).toContain(said);
  });

  it('says that a port is taken [R6-CLI-SERVE]', async () => {
    const { url } = await serve('port.db');
    const { code, error } = await flyball([
      'serve',
      agents,
      '--port',
      new URL(url).port,
      '--db',
      join(folder, 'port2.db'),
    ]);
    expect(code).toBe(2);
    expect(error).toContain('is in use');
  });
});
