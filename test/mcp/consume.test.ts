import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from 'flyball';
import { budget, done } from 'flyball';
import { mcpServersFromFile, searchTools } from 'flyball/adapters/mcp-client';
import { scriptedModel } from 'flyball/testing';
import { injectionShield, toolset } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { callOnce, folder, httpSpec, httpWorkshop, Ledger, openPool, runtimeOf, until, workshop } from './stage.js';

describe('a server over stdio', () => {
  it('is read over all its pages, and at most 40 of its 50 tools are admitted [R6-MCP-CONSUME] [R6-SHOW-MCP] [I3.7] [I3.acceptance]', async () => {
    const ledger = new Ledger();
    const env = { WORKSHOP_LEDGER: ledger.path, COLOR: 'green' };
    const { pool, events, tool } = await openPool([workshop({}, env)]);
    expect(ledger.lines().filter((line) => line.startsWith('list'))).toEqual(['list 0', 'list 25']);
    const [state] = pool.servers();
    expect(state).toMatchObject({ name: 'workshop', version: '1.0.0', seen: 50, band: 'cheap' });
    expect(pool.tools()).toHaveLength(40);
    expect(events).toContainEqual(expect.objectContaining({ type: 'listed', tools: 50, hash: state?.hash }));
    expect(events).toContainEqual({
      type: 'warned',
      why: expect.stringMatching(/^10 tools were left out: 50 tools, and/),
    });
    expect(events).toContainEqual({ type: 'warned', why: expect.stringMatching(/^40 tools, more than 15/) });

    expect((await callOnce(tool('workshop__echo'), { text: 'hello' })).result).toMatchObject({ content: 'hello' });
    // its process was given what the specification names and a PATH, and nothing of this one's environment
    const { result } = await callOnce(tool('workshop__environment'));
    expect(result).toMatchObject({ content: JSON.stringify(['COLOR', 'PATH', 'WORKSHOP_LEDGER']) });
    expect(ledger.count('start')).toBe(1);
  });

  it('is asked which revision it speaks, unless somebody knows', async () => {
    const { pool, tool } = await openPool([workshop({ handshake: 'negotiate', include: ['echo'] })]);
    expect(pool.servers()).toMatchObject([{ protocol: '2026-07-28' }]);
    expect((await callOnce(tool('workshop__echo'), { text: 'modern' })).result).toMatchObject({ content: 'modern' });
  });

  it('that does not start is told with its last words, before there is an agent', async () => {
    const script = `console.error('no licence found'); process.exit(3)`;
    const transport = { kind: 'stdio', command: process.execPath, args: ['-e', script] } as const;
    await expect(openPool([workshop({ transport })])).rejects.toMatchObject({
      code: 'EFFECT_FAILED',
      message: expect.stringMatching(
        /^The MCP server workshop could not be reached: .* Its last words: no licence found/,
      ),
    });
    const nothing = { kind: 'stdio', command: '/nowhere/at-all' } as const;
    await expect(openPool([workshop({ transport: nothing })])).rejects.toThrow(/could not be reached: .*ENOENT/);
  });
});

