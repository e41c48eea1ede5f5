import { afterEach, describe, expect, it } from 'vitest';
import { ollamaModel, openAiModel } from '../adapters/model-http/index.js';
import type { ModelDelta } from '../core/model.js';
import { type ModelServer, modelServer } from '../testing/model-server/model-server.js';
import type { ServerScript } from '../testing/model-server/server-script.js';
import { virtualClock } from '../testing/virtual-clock.js';
import { type ModelRouterParts, modelRouter } from './router.js';
import type { RouterEvent } from './router-event.js';
import { endOf, request } from './routing.test-data.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(replies: ServerScript): Promise<ModelServer> {
  const server = await modelServer({ replies });
  servers.push(server);
  return server;
}

/** A router over real connections and a clock that stands still. The second server speaks Ollama's format. */
async function over(first: ModelServer, second?: ModelServer, more: Partial<ModelRouterParts> = {}) {
  const clock = virtualClock();
  const events: RouterEvent[] = [];
  const waiting = new Map<RouterEvent['type'], () => void>();
  const router = await modelRouter({
    resolve: (name) =>
      name === 'first/model'
        ? openAiModel({ id: name, baseUrl: first.baseUrl('openai-chat') })
        : ollamaModel({ id: name, baseUrl: second?.baseUrl('ollama') ?? '' }),
    roles: { default: 'first/model' },
    fallback: { default: second === undefined ? [] : ['second/model'] },
    clock,
    random: () => 0,
    observe: (event) => {
      events.push(event);
      waiting.get(event.type)?.();
    },
    ...more,
  });
  /** Resolves with the next event of this type. */
  const next = (type: RouterEvent['type']): Promise<void> =>
    new Promise((resolve) => {
      waiting.set(type, resolve);
    });
  return { model: router.forRole('default'), clock, events, next };
}

const call = { key: 'k1', signal: new AbortController().signal };

describe('over real connections', () => {
  it('a 429 is waited out for the time that its Retry-After names [R3-ROUTER-RETRY]', async () => {
    const server = await serve([{ misbehave: '429', retryAfter: 7 }, 'hello']);
    const { model, clock, events, next } = await over(server);
    const limited = next('retry-wait');
    const reply = model.generate(request, call);
    await limited;
    await clock.advance(6_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    const answer = await reply;
    expect(answer.text).toBe('hello');
    expect(answer).not.toHaveProperty('wasted'); // nobody works on a request that is refused
    expect(events).toContainEqual(expect.objectContaining({ type: 'retry-wait', waitMs: 7_000, askedMs: 7_000 }));
    expect(server.connections).toBe(1);
    server.assertFinished();
  });

  it('a 429 that wants an hour is answered by another server instead [R3-ROUTER-FALLBACK]', async () => {
    const [first, second] = [await serve([{ misbehave: '429', retryAfter: 3_600 }]), await serve(['good day'])];
    const { model, clock } = await over(first, second);
    expect(await model.generate(request, call)).toMatchObject({ text: 'good day', model: 'second/model' });
    expect(clock.pending()).toEqual([]);
  });

  it('a 503 is tried again, then another server answers [R3-ROUTER-RETRY] [R3-ROUTER-FALLBACK]', async () => {
    const [first, second] = [await serve(() => ({ misbehave: '503' })), await serve(['good day'])];
    const { model, clock, next } = await over(first, second, { retry: { retries: 1, baseDelayMs: 100 } });
    const waiting = next('retry-wait');
    const reply = model.generate(request, call);
    await waiting;
    await clock.advance(100);
    expect(await reply).toMatchObject({ text: 'good day', model: 'second/model' });
    expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
    expect(second.requestAt(1).format).toBe('ollama');
  });

  it('a server that hangs is left after the timeout, its connection closed, and another one answers [R3-ROUTER-TIMEOUT]', async () => {
    const [first, second] = [await serve([{ misbehave: 'hang' }]), await serve(['good day'])];
    const { model, clock } = await over(first, second, { timeoutMs: 5_000 });
    const reply = model.generate(request, call);
    await first.reached(1);
    await clock.advance(5_000);
    await first.abandoned(1);
    expect(await reply).toMatchObject({ text: 'good day', model: 'second/model', wasted: { output: 50 } });
    expect(clock.pending()).toEqual([]);
  });

  it('what came of a stream that was cut is voided before the next try, and may be on the bill [R3-ROUTER-BUDGET]', async () => {
    const words = 'These words come in pieces, and the connection breaks in their midst.';
    const server = await serve([{ misbehave: 'cut', text: words }, words]);
    const { model, clock, next } = await over(server);
    const deltas: ModelDelta[] = [];
    const waiting = next('retry-wait');
    const reply = model.generate(request, { ...call, onDelta: (delta) => deltas.push(delta) });
    await waiting;
    expect(deltas.at(-1)?.type).toBe('restart');
    await clock.advance(60_000);
    expect(await reply).toMatchObject({ text: words, wasted: { input: model.countTokens(request), output: 50 } });
    const restart = deltas.findIndex(({ type }) => type === 'restart');
    const said = (part: readonly ModelDelta[]) =>
      part.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
    expect(words.startsWith(said(deltas.slice(0, restart)))).toBe(true);
    expect(restart).toBeGreaterThan(0);
    expect(said(deltas.slice(restart))).toBe(words);
  });

  it('a refused connection costs nothing, and another server answers [R3-ROUTER-FALLBACK]', async () => {
    const [gone, second] = [await serve([]), await serve(['good day'])];
    await gone.close();
    const { model } = await over(gone, second, { retry: { retries: 0 } });
    const reply = await model.generate(request, call);
    expect(reply).toMatchObject({ text: 'good day', model: 'second/model' });
    expect(reply).not.toHaveProperty('wasted');
  });

  it('a prompt too long for both servers is sent to the second only if its window is larger [R3-ROUTER-FALLBACK]', async () => {
    const [first, second] = [await serve([{ misbehave: 'context-length' }]), await serve([])];
    const { model } = await over(first, second); // 128,000 tokens against 8,192
    await expect(model.generate(request, call)).rejects.toMatchObject({ code: 'WINDOW_EXCEEDED' });
    expect(second.requests).toHaveLength(0);
  });

  it('failures in a row open the circuit: the next call is not sent [R3-ROUTER-BREAKER]', async () => {
    const [first, second] = [await serve(() => ({ misbehave: '503' })), await serve(() => 'good day')];
    const { model, events } = await over(first, second, { retry: { retries: 0 }, breaker: { failures: 3 } });
    for (let n = 0; n < 5; n++) expect((await model.generate(request, call)).text).toBe('good day');
    expect([first.requests.length, second.requests.length]).toEqual([3, 5]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'breaker-change', provider: 'first', to: 'open' }));
  });

  it('an abort closes the connection, and those in line are never sent [R3-ROUTER-TIMEOUT] [R3-ROUTER-CONCURRENCY]', async () => {
    const server = await serve(() => ({ misbehave: 'hang' }));
    const { model, clock } = await over(server, undefined, { concurrency: { limit: 2 } });
    const controller = new AbortController();
    const context = { key: 'k', signal: controller.signal };
    const calls = Array.from({ length: 5 }, () => endOf(model.generate(request, context)));
    await server.reached(2);
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 5 }, () => reason));
    await Promise.all([server.abandoned(1), server.abandoned(2)]);
    expect([server.requests.length, clock.pending()]).toEqual([2, []]);
  });
});
