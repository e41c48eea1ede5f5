import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { effectContext } from '../runtime/effect-context.js';
import { agentFrame, packageFrame } from './agent-frame.js';
import { findForeignAwaits } from './foreign-awaits.js';

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_, response) => response.end('x'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const life = Symbol('life');
const asAgent = <T>(code: () => Promise<T>) => effectContext.run({ life, inEffect: false, host: false }, code);
const asEffect = <T>(code: () => Promise<T>) => effectContext.run({ life, inEffect: true, host: false }, code);
const asHost = <T>(code: () => Promise<T>) => effectContext.run({ life, inEffect: false, host: true }, code);
const rest = () => new Promise((resolve) => setTimeout(resolve, 1));
const typesOf = (found: readonly { readonly type: string }[]) => found.map(({ type }) => type);

async function napAgent() {
  await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('what agent code does outside an effect', () => {
  it('is reported with its type and its line [R2-FOREIGN-AWAIT]', async () => {
    const { found, result } = await findForeignAwaits(() => asAgent(napAgent));
    expect(typesOf(found)).toEqual(['Timeout']);
    expect(found[0]?.at).toMatch(/foreign-awaits\.test\.ts:\d+:\d+/);
    expect(result.ok).toBe(true);
  });

  it('is reported once a line, however often it happens', async () => {
    const { found } = await findForeignAwaits(() =>
      asAgent(async () => {
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      }),
    );
    expect(typesOf(found)).toEqual(['Immediate']);
  });

  it('is found behind fetch, whose socket opens when the agent is no longer on the stack', async () => {
    const { found } = await findForeignAwaits(() => asAgent(async () => (await fetch(url)).text()));
    expect(typesOf(found)).toContain('TCPWRAP');
    expect(found.find(({ type }) => type === 'TCPWRAP')?.at).toMatch(/foreign-awaits\.test\.ts:\d+:\d+/);
  });

  it('is found behind fetch on a connection that is open already', async () => {
    await (await fetch(url)).text();
    const { found } = await findForeignAwaits(() => asAgent(async () => (await fetch(url)).text()));
    expect(found.find(({ type }) => type === 'fetch')?.at).toMatch(/foreign-awaits\.test\.ts:\d+:\d+/);
  });

  it('is found behind a file read', async () => {
    const { found } = await findForeignAwaits(() => asAgent(() => readFile(new URL(import.meta.url))));
    expect(typesOf(found).some((type) => type.startsWith('FSREQ'))).toBe(true);
  });
});

describe('what is allowed', () => {
  it('is not reported: effects, the runtime itself, promises, and code outside any run', async () => {
    const { found } = await findForeignAwaits(async () => {
      await rest();
      await asAgent(async () => {
        await Promise.all([1, 2].map(async (value) => value));
        await asEffect(async () => (await fetch(url)).text());
        await asHost(rest);
      });
    });
    expect(found).toEqual([]);
  });
});

it('reports how the work ended beside what was found', async () => {
  const { found, result } = await findForeignAwaits(() =>
    asAgent(async () => {
      await rest();
      throw new Error('stuck');
    }),
  );
  expect(result).toMatchObject({ ok: false, error: { message: 'stuck' } });
  expect(found).toHaveLength(1);
});

it('watches only while the work runs', async () => {
  const { found } = await findForeignAwaits(async () => 'done');
  await asAgent(rest);
  expect(found).toEqual([]);
});

it('finds the frame of the agent between those of Node, packages and the runtime', () => {
  const here = new URL('..', import.meta.url).href;
  const stack = [
    'Error',
    '    at AsyncHook.init (node:internal/async_hooks:12:3)',
    `    at step (${here}runtime/run.js:4:5)`,
    '    at call (/app/node_modules/got/index.js:9:1)',
    '    at async research (file:///app/agents/research.js:20:7)',
    '    at main (/app/main.js:3:1)',
  ].join('\n');
  expect(agentFrame(stack)).toBe('research (/app/agents/research.js:20:7)');
  expect(packageFrame(stack)).toBe('call (/app/node_modules/got/index.js:9:1)');
  expect(packageFrame('Error\n    at node:internal/timers:1:1')).toBeUndefined();
});
