import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type Agent, budget, createRuntime, done, memoryEngine, type Outcome, type Runtime, type Seams } from 'flyball';
import { type McpEvent, type McpPool, type McpServerSpec, openMcpPool } from 'flyball/adapters/mcp-client';
import type { DefinedTool } from 'flyball/tools';
import { onTestFinished } from 'vitest';
import type { McpPoolOptions } from '../../packages/flyball/src/adapters/mcp-client/pool.js';
import type { ToolRef, ToolResult } from '../../packages/flyball/src/core/tool.js';
import { root } from '../../scripts/files.mjs';
import { makeServer } from './servers/workshop.mjs';

export const WORKSHOP = join(root, 'test/mcp/servers/workshop.mjs');
export const CANARY = 'canary-7f3a9c1e5b';

/** A folder for one test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'flyball-mcp-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** What the workshop wrote down: the only witness that a killed server leaves. */
export class Ledger {
  readonly path = join(folder(), 'ledger');

  lines(): readonly string[] {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8').split('\n').slice(0, -1) : [];
  }

  count(start: string): number {
    return this.lines().filter((line) => line.startsWith(start)).length;
  }

  /** Waits until something stands there; answers the last word of the line, which is the process where it is a call. */
  async until(start: string, times = 1): Promise<string> {
    for (let looks = 0; looks < 500; looks++) {
      const found = this.lines().filter((line) => line.startsWith(start));
      if (found.length >= times) return found.at(-1)?.split(' ').at(-1) ?? '';
      await delay(10);
    }
    throw new Error(`the ledger never got ${start}: ${this.lines().join(', ')}`);
  }
}

/** The workshop as a process; the older handshake is a process cheaper. */
export function workshop(more: Partial<McpServerSpec> = {}, env: Readonly<Record<string, string>> = {}): McpServerSpec {
  return {
    name: 'workshop',
    transport: { kind: 'stdio', command: process.execPath, args: [WORKSHOP], env },
    handshake: 'initialize',
    pin: '1.0.0',
    effects: { '*': 'pure' },
    ...more,
  };
}

export interface OpenPool {
  readonly pool: McpPool;
  readonly events: readonly McpEvent[];
  tool(name: string): DefinedTool;
}

export async function openPool(specs: readonly McpServerSpec[], options: McpPoolOptions = {}): Promise<OpenPool> {
  const events: McpEvent[] = [];
  const pool = await openMcpPool(specs, { whenOver: 'prune', onEvent: (event) => events.push(event), ...options });
  onTestFinished(() => pool.close());
  const tool = (name: string): DefinedTool => {
    const found = pool.tools().find((one) => one.name === name);
    if (found === undefined)
      throw new Error(
        `there is no ${name}: ${pool
          .tools()
          .map((one) => one.name)
          .join(', ')}`,
      );
    return found;
  };
  return { pool, events, tool };
}

/** Runs of an agent on this machine's clock: real processes do not wait for a virtual one. */
export function runtimeOf(agent: Agent<never, unknown>, seams: Seams = {}): Runtime {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent }, seams, onProblem: () => undefined });
  onTestFinished(() => runtime.close({ drainMs: 100 }));
  return runtime;
}

/** One call in a run of its own. */
export async function callOnce(
  tool: ToolRef,
  args: unknown = {},
  seams: Seams = {},
): Promise<{
  readonly outcome: Outcome<unknown>;
  readonly result: ToolResult;
  readonly runtime: Runtime;
  readonly id: string;
}> {
  const agent: Agent<unknown, ToolResult> = async (run, input) => done(await run.call(tool, input));
  const runtime = runtimeOf(agent, seams);
  const { id, outcome: rest } = await runtime.start('agent', args, { budget: budget({}) });
  const outcome = await rest();
  return { outcome, result: (outcome as { readonly value: ToolResult }).value, runtime, id };
}

/** A web-standard handler on a loopback port. */
export async function listening(
  fetch: (request: Request) => Promise<Response> | Response,
  port = 0,
): Promise<{ readonly url: string; readonly port: number; close(): Promise<void> }> {
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    (server as { closeAllConnections?(): void }).closeAllConnections?.();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${bound}/mcp`, port: bound, close };
}

/** Passes bytes on until it is told to cut every connection. */
export async function proxyTo(port: number): Promise<{ readonly url: string; cut(): void }> {
  const sockets = new Set<Socket>();
  const { connect } = await import('node:net');
  const server: Server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, cut };
}

/** The workshop over HTTP in this process: real sockets, no second process to wait for. */
export async function httpWorkshop(
  options: WorkshopOptions = {},
  how: {
    readonly port?: number;
    readonly legacy?: 'stateless' | 'reject';
    readonly see?: (request: Request) => void;
  } = {},
): Promise<HttpWorkshop> {
  const current = { options };
  const handler = createMcpHandler(() => makeServer(current.options), { legacy: how.legacy ?? 'stateless' });
  const served = await listening((request) => {
    how.see?.(request);
    return handler.fetch(request);
  }, how.port);
  return {
    ...served,
    /** Says so to clients that listen. */
    become: (next) => {
      current.options = next;
      handler.notify.toolsChanged();
    },
  };
}

export type WorkshopOptions = Parameters<typeof makeServer>[0];

export interface HttpWorkshop {
  readonly url: string;
  readonly port: number;
  become(options: WorkshopOptions): void;
  close(): Promise<void>;
}

export function httpSpec(url: string, more: Partial<McpServerSpec> = {}): McpServerSpec {
  return { name: 'workshop', transport: { kind: 'http', url }, pin: '1.0.0', effects: { '*': 'pure' }, ...more };
}

/** Waits for something that comes by itself. */
export async function until(holds: () => boolean, what = 'it never came'): Promise<void> {
  for (let looks = 0; looks < 400; looks++) {
    if (holds()) return;
    await delay(10);
  }
  throw new Error(what);
}
