import { type Agent, done, type ToolRef } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool, toolRegistry } from 'flyball/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../packages/server/src/app.js';
import { route } from '../../packages/server/src/contract/route.js';
import { SILENT } from '../../packages/server/src/log.js';
import type { Mount, PipelineParts } from '../../packages/server/src/pipeline.js';
import { Problem } from '../../packages/server/src/problem.js';
import { allMounts, allRoutes } from '../../packages/server/src/routes/all-routes.js';
import { DEFAULT_SETTINGS } from '../../packages/server/src/settings.js';
import { openWire } from '../../packages/server/src/wire.js';
import { fittingRequest } from './security-stage.js';
import { type ServerStage, serverStage } from './stage-server.js';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const FLYBALL = `fb_k3v7q2ma_${'Ab-1'.repeat(11).slice(1)}`;
const KNOWN = 'the "blue" zygote \\ lands';
/** What stands of it in any form of it. */
const IN_KNOWN = 'zygote';
// in JSON, and in JSON in JSON, what is before each of them ends in a letter
const SAID = `one\n${GITHUB}\ttwo\n${FLYBALL}\nthree\n${KNOWN}\nfour`;
const LINE = SAID.replaceAll(/\s/g, ' ');
const PRIVATE = 'the-private-diagnosis';

const says: Agent<unknown, unknown> = async () => done({ [SAID]: SAID });
const degrades: Agent<unknown, unknown> = async () => ({ stop: 'degraded', value: SAID, because: SAID });
const boom: Agent<unknown, unknown> = async () => ({ stop: 'blocked', because: SAID });
const asks: Agent<unknown, unknown> = async (run) =>
  done(await run.wait({ name: `ask ${GITHUB}`, request: { question: SAID } }));
const hides: Agent<unknown, unknown> = async (run) => {
  run.note({ kind: 'private' });
  return done(await run.wait({ name: 'go', request: { question: PRIVATE } }));
};

const leak = tool({
  name: 'leak',
  description: `Tells ${GITHUB}. Not for anything.`,
  input: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'pure',
  execute: async () => ({ said: SAID }),
});
const fails = tool({
  name: 'fails',
  description: 'Fails. Not for anything.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'pure',
  execute: async () => {
    throw new Error(SAID);
  },
});

let stage: ServerStage;
beforeAll(async () => {
  const talk = defineAgent({
    name: 'talk',
    description: `Says ${GITHUB}.`,
    model: scriptedModel({ talk: () => SAID }),
    tools: [leak as ToolRef],
    inputs: { question: { type: 'string', description: 'anything' } },
  });
  const agents = { talk, says, degrades, boom, asks, hides };
  stage = await serverStage({
    groups: [{ agents, tools: toolRegistry([leak, fails]) }],
    settings: { secrets: [KNOWN], heartbeatMs: 50, requestTimeoutMs: 2_000 },
  });
});
afterAll(() => stage.close());

const isClean = (text: string, where: string): void => {
  for (const secret of [GITHUB, FLYBALL, IN_KNOWN]) expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
};
const accept = { accept: 'application/json, text/event-stream' };

describe('every surface of a server', () => {
  const mcp = (name: string, version: string) =>
    stage.call('POST', '/mcp', {
      headers: { ...accept, 'mcp-protocol-version': version },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: name === '' ? 'tools/list' : 'tools/call',
        params:
          name === ''
            ? {}
            : { name, arguments: name === 'agent__talk' ? { question: SAID } : {}, _meta: { progressToken: 1 } },
      },
    });

  it.each(['', 'leak', 'fails', 'agent__talk', 'agent__says', 'agent__degrades', 'agent__boom', 'agent__asks', GITHUB])(
    'answers MCP clients without secrets: %s [R19-SECRETS-EVERYWHERE]',
    async (name) => {
      const { status, text } = await mcp(name, '2025-06-18');
      expect(status).toBe(200);
      isClean(text, `the answer to ${name}`);
      expect(text).toContain('[github-token removed]');
    },
  );

  it('does not tell MCP clients what a private run asks of others [R19-SECRETS-EVERYWHERE]', async () => {
    const { text } = await mcp('agent__hides', '2025-06-18');
    expect(text).toContain('signal go');
    expect(text).not.toContain(PRIVATE);
  });

  it('answers every route without them, whatever was sent and whatever agents and tools say [R19-SECRETS-EVERYWHERE]', async () => {
    const started = await Promise.all(
      ['talk', 'asks', 'asks'].map((agent) =>
        stage.call('POST', '/v1/runs', { body: { agent, input: { question: SAID } } }),
      ),
    );
    const runs: readonly string[] = started.map(({ body }) => body.id);
    for (const [n, runId] of runs.entries())
      await expect.poll(async () => (await stage.engine.get(runId))?.status).toBe(n === 0 ? 'done' : 'suspended');
    const seen = new Set<string>();
    for (const one of allRoutes(stage.server.parts)) {
      if (one.givesSecret === true) continue; // a key that was made for whoever asks
      for (const runId of runs.slice(0, 2)) {
        const { method, path, body } = fittingRequest(one, { runId, name: 'talk', id: 'nothing' });
        const stop = AbortSignal.timeout(one.streams === true ? 100 : 5_000);
        const text = await textOf(`${stage.url}${path}`, { method, body: saying(body), signal: stop });
        isClean(text, `${one.id} of ${runId}`);
        if (text.includes('[github-token removed]')) seen.add(one.id);
        if (!path.includes(runId)) break;
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['listTools', 'listAgents', 'listRuns', 'getRun', 'listEntries']));
    const tools = await Promise.all(
      ['leak', 'fails'].map((name) => stage.call('POST', `/v1/tools/${name}/execute`, { body: { args: {} } })),
    );
    const signal = await stage.call('POST', `/v1/runs/${runs[2]}/signal`, { body: { name: 'another' } });
    const chat = (stream: boolean) =>
      stage.call('POST', '/v1/chat/completions', {
        body: { model: 'talk', stream, messages: [{ role: 'user', content: SAID }] },
      });
    for (const { text } of [...tools, signal, await chat(false), await chat(true)]) {
      isClean(text, 'a direct answer');
      expect(text).toContain('[github-token removed]');
    }
  });

  it('gives a key to whoever made it, and shows it in no other answer [R19-SECRETS-EVERYWHERE]', async () => {
    const made = await stage.call('POST', '/v1/keys', { body: { name: 'ci', scopes: ['runs:read'] } });
    expect(made.body.secret).toMatch(/^fb_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
    const told = await stage.call('POST', '/v1/runs', {
      key: made.body.secret,
      body: { agent: 'says', input: made.body.secret },
    });
    expect(told.text).not.toContain(made.body.secret);
  });
});

