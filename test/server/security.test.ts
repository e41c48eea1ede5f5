import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../packages/server/src/contract/route.js';
import { allRoutes } from '../../packages/server/src/routes/all-routes.js';
import { comparable, fittingRequest, Secrets } from './security-stage.js';
import { type Answered, type CallHow, type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
let routes: readonly Route[];
const secrets = new Secrets();
const credentials = { ours: '', theirs: '', wrong: '', unknown: '', expired: '', revoked: '', narrow: '' };

beforeAll(async () => {
  stage = await serverStage({ settings: { failuresPerMinute: 1_000_000 } });
  routes = allRoutes(stage.server.parts);
  const ours = await stage.keyFor('acme', ['*']);
  const revoked = await stage.keyFor('acme', ['*']);
  await stage.keys.revoke(revoked.slice(3, 11));
  const expiresAt = Date.now() + 20;
  const expired = await stage.keyFor('acme', ['*'], { expiresAt });
  Object.assign(credentials, {
    ours,
    theirs: await stage.keyFor('other', ['*']),
    wrong: `${ours.slice(0, 12)}${'A'.repeat(43)}`,
    unknown: `fb_unknown2_${'A'.repeat(43)}`,
    expired,
    revoked,
    narrow: await stage.keyFor('acme', ['desk']),
  });
  for (const key of Object.values(credentials)) secrets.add(key);
  while (Date.now() <= expiresAt) await new Promise((resolve) => setTimeout(resolve, 5));
});
afterAll(() => stage.close());

/** Every answer of this file is looked through. */
async function call(method: string, path: string, how?: CallHow): Promise<Answered> {
  const answer = await stage.call(method, path, how);
  secrets.leaksNothing(answer, `the answer to ${method} ${path}`, [stage.folder]);
  return answer;
}

async function send(
  route: Route,
  key: string | undefined,
  params: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const { method, path, body } = fittingRequest(route, params);
  return call(method, path, {
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body }),
  });
}

const ANYBODY = ['getHealth', 'getReadiness', 'openApi', 'docs', 'docsStyle', 'callHook'];

