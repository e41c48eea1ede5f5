import { createServer, type Server } from 'node:http';
import { type Agent, type Clock, done, systemClock } from 'flyball';
import { directCall, traceOf, useOf } from 'flyball/patterns';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RUN, Stage } from '../../../../../test/runtime/stage.js';

const Charge = z.object({ customer: z.string(), cents: z.number().int().positive() }).strict();
const SECRET = 'sk-canary-4711';
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A service that answers these statuses in turn, the last one for ever, and keeps what it was sent. */
async function service(...statuses: readonly number[]) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      const status = statuses[Math.min(seen.length, statuses.length - 1)] ?? 200;
      seen.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(status, { 'x-internal': SECRET }).end(JSON.stringify({ charged: true }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const send = async (
    params: z.infer<typeof Charge>,
    { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}/charges`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'idempotency-key': key },
      body: JSON.stringify(params),
      signal,
    });
    if (!response.ok)
      throw Object.assign(new Error(`The service answered ${response.status}.`), { retryable: response.status >= 500 });
    return (await response.json()) as { readonly charged: boolean };
  };
  return { seen, send };
}

const quick = { baseDelayMs: 10, maxDelayMs: 1_000, jitterMs: 0 };
const inRun = async (agent: Agent<never, unknown>, input: unknown) => {
  const stage = new Stage<Clock>(systemClock());
  // the same call again and again is what is wanted here
  return { stage, outcome: await stage.open(agent as never).start(input, { noProgress: 1_000 }) };
};

describe('directCall', () => {
  it('decides by content in `check`, before anything is sent: `send` gets the checked input, whole [I1.5]', async () => {
    const sent: unknown[] = [];
    const charge = directCall({
      input: Charge,
      effect: 'idempotent',
      check: ({ cents }) => (cents > 100 ? `${cents} is over the limit.` : undefined),
      send: async (params) => void sent.push(params),
    });
    expect((await inRun(charge, { customer: 'c', cents: 101 })).outcome).toMatchObject({ stop: 'failed' });
    expect(sent).toEqual([]);
    expect((await inRun(charge, { customer: 'c', cents: 100 })).outcome).toMatchObject({ stop: 'done' });
    expect(sent).toEqual([{ customer: 'c', cents: 100 }]);
  });

  it('tries again with growing waits, each of them in the journal, and no model is asked [I1.1] [I1.6] [I1.acceptance]', async () => {
    const { seen, send } = await service(503, 503, 200);
    const charge = directCall({ name: 'charge', input: Charge, send, effect: 'idempotent' }, { maxTries: 3, ...quick });
    const { outcome, stage } = await inRun(charge, { customer: 'c', cents: 5 });
    expect(outcome).toMatchObject({ stop: 'done', value: { charged: true }, usage: { modelCalls: 0, toolCalls: 1 } });
    expect(seen).toHaveLength(3);
    const waits = (await stage.events('retry')).map(({ delayMs }) => delayMs);
    expect(waits).toEqual([10, 20]);
    expect(await stage.events('ask-start')).toEqual([]);
    expect(useOf(charge)).toMatchObject({ id: 'I1', calls: 0, predicted: { min: 0, max: 0 } });
  });

  it('sends the same bytes for the same input, a hundred times [I1.2] [I1.acceptance]', async () => {
    const { seen, send } = await service(200);
    const charge = directCall({ input: Charge, send, effect: 'idempotent' });
    const hundred: Agent<null, null> = async (run) => {
      for (let n = 0; n < 100; n++) await charge(run, { customer: 'c', cents: 5 });
      return done(null);
    };
    await inRun(hundred as never, null);
    expect([seen.length, new Set(seen).size]).toEqual([100, 1]);
  });

  it('checks what our own code hands in, and sends nothing that does not fit or is out of range [I1.3] [I1.acceptance]', async () => {
    const { seen, send } = await service(200);
    const check = ({ cents }: { readonly cents: number }) =>
      cents > 1_000 ? `${cents} is over the limit of 1000.` : undefined;
    const charge = directCall({ input: Charge, send, effect: 'idempotent', check });
    for (const input of [
      { customer: 'c', cents: '5' },
      { customer: 'c', cents: -5 },
      { cents: 5, customer: 'c', more: 1 },
    ])
      expect((await inRun(charge, input)).outcome).toMatchObject({
        stop: 'failed',
        failure: { code: 'INPUT_INVALID' },
      });
    const over = await inRun(charge, { customer: 'c', cents: 5_000 });
    expect(over.outcome).toMatchObject({
      stop: 'failed',
      because: expect.stringContaining('over the limit') as string,
    });
    expect(seen).toEqual([]);
  });

  it('takes no text to pick parameters from [I1.4]', async () => {
    expect(() => directCall({ input: z.string(), send: async () => null, effect: 'pure' })).toThrow(
      'parameters are not picked out of text',
    );
  });

  it('opens its circuit after repeated failures, and the next call sends nothing [I1.6] [I1.acceptance]', async () => {
    const { seen, send } = await service(500);
    const charge = directCall(
      { name: 'charge', input: Charge, send, effect: 'idempotent' },
      { maxTries: 1, ...quick, breaker: { failures: 2, openMs: 60_000 } },
    );
    const thrice: Agent<null, unknown> = async (run) => {
      const ends: unknown[] = [];
      for (let n = 0; n < 3; n++) {
        const end = await charge(run, { customer: 'c', cents: 5 });
        ends.push(end.stop === 'failed' ? end.failure.code : end.stop);
      }
      return done(ends);
    };
    const { outcome, stage } = await inRun(thrice as never, null);
    expect(outcome).toMatchObject({ value: ['EFFECT_FAILED', 'EFFECT_FAILED', 'CIRCUIT_OPEN'] });
    expect(seen).toHaveLength(2);
    expect(await stage.events('operator-alert')).toMatchObject([{ alert: 'circuit-open' }]);
  });

  it('shows no credential in the journal or the trace, and returns data without headers [I1.7] [I1.8]', async () => {
    const { send } = await service(200);
    const charge = directCall({ input: Charge, send, effect: 'idempotent' });
    const { stage } = await inRun(charge, { customer: 'c', cents: 5 });
    const entries = await stage.entries();
    expect(JSON.stringify(entries)).not.toContain(SECRET);
    expect(JSON.stringify(traceOf(RUN, entries))).not.toContain(SECRET);
    const raw = directCall({
      input: Charge,
      send: async () => ({ status: 200, headers: { cookie: SECRET } }),
      effect: 'pure',
    });
    const leaked = await inRun(raw, { customer: 'c', cents: 5 });
    expect(leaked.outcome).toMatchObject({
      stop: 'failed',
      because: expect.stringContaining('with its headers') as string,
    });
    expect(JSON.stringify(await leaked.stage.entries())).not.toContain(SECRET);
  });

  it('ends blocked when a guard refuses it', async () => {
    const { seen, send } = await service(200);
    const charge = directCall({ input: Charge, send, effect: 'idempotent' });
    const refusing: Agent<unknown, unknown> = (run, input) =>
      charge(run.guarded({ 'tool.pre': [() => async () => ({ allow: false, why: 'Not today.' })] }), input as never);
    expect((await inRun(refusing as never, { customer: 'c', cents: 5 })).outcome).toMatchObject({
      stop: 'blocked',
      because: 'Not today.',
      reason: { code: 'unapproved' },
    });
    expect(seen).toEqual([]);
  });
});
