import { createMcpHandler } from '@modelcontextprotocol/server';
import { type Agent, budget, done } from 'flyball';
import type { McpServerSpec } from 'flyball/adapters/mcp-client';
import { describe, expect, it } from 'vitest';
import type { ToolRef, ToolResult } from '../../packages/flyball/src/core/tool.js';
import { answer } from '../runtime/stage.js';
import { makeServer } from './servers/workshop.mjs';
import {
  callOnce,
  httpSpec,
  httpWorkshop,
  Ledger,
  listening,
  openPool,
  proxyTo,
  runtimeOf,
  until,
  workshop,
} from './stage.js';

/** A call in a run that is watched from outside while it is under way. */
function calling(tool: ToolRef, args: unknown) {
  const agent: Agent<unknown, ToolResult> = async (run, input) => done(await run.call(tool, input));
  const runtime = runtimeOf(agent as never);
  const started = runtime.start('agent', args, { budget: budget({}) });
  return { runtime, outcome: async () => (await started).outcome(), id: async () => (await started).id };
}

/** An answer that begins and then breaks off. */
function broken(): Response {
  const body = new ReadableStream({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode(': soon\n\n'));
      setTimeout(() => stream.close(), 20);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

describe('a server that is killed in the middle of a call', () => {
  it('ends a call that may be repeated in a typed error, after which the next try starts it anew [R6-MCP-DROPPED] [R6-SHOW-MCP] [I3.acceptance]', async () => {
    const ledger = new Ledger();
    const { tool, events } = await openPool([workshop({}, { WORKSHOP_LEDGER: ledger.path })]);
    const { runtime, outcome, id } = calling(tool('workshop__stall_once'), {});
    process.kill(Number(await ledger.until('call stall_once')), 'SIGKILL');
    expect(await outcome()).toMatchObject({ stop: 'done', value: { ok: true, content: 'this time it answers' } });
    const retries = (await runtime.entries(await id())).flatMap(({ event }) => (event.type === 'retry' ? [event] : []));
    expect(retries).toMatchObject([
      {
        name: 'workshop__stall_once',
        failure: {
          code: 'EFFECT_FAILED',
          retryable: true,
          message: 'The MCP server workshop gave no answer: the connection was dropped.',
        },
      },
    ]);
    expect(ledger.count('start')).toBe(2);
    expect(ledger.count('list 0')).toBe(2); // read again with the new connection
    expect(events.filter(({ type }) => type === 'dropped')).toHaveLength(1);
  });

  it('leaves a call that must not be repeated in doubt: it is made once, and a person is asked [R6-MCP-DROPPED]', async () => {
    const ledger = new Ledger();
    const { tool } = await openPool([workshop({}, { WORKSHOP_LEDGER: ledger.path })]);
    const { runtime, outcome, id } = calling(tool('workshop__write'), { text: 'and stall' });
    expect(await outcome()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    const [gate] = (await runtime.get(await id())).waiting;
    await answer(runtime, await id(), gate ?? '', { verdict: 'approve' }, { from: 'ada' });
    const server = Number(await ledger.until('call write'));
    await ledger.until('wrote');
    process.kill(server, 'SIGKILL');
    const doubts = async () => (await runtime.entries(await id())).filter(({ event }) => event.type === 'doubt');
    while ((await doubts()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(ledger.count('wrote')).toBe(1);
    expect((await callOnce(tool('workshop__echo'), { text: 'again' })).result).toMatchObject({ content: 'again' });
    expect(ledger.count('wrote')).toBe(1);
  });

  it('and does not come back makes calls fail, not the agent [R6-MCP-DROPPED]', async () => {
    const ledger = new Ledger();
    const once = `if (require('fs').existsSync(process.argv[1])) process.exit(1); import(process.argv[2])`;
    const { WORKSHOP } = await import('./stage.js');
    const transport: McpServerSpec['transport'] = {
      kind: 'stdio',
      command: process.execPath,
      args: [
        '-e',
        `${once}.then(({ makeServer }) => import(process.argv[3]).then(({ serveStdio }) => serveStdio(() => makeServer({ ledger: process.argv[1] }))))`,
        ledger.path,
        WORKSHOP,
        import.meta.resolve('@modelcontextprotocol/server/stdio'),
      ],
    };
    const { tool } = await openPool([workshop({ transport })]);
    const { outcome } = calling({ ...tool('workshop__stall'), retry: { retries: 0 } } as ToolRef, {});
    process.kill(Number(await ledger.until('call stall')), 'SIGKILL');
    expect(await outcome()).toMatchObject({ stop: 'done', value: { ok: false, failure: { code: 'EFFECT_FAILED' } } });
    const { result } = await callOnce({ ...tool('workshop__echo'), retry: { retries: 0 } } as ToolRef);
    expect(result).toMatchObject({
      failure: { retryable: true, message: expect.stringMatching(/^The MCP server workshop could not be reached/) },
    });
  });
});

describe.each(['negotiate', 'initialize'] as const)(
  'over HTTP (%s), a connection that is cut in the middle of a call',
  (handshake) => {
    it('ends the call at once in a typed error, and the next one works [R6-MCP-DROPPED] [R6-SHOW-MCP]', async () => {
      const ledger = new Ledger();
      const server = await httpWorkshop({ ledger: ledger.path });
      const proxy = await proxyTo(server.port);
      const { tool } = await openPool([httpSpec(proxy.url, { handshake, timeoutMs: 600_000 })]);
      const stall = tool('workshop__stall');
      const failing = stall.execute({} as never, { key: 'k', signal: new AbortController().signal });
      failing.catch(() => undefined);
      await ledger.until('call stall');
      proxy.cut();
      // long before the call would have timed out, or this test would
      await expect(failing).rejects.toMatchObject({ code: 'EFFECT_FAILED', retryable: true });
      expect((await callOnce(tool('workshop__echo'), { text: 'back' })).result).toMatchObject({ content: 'back' });
    });

    it('leaves what must not be repeated in doubt [R6-MCP-DROPPED]', async () => {
      const ledger = new Ledger();
      const server = await httpWorkshop({ ledger: ledger.path });
      const proxy = await proxyTo(server.port);
      const { tool } = await openPool([httpSpec(proxy.url, { handshake })]);
      const how = { key: 'k', signal: new AbortController().signal };
      const failing = tool('workshop__write').execute({ text: 'and stall' } as never, how);
      failing.catch(() => undefined);
      await ledger.until('wrote');
      proxy.cut();
      await expect(failing).rejects.toMatchObject({ code: 'EFFECT_IN_DOUBT', retryable: false, inDoubt: true });
      expect(ledger.count('wrote')).toBe(1);
    });

    it('is made anew when the server was restarted, and its tools are read again [R6-MCP-DROPPED] [I3.5]', async () => {
      const server = await httpWorkshop();
      const { tool, events } = await openPool([httpSpec(server.url, { handshake })]);
      await server.close();
      await httpWorkshop({ extra: ['sing'] }, { port: server.port });
      const results = await Promise.all(
        ['a', 'b', 'c'].map(async (text) => (await callOnce(tool('workshop__echo'), { text })).result.content),
      );
      expect(results).toEqual(['a', 'b', 'c']);
      if (handshake === 'initialize') return; // keeps no stream open by which it would know
      await until(() => events.some(({ type }) => type === 'dropped'));
      await callOnce(tool('workshop__echo'), { text: 'd' }); // which of the calls finds out depends on the sockets
      await until(() => events.some(({ type }) => type === 'changed'));
      expect(tool('workshop__sing').name).toBe('workshop__sing');
    });
  },
);

describe('a call', () => {
  it('whose stream breaks costs the others over the same connection nothing [R6-MCP-DROPPED]', async () => {
    const handler = createMcpHandler(() => makeServer({}));
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { url } = await listening(async (request) => {
      const body = await request.clone().text();
      if (body.includes('"plain_1"')) return broken();
      if (body.includes('"echo"')) await opened;
      return handler.fetch(request);
    });
    const { tool, events } = await openPool([httpSpec(url)]);
    const how = { key: 'k', signal: new AbortController().signal };
    const other = tool('workshop__echo').execute({ text: 'unharmed' } as never, how);
    await expect(tool('workshop__plain_1').execute({} as never, how)).rejects.toMatchObject({ retryable: true });
    expect(events.filter(({ type }) => type === 'dropped')).toHaveLength(1);
    open();
    expect(await other).toEqual({ text: 'unharmed' });
  });

  it('for which the server has forgotten us was not made: it is made over a new connection, whatever it does [R6-MCP-DROPPED]', async () => {
    const ledger = new Ledger();
    const handler = createMcpHandler(() => makeServer({ ledger: ledger.path }));
    let forgotten = 0;
    const { url } = await listening(async (request) => {
      const isCall = (await request.clone().text()).includes('"tools/call"');
      return isCall && forgotten++ === 0 ? new Response('no such session', { status: 404 }) : handler.fetch(request);
    });
    const { tool } = await openPool([httpSpec(url)]);
    const how = { key: 'k', signal: new AbortController().signal };
    expect(await tool('workshop__write').execute({ text: 'once' } as never, how)).toEqual({ text: 'wrote once' });
    expect(ledger.count('wrote')).toBe(1);
    expect(ledger.count('list 0')).toBe(2);
  });

  it('that takes too long fails with what is known about it, and the server is told to stop', async () => {
    const ledger = new Ledger();
    const { url } = await httpWorkshop({ ledger: ledger.path });
    const { tool } = await openPool([httpSpec(url, { timeoutMs: 150 })]);
    const how = { key: 'k', signal: new AbortController().signal };
    await expect(tool('workshop__stall').execute({} as never, how)).rejects.toMatchObject({
      code: 'EFFECT_FAILED',
      retryable: true,
      message: 'The MCP server workshop gave no answer: no answer within 150 ms.',
    });
    await ledger.until('cancelled stall');
    await expect(tool('workshop__write').execute({ text: 'and stall' } as never, how)).rejects.toMatchObject({
      code: 'EFFECT_IN_DOUBT',
    });
  });

  it('is taken back when its run is cancelled', async () => {
    const ledger = new Ledger();
    const { url } = await httpWorkshop({ ledger: ledger.path });
    const { tool } = await openPool([httpSpec(url)]);
    const { runtime, outcome, id } = calling(tool('workshop__stall'), {});
    await ledger.until('call stall');
    await runtime.cancel(await id(), { by: 'ada' });
    expect(await outcome()).toMatchObject({ stop: 'cancelled' });
    await ledger.until('cancelled stall');
  });

  it('over a pool that was closed fails, and one under way ends', async () => {
    const ledger = new Ledger();
    const { url } = await httpWorkshop({ ledger: ledger.path });
    const { pool, tool } = await openPool([httpSpec(url)]);
    const how = { key: 'k', signal: new AbortController().signal };
    const failing = tool('workshop__stall').execute({} as never, how);
    failing.catch(() => undefined);
    await ledger.until('call stall');
    await pool.close();
    await expect(failing).rejects.toMatchObject({ code: 'EFFECT_FAILED' });
    await expect(tool('workshop__echo').execute({} as never, how)).rejects.toThrow(/was closed/);
  });
});