describe('every route [R6-ACCESS-SCOPES] [R6-SHOW-SECURITY]', () => {
  it('asks for a scope, except those that anybody may call', () => {
    expect(
      routes
        .filter(({ scope }) => scope === undefined)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ANYBODY].sort());
    expect(routes.filter(({ scope }) => scope === 'any').map(({ id }) => id)).toEqual(['whoami']);
  });

  it('refuses a request without a credential, in the same words everywhere', async () => {
    const said = new Set<string>();
    for (const route of withProblems()) said.add(comparable(await send(route, undefined)));
    expect([...said]).toHaveLength(1);
    expect([...said][0]).toMatch(
      /^401\n[\s\S]*www-authenticate: Bearer realm="flyball"[\s\S]*"code":"UNAUTHENTICATED"/,
    );
    expect([...said][0]).toMatch(/content-type: application\/problem\+json[\s\S]*x-content-type-options: nosniff/);
  });

  it('refuses wrong, unknown, expired and revoked keys alike: nothing tells which it was', async () => {
    const said = new Set<string>();
    const { wrong, unknown, expired, revoked } = credentials;
    for (const route of withProblems())
      for (const key of [wrong, unknown, expired, revoked, 'nonsense', 'a.b.c'])
        said.add(comparable(await send(route, key)));
    expect([...said]).toHaveLength(1);
    expect([...said][0]).toMatch(/^401\n[\s\S]*"The credential is not valid\."/);
  });

  it('does so in the format of OpenAI where that is spoken, alike for every bad key', async () => {
    const { wrong, unknown, expired, revoked } = credentials;
    const routes = guarded().filter(({ errors }) => errors !== undefined);
    expect(routes.length).toBeGreaterThan(2);
    const said = new Set<string>();
    for (const route of routes)
      for (const key of [wrong, unknown, expired, revoked, 'nonsense', 'a.b.c'])
        said.add(comparable(await send(route, key)));
    expect([...said]).toHaveLength(1);
    expect([...said][0]).toMatch(/^401\n[\s\S]*"type":"authentication_error"/);
  });

  it('refuses a good key that lacks its scope, and names the scope', async () => {
    for (const route of guarded().filter(({ scope }) => scope !== 'any')) {
      const answer = await send(route, credentials.narrow);
      const { code, detail } = route.errors === undefined ? answer.body : { ...answer.body.error, detail: answer.text };
      expect([answer.status, code], route.id).toEqual([403, 'FORBIDDEN']);
      expect(detail, route.id).toContain(route.scope);
    }
  });

  it('is not opened by the scope of a neighbor', async () => {
    const scopes = [...new Set(guarded().map(({ scope }) => scope))].filter(
      (scope) => scope !== 'any' && scope !== 'admin',
    );
    for (const scope of scopes) {
      const others = scopes.filter((each) => each !== scope) as string[];
      const key = secrets.add(await stage.keyFor('acme', others));
      const route = guarded().find((each) => each.scope === scope && each.streams !== true);
      if (route !== undefined) expect((await send(route, key)).status, route.id).toBe(403);
    }
    const almost = secrets.add(await stage.keyFor('acme', ['runs', 'runs:rea', 'run:*', 'agents:readx']));
    expect((await call('GET', '/v1/runs', { key: almost })).status).toBe(403);
  });

  it('refuses a credential that is anywhere but in its header', async () => {
    const { ours } = credentials;
    const elsewhere = [
      { 'x-api-key': ours },
      { cookie: `authorization=Bearer ${ours}` },
      { authorization: `Basic ${ours}` },
    ];
    for (const headers of elsewhere) expect((await call('GET', '/v1/whoami', { headers })).status).toBe(401);
    expect((await stage.call('GET', `/v1/whoami?authorization=${ours}`)).status).toBe(401);
  });

  it('of another protocol asks for the same credentials', async () => {
    const { wrong, narrow, ours } = credentials;
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { accept: 'application/json, text/event-stream' };
    expect((await call('POST', '/mcp', { body, headers })).status).toBe(401);
    expect((await call('POST', '/mcp', { key: wrong, body, headers })).status).toBe(401);
    expect((await call('POST', '/mcp', { key: narrow, body, headers })).status).toBe(403);
    for (const method of ['GET', 'DELETE']) expect((await call(method, '/mcp', { headers })).status).toBe(401);
    expect((await call('POST', '/mcp', { key: ours, body: '{', headers })).status).toBe(400);
  });

  it('that is not there is refused like any other, and takes no other method', async () => {
    expect((await call('GET', '/v1/nothing')).status).toBe(404);
    expect((await call('GET', '/V1/RUNS', { key: credentials.ours })).status).toBe(404);
    expect((await call('DELETE', '/v1/runs', { key: credentials.ours })).status).toBe(405);
    expect((await call('PUT', '/v1/keys', { key: credentials.ours })).status).toBe(405);
  });
});