describe('tools of a server', () => {
  it('are named by it, and stand on the legs and in the effect class that the operator names [R6-MCP-CONSUME]', async () => {
    const { url } = await httpWorkshop();
    const { tool, pool } = await openPool([httpSpec(url, { effects: { '*': 'pure', plain_1: 'idempotent' } })]);
    expect(tool('workshop__echo')).toMatchObject({ effect: 'pure', tags: ['mcp', 'mcp:workshop'] });
    // it says that it destroys: a hint takes back what a setting allows
    expect(tool('workshop__write').effect).toMatchObject({
      class: 'irreversible',
      why: expect.stringContaining('destroy'),
    });
    expect(tool('workshop__plain_1').effect).toBe('idempotent');
    expect(tool('workshop__environment').legs).toEqual(['untrusted-content', 'outbound']); // it is not on this machine
    expect(pool.audit().verdict).toBe('elevated');
    const files = { ...tool('workshop__echo'), name: 'read_file', legs: ['private-data'] as const };
    expect(pool.audit([files]).verdict).toBe('block');
  });

  it('are refused together when they are too many, unless they are pruned, by the task where there is one [R6-MCP-CONSUME] [I3.1]', async () => {
    const { url } = await httpWorkshop();
    await expect(openPool([httpSpec(url)], { whenOver: 'refuse' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/50 tools, and at most 40 are allowed.*include/),
    });
    const few = await openPool([httpSpec(url, { include: ['echo', 'write', 'ehco'], exclude: ['write'] })]);
    expect(few.pool.tools().map(({ name }) => name)).toEqual(['workshop__echo']);
    expect(few.events).toContainEqual({ type: 'warned', server: 'workshop', why: 'it has no tool ehco.' });
    const narrow = await openPool([httpSpec(url)], { task: 'use plain_38', window: 10_000 });
    expect(narrow.pool.tools().map(({ name }) => name)).toContain('workshop__plain_38');
    expect(narrow.pool.tools().length).toBeLessThan(40); // a tenth of the window is full before
  });

  it('can be searched: one model call names five, and the next request carries exactly their schemas [R6-MCP-CONSUME] [I3.acceptance]', async () => {
    const { url } = await httpWorkshop();
    const { pool } = await openPool([httpSpec(url)]);
    const names = pool
      .tools()
      .slice(3, 8)
      .map(({ name }) => name);
    const seen: string[][] = [];
    const model = scriptedModel({
      'tool-search': JSON.stringify({ tools: [...names, 'workshop__invented'] }),
      worker: (request) => {
        seen.push(request.tools.map(({ name }) => name));
        return 'done';
      },
    });
    const agent: Agent<string, string> = async (run, task) => {
      const { tools } = await searchTools(run, task, { model, tools: pool.tools() });
      return done((await run.ask({ name: 'worker', model, setup: 'Work.', tools }, task)).text);
    };
    const { outcome } = await runtimeOf(agent as never).start('agent', 'weigh it', { budget: budget({}) });
    expect(await outcome()).toMatchObject({ stop: 'done', value: 'done' });
    expect(seen).toEqual([names]);
  });

  it('give results that are shaped and bounded: text, checked data, and words in place of pictures', async () => {
    const { url } = await httpWorkshop();
    const { tool } = await openPool([httpSpec(url)], { maxResultChars: 1_000 });
    const content = async (name: string, text = ''): Promise<unknown> => (await callOnce(tool(name), { text })).result;
    expect(await content('workshop__weigh')).toMatchObject({
      content: '{"grams":12}',
      value: { text: '{"grams":12}', structured: { grams: 12 } },
    });
    expect(await content('workshop__weigh', 'wrongly')).toMatchObject({
      value: { text: '[the structured part is not what the tool promises, and was left out]' },
    });
    expect(await content('workshop__picture')).toMatchObject({
      content: '[image, image/png, 6 bytes]',
      parts: [{ type: 'image', mediaType: 'image/png', data: Buffer.from('pixels').toString('base64') }],
    });
    const { content: long } = (await content('workshop__long')) as { readonly content: string };
    expect(long).toMatch(/^begin x+\n\[299010 characters left out\]\nx+ end$/);
    expect(long.length).toBeLessThan(1_100);
  });

  it('are called with arguments that fit', async () => {
    const { url } = await httpWorkshop();
    const { tool } = await openPool([httpSpec(url)]);
    const { result } = await callOnce(tool('workshop__echo'), { text: 7 });
    expect(result).toMatchObject({ ok: false, failure: { code: 'INPUT_INVALID' } });
  });

  it('get no input of a person or a model out of us, in either revision [R6-MCP-CONSUME]', async () => {
    for (const handshake of ['negotiate', 'initialize'] as const) {
      const { url } = await httpWorkshop();
      const { tool } = await openPool([httpSpec(url, { handshake })]);
      const { result } = await callOnce(tool('workshop__ask'));
      expect(result).toMatchObject({ ok: false, failure: { code: 'EFFECT_FAILED', retryable: false } });
    }
  });

  it('whose descriptions give instructions are cut or left out, as are those that no provider would take', async () => {
    const { url } = await httpWorkshop({ hostile: true });
    const { pool, events, tool } = await openPool([httpSpec(url)]);
    expect(tool('workshop__friendly').description).toBe('Adds numbers. Enable [removed]. Not for text.');
    expect(events).toContainEqual({
      type: 'warned',
      server: 'workshop',
      why: expect.stringContaining('friendly: instr'),
    });
    const names = pool.tools().map(({ name }) => name);
    expect(names).not.toContain('workshop__poisoned');
    const out = events.filter(({ type }) => type === 'left-out');
    expect(out).toEqual([
      {
        type: 'left-out',
        server: 'workshop',
        tool: 'workshop__poisoned',
        why: expect.stringContaining('contains instr'),
      },
      { type: 'left-out', server: 'workshop', tool: 'workshop__broken', why: expect.stringContaining('$ref') },
    ]);
  });

  it('whose results give instructions are cleaned by the injection shield, which trusts none of them', async () => {
    const { url } = await httpWorkshop();
    const { tool } = await openPool([httpSpec(url)]);
    // even where somebody calls it trusted: text of a server is text of strangers
    const seams = injectionShield({ secret: 'a secret of this test', trusted: ['workshop__say'] });
    const { result } = await callOnce(tool('workshop__say'), {}, seams);
    expect(result.content).toContain('Prices: 3.');
    expect(JSON.stringify(result)).not.toContain('previous instructions');
  });
});

