import { joinOffers, type McpOffer, mcpHttpEndpoint, runtimeOffer } from '@flyball/server/mcp';
import type { Progress } from '@modelcontextprotocol/client';
import { ConfigError } from 'flyball';
import { describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { answer } from '../runtime/stage.js';
import { clientOf, offeredAgents, said, servedOverHttp, servedRuntime, told, tools } from './served.js';
import { listening, proxyTo, until } from './stage.js';

describe.each(['auto', 'legacy'] as const)("the SDK's own client (%s), over HTTP", (mode) => {
  it('lists agents and tools, and calls both as governed, journaled runs [R6-MCP-SERVE] [R6-SHOW-MCP]', async () => {
    const { url, runtime } = await servedOverHttp();
    const client = await clientOf(url, mode);
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
    expect(client.getServerVersion()).toMatchObject({ name: 'desk', version: '3.1' });
    const listed = (await client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual([
      ...offeredAgents.map(({ name }) => `agent__${name}`),
      ...tools.map(({ name }) => name),
    ]);
    expect(listed.find(({ name }) => name === 'double')).toMatchObject({
      inputSchema: { required: ['n'] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect(listed.find(({ name }) => name === 'pay')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
    });

    const doubled = await client.callTool({ name: 'double', arguments: { n: 21 } });
    expect(doubled).toMatchObject({ content: [{ type: 'text', text: '{"n":42}' }], structuredContent: { n: 42 } });
    const poem = await client.callTool({ name: 'agent__poet', arguments: { topic: 'tides' } });
    expect(said(poem)).toMatch(/^tides: line \d, line \d$/);
    expect(poem.structuredContent).toMatchObject({ status: 'done', output: said(poem) });

    const { runs } = await runtime.list({});
    expect(runs.map(({ agent, status, subject, tenant }) => [agent, status, subject, tenant])).toEqual([
      ['poet', 'done', 'ada', 'desk'],
      ['tool', 'done', 'ada', 'desk'],
    ]);
  });

  it('is sent the images and files that a tool returns [R11-N12-MCP]', async () => {
    const { url } = await servedOverHttp();
    const client = await clientOf(url, mode);
    expect(await client.callTool({ name: 'camera', arguments: {} })).toMatchObject({
      content: [
        { type: 'text', text: 'At the pier.' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///a%20b.pdf', mimeType: 'application/pdf', blob: 'BBBB' } },
      ],
    });
  });

  it('is told of failures in words for it, and never how the server is built [R6-MCP-SERVE]', async () => {
    const { url } = await servedOverHttp();
    const client = await clientOf(url, mode);
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      client
        .callTool({ name, arguments: args })
        .then((result) => ({ isError: result.isError ?? false, text: said(result) }));
    expect(await call('double', { n: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^INPUT_INVALID: The arguments are not valid: n:/),
    });
    expect(await call('trip')).toEqual({ isError: true, text: 'EFFECT_FAILED: the shelf is empty' });
    expect(await call('rm')).toMatchObject({ isError: true, text: expect.stringMatching(/^DENIED: .*private data/) });
    expect(await call('agent__clumsy')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/: Run run_\w+: It failed\. Its journal says why\.$/),
    });
    expect(await call('agent__strict')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^BLOCKED: Run run_\w+: there is nothing to do$/),
    });
    expect(await call('agent__strict', { input: 1 })).toMatchObject({
      text: expect.stringMatching(/^QUALITY_NOT_REACHED: .*not good enough$/),
    });
    await expect(call('agent__nobody')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('There is no tool agent__nobody.'),
    });
  });

  it('is told when a run waits for a person: which run, and for what [R6-MCP-SERVE]', async () => {
    const { url, runtime } = await servedOverHttp();
    const client = await clientOf(url, mode);
    const paid = await client.callTool({ name: 'pay', arguments: { n: 5 } });
    expect(paid.isError ?? false).toBe(false);
    const { runId, ...rest } = paid.structuredContent as { readonly runId: string };
    expect(rest).toMatchObject({ status: 'suspended', waitingFor: [{ kind: 'approval', about: 'pay' }] });
    expect(said(paid)).toMatch(/^Run run_\w+ waits for approval .* \(pay\)\. It continues when that is answered/);
    const [gate] = (await runtime.get(runId)).waiting;
    await answer(runtime, runId, gate ?? '', { verdict: 'approve' });
    expect(await runtime.handle(runId).finished()).toMatchObject({
      stop: 'done',
      value: { ok: true, content: 'paid' },
    });
    // an agent says so too, and one that only sleeps is waited for
    const waits = await client.callTool({ name: 'agent__waiter', arguments: {} });
    expect(waits.structuredContent).toMatchObject({ status: 'suspended', waitingFor: [{ kind: 'approval' }] });
    expect(said(await client.callTool({ name: 'agent__sleeper', arguments: {} }))).toBe('awake');
  });

  it('is told what a run did, from its journal, beside what the agent says of it [R7-TRUTH-MCP]', async () => {
    const { url } = await servedOverHttp();
    const client = await clientOf(url, mode);
    const mailed = await client.callTool({ name: 'agent__mailer', arguments: {} });
    expect(said(mailed)).toBe('I mailed nobody.');
    const acts = [{ id: '#0', name: 'mail', class: 'idempotent', what: 'took-place' }];
    expect(mailed.structuredContent).toMatchObject({ status: 'done', acts });
    const { runId } = mailed.structuredContent as { runId: string };
    // names and facts: what it was made with is the run's to tell (and an id may contain any three letters)
    expect(JSON.stringify(mailed).replaceAll(runId, '')).not.toContain('ada');
    const failed = await client.callTool({ name: 'agent__mailer', arguments: { input: 'fails' } });
    expect(failed.isError).toBe(true);
    expect(said(failed)).toMatch(/not good enough\. Took place and was not undone: mail\.$/);
  });

  it('hears how far a run is while it waits [R6-MCP-SERVE]', async () => {
    const { url } = await servedOverHttp();
    const client = await clientOf(url, mode);
    const heard: unknown[] = [];
    const onprogress = (told: Progress): void => void heard.push([told.progress, told.message]);
    await client.callTool({ name: 'agent__poet', arguments: { topic: 'rain' } }, { onprogress });
    expect(heard[0]).toEqual([1, 'writer asks the model']);
  });

  it('that goes away in the middle of a call ends the run politely, and can come back [R6-MCP-DROPPED] [R6-SHOW-MCP]', async () => {
    const { port, runtime } = await servedOverHttp();
    const proxy = await proxyTo(port);
    const client = await clientOf(proxy.url, mode);
    const before = told.length;
    const failing = client.callTool({ name: 'agent__endless', arguments: {} }, { timeout: patient(400) });
    failing.catch(() => undefined);
    await until(() => told.length > before);
    proxy.cut();
    await expect(failing).rejects.toThrow();
    const { runs } = await runtime.list({ agent: 'endless' });
    expect(await runtime.handle(runs[0]?.id ?? '').finished()).toMatchObject({ stop: 'cancelled' });
    expect(said(await client.callTool({ name: 'double', arguments: { n: 2 } }))).toBe('{"n":4}');
  });
});