describe('of another tenant nothing can be learned [R6-ACCESS-TENANTS] [R6-SHOW-SECURITY]', () => {
  let ids: Readonly<Record<string, Readonly<Record<string, string>>>>;
  beforeAll(async () => {
    const key = credentials.ours;
    const waiting = (await call('POST', '/v1/runs', { key, body: { agent: 'waiter', input: {} } })).body.id as string;
    await call('POST', '/v1/runs', { key, body: { agent: 'payer', input: { amount: 7 } } });
    const talk = (await call('POST', '/v1/conversations', { key, body: { agent: 'plain', message: 'hello' } })).body
      .id as string;
    const asked = await until(
      () => call('GET', '/v1/approvals', { key }),
      ({ body }) => body.items.length > 0,
    );
    const { entries } = (await call('GET', `/v1/runs/${talk}/entries`, { key })).body;
    const tip = entries.find((each: { event: { tip?: string } }) => each.event.tip !== undefined)?.event.tip as string;
    ids = {
      runId: { waiting, talk },
      conversationId: { talk },
      id: { approval: asked.body.items[0].id },
      prefix: { key: key.slice(3, 11) },
      tip: { tip },
    };
  });

  it('by an id: every route answers one of theirs with the bytes of one that never was', async () => {
    const tried: string[] = [];
    for (const route of guarded().filter(({ path }) => path.includes('{'))) {
      const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const [own = ''] = names.filter((name) => name in ids && !(name === 'id' && !route.path.includes('approvals')));
      for (const real of Object.values(ids[own] ?? {})) {
        const tip = ids['tip']?.['tip'] ?? '';
        const foreign = await send(route, credentials.theirs, { [own]: real, ...(own === 'tip' ? {} : { tip }) });
        const madeUp = likeIt(real);
        const nobody = await send(route, credentials.theirs, { [own]: madeUp, ...(own === 'tip' ? {} : { tip }) });
        expect(foreign.status, route.id).toBe(404);
        expect(comparable(foreign, { id: real }), route.id).toBe(comparable(nobody, { id: madeUp }));
        tried.push(route.id);
      }
    }
    expect(new Set(tried).size).toBeGreaterThanOrEqual(20);
    for (const id of [
      'getRun',
      'listEntries',
      'followRun',
      'forkRun',
      'cancelRun',
      'decideApproval',
      'sayInConversation',
      'revokeKey',
    ])
      expect(tried).toContain(id);
  });

  it('in a list, by a filter or by a cursor of theirs', async () => {
    const { ours: key, theirs } = credentials;
    const lists = ['/v1/runs', '/v1/approvals', '/v1/keys', '/v1/conversations?agent=plain', '/v1/triggers'];
    const words = [...Object.values(ids).flatMap((each) => Object.values(each)), 'acme'];
    for (const path of lists) {
      const mine = await call('GET', path, { key: theirs });
      for (const word of words) expect(mine.text.includes(word), `${word} in ${path}`).toBe(false);
    }
    const page = await call('GET', '/v1/runs?limit=1', { key });
    expect(page.body.cursor).toBeTypeOf('string');
    const next = await call('GET', `/v1/runs?limit=50&cursor=${encodeURIComponent(page.body.cursor as string)}`, {
      key: theirs,
    });
    expect(next.status).toBe(400);
    expect(next.text).not.toContain('acme');
    const filtered = await call('GET', `/v1/approvals?run=${ids['runId']?.['waiting']}`, { key: theirs });
    expect(filtered.body.items).toEqual([]);
    expect((await call('GET', '/v1/runs?subject=acme%27s', { key: theirs })).body.runs).toEqual([]);
  });

  it('by calling a run of the own as theirs is called, or by their idempotency key', async () => {
    const { ours: key, theirs } = credentials;
    const body = { agent: 'waiter', input: {}, id: 'daily' };
    const headers = { 'idempotency-key': 'same-for-both' };
    const mine = await call('POST', '/v1/runs', { key, body, headers });
    const other = await call('POST', '/v1/runs', { key: theirs, body, headers });
    expect([mine.status, other.status]).toEqual([202, 202]);
    expect(other.headers.get('idempotent-replayed')).toBeNull();
    expect(other.body.id).not.toBe(mine.body.id);
    expect([mine.body.tenant, other.body.tenant]).toEqual(['acme', 'other']);
  });

  it('and nothing of theirs was changed by all that', async () => {
    const { ours: key } = credentials;
    expect((await call('GET', `/v1/runs/${ids['runId']?.['waiting']}`, { key })).body.status).toBe('suspended');
    expect(
      (await call('GET', `/v1/approvals/${encodeURIComponent(ids['id']?.['approval'] ?? '')}`, { key })).body.status,
    ).toBe('open');
    expect((await call('GET', `/v1/conversations/${ids['runId']?.['talk']}`, { key })).body.turns).toHaveLength(1);
    expect(
      (await call('GET', '/v1/keys', { key })).body.keys.every((each: { tenant: string }) => each.tenant === 'acme'),
    ).toBe(true);
  });
});

