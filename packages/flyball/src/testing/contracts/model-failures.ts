import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { API_KEY, type DeclareModelTest, fails, observed, quiet, request, WAYS } from './model-fixture.js';

/** Every way in which a provider misbehaves, and what the caller is told of it. */
export function failuresContract(test: DeclareModelTest): void {
  for (const { way, ask } of WAYS) {
    const unavailable = { code: 'MODEL_UNAVAILABLE', retryable: true } as const;

    test(`says that it is refused for now and for how long, ${way}`, { misbehave: '429', retryAfter: 7 }, async ({
      model,
    }) => {
      const { detail } = await fails(ask(model, request()), { ...unavailable, mayHaveCost: false });
      assert.deepEqual([detail['status'], detail['retryAfterMs']], [429, 7000]);
    });

    test(`reads a time to come back at, ${way}`, {
      misbehave: '503',
      retryAfter: new Date('2100-01-01T00:00:00Z'),
    }, async ({ model }) => {
      const { detail } = await fails(ask(model, request()), { ...unavailable, mayHaveCost: false });
      assert.equal(detail['status'], 503);
      assert.ok(Number(detail['retryAfterMs']) > 0);
    });

    test(`says that the provider failed, and that it may have cost something, ${way}`, { misbehave: '500' }, async ({
      model,
    }) => {
      const { detail } = await fails(ask(model, request()), { ...unavailable, mayHaveCost: true });
      assert.equal(detail['status'], 500);
    });

    test(`gives up at once, in the provider's own words, ${way}`, {
      refuse: { status: 400, message: 'temperature: must be below 2' },
    }, async ({ model }) => {
      const { message, detail } = await fails(ask(model, request()), { code: 'MODEL_REJECTED', retryable: false });
      assert.match(message, /temperature: must be below 2/);
      assert.equal(detail['status'], 400);
    });

    test(`knows a prompt that is too long, ${way}`, { misbehave: 'context-length' }, async ({ model }) => {
      await fails(ask(model, request()), { code: 'WINDOW_EXCEEDED', retryable: false });
    });

    for (const misbehave of ['malformed-json', 'wrong-content-type', 'cut', 'drop', 'ends-early'] as const) {
      test(`takes nothing for a reply that is none (${misbehave}), ${way}`, { misbehave }, async ({ model }) => {
        await fails(ask(model, request()), { ...unavailable, mayHaveCost: true });
      });
    }

    test(`does not mind what it does not know, ${way}`, {
      text: 'Fine.',
      reasoning: 'Hm.',
      misbehave: 'unknown-fields',
    }, async ({ model }) => {
      const reply = await ask(model, request());
      assert.deepEqual([reply.text, reply.reasoning, reply.finish], ['Fine.', 'Hm.', 'stop']);
    });

    test(`puts up with a slow provider, ${way}`, { text: 'At last, naïve.', misbehave: 'slow' }, async ({ model }) => {
      assert.equal((await ask(model, request())).text, 'At last, naïve.');
    });

    test(
      `never repeats a key that the provider echoes, ${way}`,
      ({ headers }) => ({
        refuse: { status: 401, message: `Incorrect API key provided: ${JSON.stringify(headers)}` },
      }),
      async ({ model, server }) => {
        assert.ok(JSON.stringify(server.requests).includes(API_KEY) === false);
        const error = await ask(model, request()).then(
          () => assert.fail('it was let in'),
          (refused: unknown) => refused,
        );
        assert.ok(JSON.stringify(server.requestAt(1).headers).includes(API_KEY), 'the key was not sent');
        const { message, detail } = error as { message: string; detail: unknown };
        assert.ok(!message.includes(API_KEY) && !JSON.stringify(detail).includes(API_KEY), message);
      },
    );
  }

  test('says that nobody is there, which costs nothing', [], async ({ model, server }) => {
    await server.close();
    await fails(model.generate(request(), quiet()), { code: 'MODEL_UNAVAILABLE', retryable: true, mayHaveCost: false });
  });

  abortContract(test);
}

function abortContract(test: DeclareModelTest): void {
  const never = new Promise<never>(() => undefined);

  test('stops waiting when it is aborted, with the reason given, and hangs up', { misbehave: 'hang' }, async ({
    model,
    server,
  }) => {
    const stop = new AbortController();
    const call = model.generate(request(), quiet(stop.signal));
    await server.reached(1);
    stop.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    await server.abandoned(1);
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
  });

  const halfTold = { text: 'told up to here, and then '.repeat(20), misbehave: 'slow', gate: never } as const;
  test('stops in the middle of a stream when it is aborted, and hangs up', halfTold, async ({ model, server }) => {
    const stop = new AbortController();
    let call: Promise<unknown> = Promise.resolve();
    await new Promise<void>((heard) => {
      call = model.generate(request(), { ...quiet(stop.signal), onDelta: () => heard() });
    });
    stop.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    await server.abandoned(1);
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
  });

  test('does not begin what is aborted already', [], async ({ model, server }) => {
    await assert.rejects(model.generate(request(), quiet(AbortSignal.abort(new Error('too late')))), /too late/);
    assert.equal(server.requests.length, 0);
  });

  test(
    'leaves no listener on a signal that many calls share, whichever way they end',
    ['Fine.', { misbehave: '500' }, 'Fine.', { misbehave: 'cut' }],
    async ({ model }) => {
      const { signal } = new AbortController();
      for (let call = 0; call < 2; call++) {
        await model.generate(request(), quiet(signal));
        await observed(model, request(), signal).catch(() => undefined);
      }
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    },
  );
}