/** A body with a secret in every place for words. */
function saying(body: unknown): unknown {
  const said = JSON.stringify(SAID).slice(1, -1);
  return JSON.parse(JSON.stringify(body ?? null).replaceAll('"question":"', () => `"question":"${said} `));
}

async function textOf(
  url: string,
  { method, body, signal }: { readonly method: string; readonly body: unknown; readonly signal: AbortSignal },
): Promise<string> {
  let text = '';
  const sent = body === null ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  try {
    const answer = await fetch(url, { method, signal, ...sent });
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) text += decoder.decode(piece as Uint8Array, { stream: true });
  } catch {
    // a stream that goes on
  }
  return text;
}

describe('a surface that takes nothing out by itself', () => {
  const events = [`data: {"a":"${LINE.slice(0, 20)}`, `${LINE.slice(20)}"}\n`, `\n: ${GITHUB}\n\ndata:${LINE}`];
  const json = (type: string): Response =>
    new Response(streamOf([`{"a":"${SAID.slice(0, 20)}`, `${SAID.slice(20)}"}`]), {
      headers: { 'content-type': type },
    });
  const answers = {
    json: () => ({ status: 200, body: { [SAID]: [SAID] } }),
    'by hand': () => json('application/json; charset=utf-8'),
    stream: () => new Response(streamOf(events), { headers: { 'content-type': 'text/event-stream' } }),
    refusal: () => {
      throw new Problem(422, 'RUN_ENDED', SAID, { next: SAID });
    },
  };
  const quiet = new AbortController().signal;
  const parts = {
    gate: { enter: () => ({ headers: {} }), noBody: () => undefined },
    settings: DEFAULT_SETTINGS,
    log: SILENT,
    monotonic: () => 0,
    phases: { leaving: quiet, closing: quiet, ending: quiet },
    observe: () => undefined,
    wire: openWire([KNOWN]),
  } as unknown as PipelineParts;

  it.each(Object.entries(answers))(
    'is cleaned on its way out, as a route and as a mount: %s [R19-SECRETS-EVERYWHERE]',
    async (_, handle) => {
      const about = { id: 'r', tag: 't', summary: '', scope: undefined, answers: {}, examples: [] } as const;
      const made = route({ ...about, method: 'get', path: '/r', streams: true, handle });
      const mount: Mount = {
        name: 'm',
        path: '/m',
        methods: ['GET'],
        handle: async () => {
          const answer = handle();
          return answer instanceof Response ? answer : Response.json(answer.body);
        },
      };
      for (const path of ['/r', '/m']) {
        const text = await (await createApp(parts, [made], [mount]).request(path)).text();
        isClean(text, path);
        expect(text).toContain('[github-token removed]');
        expect(text).toContain('[flyball-key removed]');
        expect(text).toContain('[secret removed]');
      }
    },
  );

  it('is one of these: whoever mounts another adds what it answers to this file [R19-SECRETS-EVERYWHERE]', () => {
    const mounts = allMounts(stage.server.parts, parts.gate).map(({ name }) => name);
    expect(new Set(mounts)).toEqual(new Set(['studio', 'mcp']));
  });
});

function streamOf(pieces: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}
