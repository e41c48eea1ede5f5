import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentGroup,
  type ApiKeys,
  type FlyballServer,
  type Log,
  openServer,
  type ServerOptions,
} from '@flyball/server';
import { type Agent, done, type Model, type ToolRef } from 'flyball';
import { type SqliteEngine, sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { defineAgent } from 'flyball/agents';
import { type ReplyFunction, scriptedModel } from 'flyball/testing';
import { tool, toolRegistry } from 'flyball/tools';

/** A real server on a free port of loopback, over a real SQLite file, with agents on a scripted model. */
export interface ServerStage {
  readonly server: FlyballServer;
  readonly url: string;
  readonly engine: SqliteEngine;
  readonly folder: string;
  readonly keys: ApiKeys;
  /** Lines of the log, as objects. */
  readonly logged: readonly Logged[];
  /** A request with this key, if one is given; JSON in and out. */
  call(method: string, path: string, how?: CallHow): Promise<Answered>;
  /** A key of a tenant, as its holder has it. */
  keyFor(tenant: string, scopes: readonly string[], more?: Partial<Parameters<ApiKeys['create']>[0]>): Promise<string>;
  /** Closes the server and opens another one over the same file. */
  again(options?: Partial<ServerOptions>): Promise<void>;
  close(): Promise<void>;
}

export interface Logged {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly what: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

export interface CallHow {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

export async function serverStage(options: Partial<ServerOptions> = {}): Promise<ServerStage> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-server-'));
  const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
  const logged: Logged[] = [];
  const open = (more: Partial<ServerOptions> = {}): Promise<FlyballServer> =>
    openServer({
      engine,
      groups: [standardGroup()],
      log: recordingLog(logged),
      ...options,
      ...more,
      settings: { port: 0, ...options.settings, ...more.settings },
    });
  let server = await open();
  return {
    get server() {
      return server;
    },
    get url() {
      return server.url;
    },
    get keys() {
      return server.parts.keys;
    },
    engine,
    folder,
    logged,
    call: (method, path, how) => callAt(server.url, method, path, how),
    keyFor: async (tenant, scopes, more = {}) =>
      (await server.parts.keys.create({ name: `${tenant}'s`, tenant, scopes, ...more })).secret,
    again: async (more) => {
      await server.close();
      server = await open(more);
    },
    close: async () => {
      await server.close();
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function callAt(url: string, method: string, path: string, how: CallHow = {}): Promise<Answered> {
  const { key, body, headers = {} } = how;
  const answer = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function recordingLog(lines: Logged[]): Log {
  return {
    debug: (what, fields = {}) => void lines.push({ level: 'debug', what, fields }),
    info: (what, fields = {}) => void lines.push({ level: 'info', what, fields }),
    warn: (what, fields = {}) => void lines.push({ level: 'warn', what, fields }),
    error: (what, error, fields = {}) => void lines.push({ level: 'error', what, fields, error }),
  };
}

/** Answers with what it was asked, after `tide` was called once where it has tools. */
const answering: ReplyFunction = ({ messages, tools }) => {
  const called = messages.some(({ role }) => role === 'tool');
  if (tools.length > 0 && !called)
    return { toolCalls: [{ id: 'c1', name: tools[0]?.name ?? '', arguments: JSON.stringify({ port: 'Bergen' }) }] };
  return `heard: ${messages.findLast(({ role }) => role === 'user')?.content.slice(0, 80) ?? ''}`;
};

export const tide = tool({
  name: 'tide',
  description: 'When the water is high in a port.',
  input: {
    type: 'object',
    properties: { port: { type: 'string', description: 'its name' } },
    required: ['port'],
    additionalProperties: false,
  },
  effect: 'pure',
  execute: async ({ port }) => `high water in ${String(port)} at 06:40`,
});

export const payOut = tool({
  name: 'pay_out',
  description: 'Pays money out.',
  input: {
    type: 'object',
    properties: { amount: { type: 'number', description: 'EUR' } },
    required: ['amount'],
    additionalProperties: false,
  },
  effect: { class: 'irreversible', why: 'money leaves the account' },
  review: ({ amount }) => ({
    why: 'somebody asked for it',
    expectedEffect: `${String(amount)} EUR leave`,
    risk: 'high',
  }),
  execute: async ({ amount }) => `paid ${String(amount)}`,
});

/** One agent of each kind: with tools, without, one that asks a person, one that waits, one that counts. */
export function standardGroup(model: Model = scriptedModel({ desk: answering, plain: answering })): AgentGroup {
  const desk = defineAgent({
    name: 'desk',
    description: 'Answers questions with a tool.',
    model,
    tools: [tide as ToolRef],
    inputs: { question: { type: 'string', description: 'what to find out' } },
    loop: { doubleConfirmation: false },
    budget: { modelCalls: 6, toolCalls: 6, costUsd: 0.5 },
  });
  const plain = defineAgent({
    name: 'plain',
    description: 'Answers in one go.',
    model,
    inputs: { question: { type: 'string', description: 'what to say' } },
    budget: { modelCalls: 3, costUsd: 0.2 },
  });
  return {
    agents: { desk, plain, payer, waiter, counter },
    tools: toolRegistry([tide, payOut]),
    source: 'stage',
  };
}

/** Pays once a person has agreed. */
const payer: Agent<{ readonly amount?: number }, string> = async (run, input) => {
  const paid = await run.call(payOut, { amount: input?.amount ?? 1 });
  return paid.ok ? done(paid.content) : { stop: 'blocked', because: paid.content };
};

/** Waits for the signal `go`. */
const waiter: Agent<unknown, unknown> = async (run) => done(await run.wait({ name: 'go' }));

/** Notes numbers, with a pause after each. */
const counter: Agent<{ readonly to?: number; readonly pauseMs?: number }, number> = async (run, input) => {
  const to = input?.to ?? 3;
  for (let n = 1; n <= to; n++) {
    run.note({ kind: 'count', n });
    await run.step(
      `count-${n}`,
      n,
      async () => {
        await new Promise((resolve) => setTimeout(resolve, input?.pauseMs ?? 0));
        return n;
      },
      'pure',
    );
  }
  return done(to);
};