describe('keys over HTTP [R6-ACCESS-KEYS]', () => {
  it('are made, rotated and revoked by an administrator, and take effect with the next request', async () => {
    const admin = secrets.add(await stage.keyFor('acme', ['admin']));
    const made = await stage.call('POST', '/v1/keys', {
      key: admin,
      body: { name: 'site', scopes: ['runs:read'], expiresInDays: 1 },
    });
    expect(made.status).toBe(201);
    const first = secrets.add(made.body.secret as string);
    expect(made.body.key).toMatchObject({ tenant: 'acme', subject: "acme's", scopes: ['runs:read'] });
    expect((await call('GET', '/v1/whoami', { key: first })).body).toMatchObject({
      kind: 'key',
      tenant: 'acme',
      scopes: ['runs:read'],
    });
    const { prefix } = made.body.key;
    const rotated = await stage.call('POST', `/v1/keys/${prefix}/rotate`, { key: admin, body: { graceHours: 0 } });
    const second = secrets.add(rotated.body.secret as string);
    expect((await call('GET', '/v1/whoami', { key: first })).status).toBe(401);
    expect((await call('GET', '/v1/whoami', { key: second })).status).toBe(200);
    expect((await call('DELETE', `/v1/keys/${prefix}`, { key: admin })).body.revokedAt).toBeTypeOf('number');
    expect((await call('GET', '/v1/whoami', { key: second })).status).toBe(401);
    expect((await call('GET', '/v1/keys', { key: admin })).text).toContain(prefix);
  });

  it('have no wider limits than their maker, and its own where none are asked for', async () => {
    const admin = secrets.add(
      await stage.keyFor('acme', ['admin'], { limits: { requestsPerMinute: 600, costUsdPerDay: 2 } }),
    );
    const make = async (limits?: object) => {
      const made = await stage.call('POST', '/v1/keys', {
        key: admin,
        body: { name: 'x', scopes: ['runs:read'], ...(limits && { limits }) },
      });
      if (made.body.secret !== undefined) secrets.add(made.body.secret as string);
      return made;
    };
    expect((await make()).body.key.limits).toEqual({ requestsPerMinute: 600, costUsdPerDay: 2 });
    expect((await make({ costUsdPerDay: 1 })).body.key.limits).toEqual({ requestsPerMinute: 600, costUsdPerDay: 1 });
    expect((await make({ costUsdPerDay: 3 })).status).toBe(403);
  });

  it('are refused with what cannot be, and their tenant cannot be chosen', async () => {
    const { ours: key } = credentials;
    const wrong = [
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['Runs Read'] },
      { name: 'x\n', scopes: ['runs:read'] },
      { name: 'x', scopes: ['runs:read'], tenant: 'other' },
      { name: 'x', scopes: ['runs:read'], expiresInDays: -1 },
    ];
    for (const body of wrong) expect((await call('POST', '/v1/keys', { key, body })).status).toBe(400);
  });
});

it('no secret, and no hash of one, is in a log line, an event or a file of the server [R6-ACCESS-NO-LEAKS]', async () => {
  expect(stage.logged.length).toBeGreaterThan(200);
  secrets.absentFromLog(stage.logged);
  const { runs } = (await call('GET', '/v1/runs?limit=50', { key: credentials.ours })).body;
  for (const { id } of runs)
    secrets.absentFrom(JSON.stringify(await stage.server.parts.fleet.entries(id as string)), `the journal of ${id}`);
  const files = readdirSync(stage.folder).map((name) => readFileSync(join(stage.folder, name), 'latin1'));
  for (const key of Object.values(credentials)) expect(files.join().includes(key.slice(12))).toBe(false);
  expect(stage.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

function guarded(): readonly Route[] {
  return routes.filter(({ scope }) => scope !== undefined);
}

/** Those whose refusals have the format of a client that we did not write are compared among themselves. */
function withProblems(): readonly Route[] {
  return guarded().filter(({ errors }) => errors === undefined);
}

/** An id of the same shape that nobody has. */
function likeIt(id: string): string {
  const last = id.at(-1) === 'a' ? 'b' : 'a';
  return `${id.slice(0, -1)}${last}`;
}

async function until<T>(ask: () => Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
