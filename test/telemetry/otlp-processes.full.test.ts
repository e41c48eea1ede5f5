import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { otelTelemetry } from 'flyball/adapters/telemetry-otel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { patient } from '../patience.js';
import { PLANTED, traceAgents } from '../programs/trace-agents.js';

const PROGRAM = join(root, 'dist-programs/trace-process.js');

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly value: { readonly stringValue: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What arrives, as text. */
function collector(): { readonly server: Server; readonly got: string[] } {
  const got: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    got.push(body);
    response.writeHead(200).end('{}');
  });
  return { server, got };
}

async function worker(...parameters: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return {
    async end() {
      child.stdin.end();
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
    },
  };
}

async function house(collectorUrl: string, pages: string) {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-traces-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'runs.db');
  const telemetry = await otelTelemetry({ url: collectorUrl, service: 'both' });
  const engine = await sqliteEngine({ path, pollMs: 10 });
  const options = { worker: { agents: ['both'] } };
  const runtime = createRuntime({ engine, agents: traceAgents(pages), telemetry, options });
  const workers = await Promise.all(['left', 'right'].map((agent) => worker(path, agent, collectorUrl, pages)));
  return {
    async outcome() {
      const handle = await runtime.start('both', null, { budget: budget() });
      await expect.poll(async () => (await runtime.get(handle.id)).status, { timeout: patient(30_000) }).toBe('done');
      return handle.outcome();
    },
    async close() {
      for (const one of workers) await one.end();
      await expect.poll(() => telemetry.state().sent + telemetry.state().dropped).toBe(1);
      await runtime.close();
      await engine.close();
      return telemetry.state();
    },
  };
}

describe('a run that starts two others in two other processes, which call a tool over HTTP', () => {
  const pages = () => listening(createServer((request, response) => response.end(`page ${request.url?.slice(1, 6)}`)));

  it(
    'is one tree at the collector, with a span for each call and without the planted key [V14.acceptance] [V14.3]',
    async () => {
      const { server, got } = collector();
      const made = await house(`${await listening(server)}/v1/traces`, await pages());
      expect(await made.outcome()).toMatchObject({ stop: 'done', value: ['read page first', 'read page secon'] });
      expect(await made.close()).toEqual({ sent: 1, dropped: 0, waiting: 0 });
      const bodies = got.map((text) => JSON.parse(text) as Body);
      const services = bodies.map(({ resourceSpans }) => resourceSpans[0]?.resource.attributes[0]?.value.stringValue);
      expect(services.sort()).toEqual(['both', 'left', 'right']);
      const spans = bodies.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
      );
      const ids = new Set(spans.map(({ spanId }) => spanId));
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
      expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1);
      expect(spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
      const named = (name: string) => spans.filter((span) => span.name === name).length;
      expect([named('chat reader'), named('execute_tool page'), named('step start:left')]).toEqual([2, 2, 1]);
      expect(got.join()).not.toContain(PLANTED);
    },
    patient(60_000),
  );

  it(
    'ends the same where nobody listens [V14.acceptance] [V14.1]',
    async () => {
      const { server } = collector();
      const url = await listening(server);
      server.close().closeAllConnections();
      const made = await house(`${url}/v1/traces`, await pages());
      expect(await made.outcome()).toMatchObject({ stop: 'done', value: ['read page first', 'read page secon'] });
      expect(await made.close()).toEqual({ sent: 0, dropped: 1, waiting: 0 });
    },
    patient(60_000),
  );
});
