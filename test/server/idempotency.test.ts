import { memoryStore } from 'flyball';
import { testHost, type VirtualClock, virtualClock } from 'flyball/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../packages/flyball/src/ports/store.js';
import { idempotency, nameOf } from '../../packages/server/src/access/idempotency.js';
import type { Principal } from '../../packages/server/src/access/principal.js';
import type { KeptAnswer, Repeatable } from '../../packages/server/src/gate.js';
import { Problem } from '../../packages/server/src/problem.js';

const principal: Principal = {
  id: 'key:aaaaaaaa',
  kind: 'key',
  tenant: 'acme',
  subject: 'ci',
  scopes: ['*'],
  limits: {},
};
const SETTINGS = { idempotencyMs: 86_400_000, requestTimeoutMs: 30_000 };

const request = (more: Partial<Repeatable> & { body?: string } = {}): Repeatable => {
  const { body = '{}', ...rest } = more;
  const raw = new TextEncoder().encode(body);
  return { principal, route: 'startRun', target: 'post /v1/runs', key: 'k-1', raw, ...rest };
};

let clock: VirtualClock;
let store: Store;
let acted: number;
const act = async (): Promise<KeptAnswer> => ({ status: 202, body: { n: ++acted } });
beforeEach(() => {
  clock = virtualClock();
  store = memoryStore();
  acted = 0;
});
const server = (more: Parameters<typeof idempotency>[3] = {}) => idempotency(store, clock, SETTINGS, more);

