import {
  type McpAgent,
  type McpHttpOptions,
  mcpHttpEndpoint,
  type RuntimeOfferParts,
  runtimeOffer,
  TOOL_CALL,
  toolCallAgent,
} from '@flyball/server/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Agent, blocked, createRuntime, done, failed, memoryEngine, type Runtime, type ToolRef } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { governance, tool, toolset } from 'flyball/tools';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../packages/flyball/src/adapters/host-node/system-clock.js';
import { listening } from './stage.js';

/** What the tests serve: tools and agents that do one thing each. */
export const told: string[] = [];

const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false };

export const tools = [
  tool({
    name: 'double',
    description: 'Doubles a number. Not for text.',
    effect: 'pure',
    legs: [],
    input: number,
    execute: async ({ n }) => ({ n: Number(n) * 2 }),
  }),
  tool({
    name: 'pay',
    description: 'Pays. Not for refunds.',
    effect: 'irreversible',
    input: number,
    execute: async () => 'paid',
  }),
  tool({
    name: 'trip',
    description: 'Stumbles. Not for walking.',
    effect: 'pure',
    execute: async () => {
      throw new Error('the shelf is empty');
    },
  }),
  tool({
    name: 'rm',
    description: 'Is denied. Not for use.',
    effect: 'idempotent',
    legs: ['private-data', 'untrusted-content', 'outbound'],
    execute: async () => 'removed',
  }),
  tool({
    name: 'camera',
    description: 'Takes pictures. Not for films.',
    effect: 'pure',
    execute: async () => ({ at: 'pier' }),
    present: ({ at }) => [
      { type: 'text', text: `At the ${at}.` },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'file', mediaType: 'application/pdf', data: 'BBBB', name: 'a b.pdf' },
    ],
  }),
];

const model = scriptedModel({ writer: (_request, n) => `line ${n}` });

const poet: Agent<{ readonly topic: string }, string> = async (run, { topic }) => {
  const lines: string[] = [];
  for (let line = 0; line < 2; line++)
    lines.push((await run.scope(`line-${line}`).ask({ name: 'writer', model, setup: 'Write.' }, topic)).text);
  return done(`${topic}: ${lines.join(', ')}`);
};
const waiter: Agent<unknown, string> = async (run) => {
  await run.call(tools[1] as ToolRef, { n: 5 });
  return done('served');
};
const sleeper: Agent<unknown, string> = async (run) => {
  await run.sleep(150);
  return done('awake');
};
const endless: Agent<unknown, string> = async (run) => {
  await run.step(
    'work',
    null,
    (_, { signal }) =>
      new Promise<null>((resolve) => {
        told.push('working');
        signal.addEventListener('abort', () => resolve(null));
      }),
    'pure',
  );
  return done('never');
};
const clumsy: Agent<unknown, string> = async () => {
  throw new Error('secret path /srv/internal/config.json');
};
const strict: Agent<unknown, string> = async (_, input) =>
  input === null
    ? blocked('there is nothing to do')
    : failed({ code: 'QUALITY_NOT_REACHED', message: 'not good enough', retryable: false });

/** Mails, and says something else about it. */
const mailer: Agent<unknown, string> = async (run, input) => {
  await run.step('mail', 'to ada', () => 'sent', 'idempotent');
  await run.step('look', null, () => 1, 'pure');
  if (input === 'fails') return failed({ code: 'QUALITY_NOT_REACHED', message: 'not good enough', retryable: false });
  return done('I mailed nobody.');
};

export const agents = { poet, waiter, sleeper, endless, clumsy, strict, mailer };

const TOPIC = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] };

export const offeredAgents: readonly McpAgent[] = [
  { name: 'poet', description: 'Writes two lines. Not for prose.', inputSchema: TOPIC },
  ...['waiter', 'sleeper', 'endless', 'clumsy', 'strict', 'mailer'].map((name) => ({
    name,
    description: `Is ${name}.`,
  })),
];

export interface Who {
  readonly subject: string;
}

export function servedRuntime(): Runtime {
  const runtime = createRuntime({
    engine: memoryEngine(),
    agents: { ...agents, [TOOL_CALL]: toolCallAgent(toolset(tools)) } as never,
    seams: governance({ clock: systemClock(), tools, autonomy: 'autonomous', trifecta: 'deny', rateLimit: 'off' }),
    onProblem: () => undefined,
  });
  onTestFinished(() => runtime.close({ drainMs: 100 }));
  return runtime;
}

/** All of it over HTTP, for whoever the header names. */
export async function servedOverHttp(
  parts: Partial<RuntimeOfferParts<Who>> = {},
  options: Partial<McpHttpOptions> = {},
) {
  const problems: unknown[] = [];
  const runtime = servedRuntime();
  const startedBy = (who: Who) => ({ subject: who.subject, tenant: 'desk' });
  const offer = runtimeOffer<Who>({ runtime, tools, agents: offeredAgents, startedBy, ...parts });
  const onProblem = (error: unknown): void => void problems.push(error);
  const endpoint = await mcpHttpEndpoint(offer, { name: 'desk', version: '3.1', onProblem, ...options });
  onTestFinished(() => endpoint.close());
  const served = await listening((request) =>
    endpoint.handle(request, { subject: request.headers.get('x-subject') ?? 'nobody' }),
  );
  return { ...served, runtime, problems };
}

/** The SDK's own client. */
export async function clientOf(url: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { 'x-subject': 'ada' } } }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** The text of a result. */
export function said(result: { readonly content: readonly unknown[] }): string {
  return result.content.map((block) => (block as { readonly text?: string }).text ?? '').join('');
}
