import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { governance } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { effectFor, legsFor } from '../../packages/flyball/src/adapters/mcp-client/hints.js';
import type { McpEffect } from '../../packages/flyball/src/adapters/mcp-client/server-spec.js';
import { callOnce, httpSpec, httpWorkshop, openPool, until } from './stage.js';

const never = { now: () => 0, monotonic: () => 0 };
const listed = (annotations: Readonly<Record<string, boolean>>) => ({
  name: 'look',
  inputSchema: { type: 'object' as const },
  annotations,
});

describe('hints of an MCP server', () => {
  it.each([
    { readOnlyHint: true },
    { readOnlyHint: true, openWorldHint: false },
    { idempotentHint: true, destructiveHint: false },
    { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
  ])('%j relax nothing by themselves [F-S3]', (annotations) => {
    const spec = { name: 's', transport: { kind: 'stdio', command: 'x' } } as const;
    expect(effectFor(spec, listed(annotations), 'as-approved')).toBe('irreversible');
    expect(legsFor(spec, listed(annotations), 'as-approved')).toEqual(['untrusted-content', 'outbound']);
  });

  it.each<[McpEffect, Readonly<Record<string, boolean>>, McpEffect]>([
    ['pure', {}, 'pure'],
    ['pure', { readOnlyHint: false }, 'irreversible'],
    ['pure', { readOnlyHint: true, destructiveHint: true }, 'irreversible'],
    ['idempotent', { idempotentHint: false }, 'irreversible'],
    ['idempotent', { destructiveHint: true, idempotentHint: true }, 'idempotent'],
    ['irreversible', { readOnlyHint: true }, 'irreversible'],
  ])('tighten what the operator says: %s with %j is %s [F-S3]', (known, annotations, effect) => {
    const spec = { name: 's', transport: { kind: 'stdio', command: 'x' }, effects: { look: known } } as const;
    expect(effectFor(spec, listed(annotations), 'as-approved')).toBe(effect);
    expect(effectFor(spec, listed(annotations), 'changed')).toBe('irreversible');
    const closed = { ...spec, legs: [] };
    expect(legsFor(closed, listed({ openWorldHint: true }), 'as-approved')).toContain('outbound');
    expect(legsFor(closed, listed({}), 'changed')).toContain('outbound');
  });

  it('do not get a tool called under read-only, nor past the trifecta monitor [F-S3] [I3.3]', async () => {
    const { url } = await httpWorkshop(); // `environment` says that it only reads and reaches nobody
    const { effects: _, ...unread } = httpSpec(url, { include: ['environment'] });
    const { tool, pool } = await openPool([unread]);
    const seams = governance({ clock: never, tools: pool.tools(), autonomy: 'read-only', rateLimit: 'off' });
    const { result } = await callOnce(tool('workshop__environment'), {}, seams);
    expect(result).toMatchObject({ ok: false, failure: { code: 'DENIED' } });
    const files = { ...tool('workshop__environment'), name: 'read_file', legs: ['private-data'] as const };
    expect(pool.audit([files]).verdict).toBe('block');
    expect(pool.audit([]).verdict).not.toBe('block'); // neither side has all three legs by itself
  });
});

describe('a tool of an MCP server that was approved', () => {
  it('is not called any more once the server describes it differently, whichever way [F-S3]', async () => {
    const server = await httpWorkshop({ grave: true });
    const { events, tool } = await openPool([httpSpec(server.url, { effects: { echo: 'idempotent' } })]);
    const echo = tool('workshop__echo');
    server.become({}); // from destructive to read-only: the direction in which nobody looked
    await until(() => events.some(({ type }) => type === 'changed'));
    expect((await callOnce(echo)).result).toMatchObject({ failure: { code: 'DENIED' } });
    expect(tool('workshop__echo').effect).toMatchObject({ class: 'irreversible' }); // the setting was about the old one
    expect(events).toContainEqual(expect.objectContaining({ type: 'changed', altered: ['workshop__echo'] }));
  });

  it('gets no setting of the operator when it is added later [F-S3]', async () => {
    const server = await httpWorkshop();
    const { events, tool } = await openPool([httpSpec(server.url)]);
    server.become({ extra: ['sing'] });
    await until(() => events.some(({ type }) => type === 'changed'));
    expect(tool('workshop__sing').effect).toMatchObject({ class: 'irreversible' });
  });

  it('is held to its hash over restarts by a pin, and what is not pinned is left out and told [F-S3] [I3.6]', async () => {
    const server = await httpWorkshop();
    const include = ['echo', 'say'];
    const first = await openPool([httpSpec(server.url, { include })]);
    const { echo = '' } = first.pool.servers()[0]?.hashes ?? {};
    expect(echo).toMatch(/^[0-9a-f]{16}$/);
    const pinned = httpSpec(server.url, { include, pins: { echo } });
    const second = await openPool([pinned]);
    expect(second.pool.tools().map(({ name }) => name)).toEqual(['workshop__echo']);
    expect(second.events).toContainEqual({
      type: 'left-out',
      server: 'workshop',
      tool: 'workshop__say',
      why: expect.stringMatching(/^it is not pinned\. .* pin it as [0-9a-f]{16}\.$/),
    });
    server.become({ grave: true });
    const third = await openPool([pinned]);
    expect(third.pool.tools()).toEqual([]);
    expect(third.events).toContainEqual(
      expect.objectContaining({ type: 'left-out', why: expect.stringContaining(`pinned as ${echo}`) }),
    );
  });

  it('is not called on an approval that was given for it as it was, in whichever process [F-S3]', async () => {
    const server = await httpWorkshop();
    const engine = memoryEngine();
    const processWith = async () => {
      const { tool } = await openPool([httpSpec(server.url, { effects: {} })]);
      const agent: Agent<unknown, unknown> = async (run) =>
        done(await run.call(tool('workshop__echo'), { text: 'hi' }));
      return createRuntime({ engine, agents: { agent }, onProblem: () => undefined });
    };
    const first = await processWith();
    const { id, outcome } = await first.start('agent', null, { budget: budget({}) });
    const asked = await outcome();
    const [wait] = asked.stop === 'suspended' ? asked.waiting : [];
    expect(wait?.request).toMatchObject({
      action: 'workshop__echo',
      toolHash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    await first.close();
    server.become({ grave: true });
    const second = await processWith();
    onTestFinished(() => second.close());
    await second.signal(id, wait?.token ?? '', { verdict: 'approve' }, { from: 'ada' });
    const end = await (await second.resume(id)).outcome();
    expect(end).toMatchObject({ stop: 'done', value: { ok: false, failure: { code: 'DENIED' } } });
    expect(JSON.stringify(end)).toContain('has changed since somebody was asked');
  });
});