describe('a client', () => {
  it('that takes its call back ends the run [R6-MCP-SERVE]', async () => {
    const { url, runtime } = await servedOverHttp();
    const client = await clientOf(url);
    const before = told.length;
    const taken = new AbortController();
    const failing = client.callTool({ name: 'agent__endless', arguments: {} }, { signal: taken.signal });
    failing.catch(() => undefined);
    await until(() => told.length > before);
    taken.abort('changed my mind');
    await expect(failing).rejects.toThrow();
    const { runs } = await runtime.list({ agent: 'endless' });
    expect(await runtime.handle(runs[0]?.id ?? '').finished()).toMatchObject({ stop: 'cancelled' });
  });

  it('is not kept waiting for ever: the run goes on without it', async () => {
    const { url, runtime } = await servedOverHttp({ waitMs: 100 });
    const client = await clientOf(url);
    const { structuredContent } = await client.callTool({ name: 'agent__endless', arguments: {} });
    expect(structuredContent).toMatchObject({ status: 'running' });
    const { runId } = structuredContent as { readonly runId: string };
    expect((await runtime.get(runId)).status).toBe('running');
    await runtime.cancel(runId);
  });

  it('is turned away while too many calls are under way', async () => {
    const { url } = await servedOverHttp({}, { maxCalls: 1 });
    const client = await clientOf(url);
    const before = told.length;
    const taken = new AbortController();
    const first = client.callTool({ name: 'agent__endless', arguments: {} }, { signal: taken.signal });
    first.catch(() => undefined);
    await until(() => told.length > before);
    expect(said(await client.callTool({ name: 'double', arguments: { n: 1 } }))).toMatch(
      /^BUSY: 1 calls are under way/,
    );
    taken.abort();
    await first.catch(() => undefined);
  });
});