describe('a request with an idempotency key [R6-ACCESS-IDEMPOTENCY]', () => {
  it('acts once and answers the same again, from another server too, and says so', async () => {
    expect(await server().around(request(), act)).toEqual({ status: 202, body: { n: 1 } });
    expect(await server().around(request(), act)).toEqual({ status: 202, headers: {}, body: { n: 1 }, replayed: true });
    expect(acted).toBe(1);
  });

  it('is refused with another body', async () => {
    await server().around(request(), act);
    await expect(server().around(request({ body: '{"x":1}' }), act)).rejects.toMatchObject({
      status: 422,
      code: 'KEY_REUSED',
    });
    expect(acted).toBe(1);
  });

  it('is another request from another principal, another tenant or at another address', async () => {
    const all = [
      request(),
      request({ principal: { ...principal, id: 'key:bbbbbbbb' } }),
      request({ principal: { ...principal, tenant: 'other' } }),
      request({ target: 'post /v1/runs/r1/cancel' }),
      request({ key: 'k-2' }),
    ];
    for (const each of all) await server().around(each, act);
    expect(acted).toBe(5);
    expect(new Set(all.map(nameOf)).size).toBe(5);
  });

  it('is told to wait while the first is being answered, and gets its answer after', async () => {
    let answer: (given: KeptAnswer) => void = () => undefined;
    const first = server().around(request(), () => new Promise((resolve) => (answer = resolve)));
    await expect.poll(() => answer.length).toBe(1);
    await expect(server().around(request(), act)).rejects.toMatchObject({
      status: 409,
      code: 'BUSY',
      retryable: true,
      headers: { 'retry-after': '1' },
    });
    answer({ status: 200, body: 'done' });
    await first;
    expect(await server().around(request(), act)).toEqual({ status: 200, headers: {}, body: 'done', replayed: true });
    expect(acted).toBe(0);
  });

  it('acts once when many come at the same moment', async () => {
    const [here, there] = [server(), server()];
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? here : there).around(request(), act)),
    );
    expect(acted).toBe(1);
    expect(all.some(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it.each([500, 503, 429, 408])('acts again after an answer with %s, still only with the same body', async (status) => {
    await server().around(request(), async () => ({ status, body: null }));
    await expect(server().around(request({ body: '[]' }), act)).rejects.toMatchObject({ code: 'KEY_REUSED' });
    expect(await server().around(request(), act)).toEqual({ status: 202, body: { n: 1 } });
  });

  it('acts again after a handler that threw, and tells what it threw', async () => {
    const refused = new Problem(503, 'BUSY', 'not now');
    await expect(server().around(request(), () => Promise.reject(refused))).rejects.toBe(refused);
    expect(await server().around(request(), act)).toEqual({ status: 202, body: { n: 1 } });
  });

  it('keeps an answer of at most 64 KB; beyond that it acts again under the same name', async () => {
    const names: (string | undefined)[] = [];
    const long = async (): Promise<KeptAnswer> => {
      names.push(nameOf(request()));
      return { status: 200, body: 'x'.repeat(70_000) };
    };
    await server().around(request(), long);
    expect(await server().around(request(), long)).not.toHaveProperty('replayed');
    expect(names).toEqual([names[0], names[0]]);
    await server().around(request({ key: 'k-3' }), async () => ({ status: 200, body: 'x'.repeat(60_000) }));
    expect(await server().around(request({ key: 'k-3' }), act)).toMatchObject({ replayed: true });
  });

  it('acts under the same name after a crash: at once where the first server is proven gone', async () => {
    const gone = new Set<string>();
    const [first, second] = [testHost('one', gone), testHost('two', gone)];
    void server({ host: first }).around(request(), () => new Promise(() => undefined));
    await expect.poll(async () => (await kept())?.records).toHaveLength(1);
    await expect(server({ host: second }).around(request(), act)).rejects.toMatchObject({ code: 'BUSY' });
    first.die();
    expect(await server({ host: second }).around(request(), act)).toEqual({ status: 202, body: { n: 1 } });
  });

  it('acts after a crash that nobody can prove once the time of a request is over', async () => {
    void server().around(request(), () => new Promise(() => undefined));
    await expect.poll(async () => (await kept())?.records).toHaveLength(1);
    await clock.advance(39_000);
    await expect(server().around(request(), act)).rejects.toMatchObject({ code: 'BUSY' });
    await clock.advance(1_001);
    expect(await server().around(request(), act)).toEqual({ status: 202, body: { n: 1 } });
  });

  it('whose server was overtaken does not overwrite the answer of the other', async () => {
    let answer: (given: KeptAnswer) => void = () => undefined;
    const slow = server().around(request(), () => new Promise((resolve) => (answer = resolve)));
    await expect.poll(() => answer.length).toBe(1);
    await clock.advance(60_000);
    await server().around(request(), act);
    answer({ status: 200, body: 'late' });
    await slow;
    expect(await server().around(request(), act)).toEqual({ status: 202, headers: {}, body: { n: 1 }, replayed: true });
  });

  it('is new again when its time is over, and what is over is erased in the end', async () => {
    const here = server();
    await here.around(request(), act);
    await clock.advance(86_400_000);
    expect(await here.around(request({ body: '{"other":true}' }), act)).toEqual({ status: 202, body: { n: 2 } });
    await clock.advance(86_400_000);
    await here.around(request({ key: 'k-9' }), act);
    await expect.poll(async () => (await kept()).records).toHaveLength(1);
  });

  it('leaves no more behind than its time is worth, however many come', async () => {
    const here = server();
    for (let n = 0; n < 300; n++) await here.around(request({ key: `old-${n}` }), act);
    await clock.advance(86_400_000);
    for (let n = 0; n < 500; n++) await here.around(request({ key: `new-${n}` }), act);
    await expect.poll(async () => await all()).toBe(500);
  });

  it.each(['', ' ', 'a b', 'a\r\nx: y', 'ä', 'x'.repeat(129)])('is refused where the key is %j', async (key) => {
    const refusal = await server()
      .around(request({ key }), act)
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 400 });
    if (key.trim() !== '') expect((refusal as Problem).message).not.toContain(key);
    expect(acted).toBe(0);
  });
});

async function kept() {
  return store.query({ tenant: '~server', owner: 'acme', collection: 'idempotency' });
}

async function all(): Promise<number> {
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    const where = { tenant: '~server', owner: 'acme', collection: 'idempotency', limit: 200 };
    const page = await store.query(cursor === undefined ? where : { ...where, cursor });
    count += page.records.length;
    cursor = page.cursor;
    if (cursor === undefined) return count;
  }
}