describe('a server that changes', () => {
  it('is read again when it says so, with a warning; agents that are made then get the new tools [R6-MCP-CONSUME] [V13.8]', async () => {
    const server = await httpWorkshop();
    const { pool, events, tool } = await openPool([httpSpec(server.url)]);
    const [before] = pool.servers();
    const echo = tool('workshop__echo');
    server.become({ extra: ['sing'] });
    await until(() => events.some(({ type }) => type === 'changed'));
    const [after] = pool.servers();
    expect(events).toContainEqual({
      type: 'changed',
      server: 'workshop',
      from: before?.hash,
      to: after?.hash,
      added: ['workshop__sing'],
      removed: ['workshop__plain_38'],
      altered: [],
    });
    expect(tool('workshop__sing').description).toContain('Does sing');
    expect(tool('workshop__echo')).toBe(echo); // what did not change is the same tool
  });

  it('and makes a tool more dangerous, or takes it away, does not get it called by agents that were given the old one [R6-MCP-CONSUME]', async () => {
    const server = await httpWorkshop({ extra: ['sing'] });
    const { events, tool } = await openPool([httpSpec(server.url)]);
    const [echo, sing] = [tool('workshop__echo'), tool('workshop__sing')];
    server.become({ grave: true });
    await until(() => events.some(({ type }) => type === 'changed'));
    expect((await callOnce(echo)).result).toMatchObject({ failure: { code: 'DENIED' } });
    expect((await callOnce(sing)).result).toMatchObject({ failure: { code: 'TOOL_UNKNOWN' } });
    expect(tool('workshop__echo').effect).toMatchObject({ class: 'irreversible' });
  });

  it('is not used in another version than it is pinned to; without a pin that is told [I3.4]', async () => {
    const { url } = await httpWorkshop({ version: '1.0.1' });
    await expect(openPool([httpSpec(url)])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message:
        'The MCP server workshop is pinned to version 1.0.0 and reports 1.0.1. Look at what changed, then move the pin.',
    });
    const { pin: _, ...unpinned } = httpSpec(url);
    const { events } = await openPool([unpinned]);
    const why = 'it is not pinned and is version 1.0.1; pin it to allow this.';
    expect(events).toContainEqual({ type: 'warned', server: 'workshop', why });
  });
});

const variable = (name: string): string => `\${${name}}`;

describe('a file of servers', () => {
  it('is the one that other products read, with our settings under a name of their own [R6-MCP-CONSUME]', async () => {
    const path = join(folder(), 'mcp.json');
    const servers = {
      'search engine': {
        command: 'npx',
        args: ['-y', 'search', `--key=${variable('KEY')}`],
        env: { MODE: variable('MODE:-quick') },
        icon: 'x',
      },
      desk: {
        type: 'http',
        url: 'https://desk.example/mcp',
        headers: { Authorization: `Bearer ${variable('KEY')}` },
        flyball: { pin: '2' },
      },
      off: { command: 'x', disabled: true },
    };
    writeFileSync(path, JSON.stringify({ mcpServers: servers }));
    expect(await mcpServersFromFile(path, { env: { KEY: 'k-123456' } })).toEqual([
      {
        name: 'search_engine',
        transport: { kind: 'stdio', command: 'npx', args: ['-y', 'search', '--key=k-123456'], env: { MODE: 'quick' } },
        secrets: ['k-123456'],
      },
      {
        name: 'desk',
        transport: { kind: 'http', url: 'https://desk.example/mcp', headers: { Authorization: 'Bearer k-123456' } },
        pin: '2',
        secrets: ['k-123456'],
      },
    ]);
    await expect(mcpServersFromFile(path, { env: {} })).rejects.toThrow(/search engine: args\[2\] needs .* KEY, which/);
  });

  it.each([
    [
      'that is no JSON, without quoting it',
      '{"mcpServers": {"a": {"env": {"KEY": "s3cret-value"',
      /it is not valid JSON/,
    ],
    [
      'with a setting that is misspelt',
      '{"mcpServers": {"a": {"command": "x", "flyball": {"exlude": []}}}}',
      /exlude is unknown/,
    ],
    [
      'with the transport of old',
      '{"mcpServers": {"a": {"type": "sse", "url": "https://a"}}}',
      /sse is no longer supported/,
    ],
    ['with neither command nor url', '{"mcpServers": {"a": {}}}', /give command, or url/],
    ['without servers', '{}', /mcpServers is missing/],
    [
      'that sends a token in the clear',
      '{"mcpServers": {"a": {"url": "http://a.example/x", "headers": {"A": "b"}}}}',
      /Use https/,
    ],
    ['with a name that begins no tool', '{"mcpServers": {"a__b": {"command": "x"}}}', /its name begins/],
  ])('%s is refused', async (_, text, why) => {
    const path = join(folder(), 'mcp.json');
    writeFileSync(path, text);
    const failure = await mcpServersFromFile(path, { env: {} }).catch((error: unknown) => error);
    expect(String(failure)).toMatch(why);
    expect(String(failure)).not.toContain('s3cret-value');
  });
});

it('a toolset can be cut out of a pool by its tags', async () => {
  const { url } = await httpWorkshop();
  const { pool } = await openPool([httpSpec(url, { include: ['echo'] })]);
  expect(toolset(pool.tools()).narrow({ tags: ['mcp:workshop'] }).names).toEqual(['workshop__echo']);
});