describe('an endpoint', () => {
  const offer: McpOffer<string> = {
    tools: (who) =>
      Array.from({ length: 120 }, (_, index) => ({
        name: index === 0 ? `only_for_${who}` : `tool_${index}`,
        description: 'Is one of many. Not for anything.',
        inputSchema: { type: 'object' },
      })),
    call: async (name, _args, { who }) => {
      if (name === 'tool_1') throw new Error('at /srv/secret/place');
      if (name === 'tool_2') return { ok: true, text: 'x'.repeat(300_000) };
      return { ok: true, text: who };
    },
  };
  const open = async (of: McpOffer<string> = offer) => {
    const problems: unknown[] = [];
    const endpoint = await mcpHttpEndpoint(of, {
      name: 'many',
      version: '1',
      maxBodyBytes: 10_000,
      onProblem: (error) => problems.push(error),
    });
    const served = await listening((request) => endpoint.handle(request, request.headers.get('x-subject') ?? ''));
    return { ...served, problems };
  };

  it('shows each caller what is for them, page by page, and knows nothing of the rest [R6-MCP-SERVE]', async () => {
    const { url } = await open();
    const client = await clientOf(url);
    const first = await client.listTools({ cursor: '0' });
    expect(first.tools).toHaveLength(50);
    expect(first.nextCursor).toBe('50');
    const { tools: all } = await client.listTools();
    expect(all).toHaveLength(120);
    expect(all[0]?.name).toBe('only_for_ada');
    expect(said(await client.callTool({ name: 'only_for_ada' }))).toBe('ada');
    const unknown = await client.callTool({ name: 'only_for_bob' }).catch((error: unknown) => String(error));
    const invented = await client.callTool({ name: 'only_for_xyz' }).catch((error: unknown) => String(error));
    expect(unknown).toBe(String(invented).replace('xyz', 'bob'));
    await expect(client.listTools({ cursor: '7' })).rejects.toMatchObject({ code: -32602 });
  });

  it('keeps the words of its own failures, and sends no answer without end [R6-MCP-SERVE]', async () => {
    const { url, problems } = await open();
    const client = await clientOf(url);
    const broken = await client.callTool({ name: 'tool_1' });
    expect(broken).toMatchObject({ isError: true });
    expect(said(broken)).toBe('INTERNAL: The call failed inside the server. Its log says why.');
    expect(String(problems[0])).toContain('/srv/secret/place');
    expect(said(await client.callTool({ name: 'tool_2' }))).toMatch(/^TOO_LARGE: The answer has 300000 characters/);
    const large = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `"${'x'.repeat(20_000)}"`,
    });
    expect(large.status).toBe(413);
    expect((await fetch(url)).status).toBe(405);
  });

  it('tells clients that listen when its tools change [R6-MCP-SERVE]', async () => {
    const names = ['one'];
    let changed = (): void => undefined;
    const growing: McpOffer<string> = {
      tools: () => names.map((name) => ({ name, description: 'Grows.', inputSchema: { type: 'object' } })),
      call: async () => ({ ok: true, text: '' }),
      onChanged: (listener) => {
        changed = listener;
        return () => undefined;
      },
    };
    const { url } = await open(growing);
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const seen: string[][] = [];
    const onChanged = (_: unknown, tools: readonly { readonly name: string }[] | null) =>
      seen.push((tools ?? []).map(({ name }) => name));
    const client = new Client(
      { name: 't', version: '1' },
      { versionNegotiation: { mode: 'auto' }, listChanged: { tools: { onChanged } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    names.push('two');
    changed();
    await until(() => seen.length > 0);
    expect(seen).toEqual([['one', 'two']]);
    await client.close();
  });
});

describe('an offer', () => {
  it('of several runtimes is one, and a name that comes twice is a mistake', async () => {
    const runtime = servedRuntime();
    const [first, second] = [
      runtimeOffer({ runtime, tools: tools.slice(0, 1) }),
      runtimeOffer({ runtime, agents: offeredAgents }),
    ];
    const joined = joinOffers([first, second]);
    expect((await joined.tools(undefined)).map(({ name }) => name)).toContain('agent__poet');
    const ctx = { who: undefined, signal: new AbortController().signal, progress: () => undefined };
    expect(await joined.call('double', { n: 4 }, ctx)).toMatchObject({ ok: true, value: { n: 8 } });
    expect(await joined.call('nothing', {}, ctx)).toMatchObject({ ok: false, code: 'TOOL_UNKNOWN' });
    await expect(async () => joinOffers([first, first]).tools(undefined)).rejects.toThrow(ConfigError);
    const twins = [
      { name: 'a b', description: 'x' },
      { name: 'a_b', description: 'y' },
    ];
    expect(() => runtimeOffer({ runtime, agents: twins })).toThrow(/called "agent__a_b"/);
  });
});
