import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signature } from '../../packages/server/src/triggers/signature.js';
import { type WebhookTrigger, webhookTrigger } from '../../packages/server/src/triggers/trigger.js';
import { runsOf, type TriggerHost, TriggerStage } from './triggers-stage.js';

const SECRET = 'a secret of the hook';
const NEXT = 'a secret that follows it';
const BODY = '{"issue":{"title":"It rains","labels":["wet"]},"a/b":1}';

const hooked = (more: Partial<Parameters<typeof webhookTrigger>[0]> = {}): WebhookTrigger =>
  webhookTrigger({ name: 'issue', agent: 'echo', secret: 'HOOK_SECRET', ...more });

interface Sent {
  readonly body?: string | Uint8Array;
  readonly secret?: string;
  readonly at?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends as a sender of the hook would, unless told otherwise. */
function send(
  stage: TriggerStage,
  host: TriggerHost,
  { body = BODY, secret = SECRET, at, headers }: Sent = {},
  name = 'issue',
) {
  const signed = signature(secret, body, at ?? stage.clock.now());
  return host.triggers.hook(name, {
    headers: new Headers({ 'Flyball-Signature': signed, ...headers }),
    body: typeof body === 'string' ? Buffer.from(body) : body,
  });
}

const refused = { status: 401, code: 'UNAUTHENTICATED' };

describe('a webhook', () => {
  it('starts its agent with the body of a signed message, for its tenant and within its bounds [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked({ tenant: 'acme', budget: { modelCalls: 2 } })]);
    const { runId, repeated } = await send(stage, host);
    expect(repeated).toBe(false);
    const [run] = await runsOf(host);
    expect(run).toMatchObject({ id: runId, agent: 'echo', tenant: 'acme', subject: 'trigger:issue' });
    const [first] = await host.runtime.entries(runId);
    expect(first?.event).toMatchObject({ input: JSON.parse(BODY) as unknown, budget: { modelCalls: 2 } });
    const base = { name: 'issue', kind: 'webhook', agent: 'echo', tenant: 'acme', style: 'flyball' };
    expect(await host.triggers.list('acme')).toEqual([{ ...base, last: stage.clock.now(), lastRun: runId }]);
    expect(await host.triggers.list('default')).toEqual([]);
  });

  it.each([
    [70, { status: 400, code: 'REQUEST_INVALID' }],
    [5_000, { status: 400, code: 'REQUEST_INVALID' }],
    [400_000, { status: 413, code: 'TOO_LARGE' }], // more values than a body may have, before anybody counts levels
  ])('that is nested %i levels deep is the mistake of its sender [F-S10]', async (levels, refusal) => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const body = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    await expect(send(stage, host, { body })).rejects.toMatchObject(refusal);
  });

  it('of more values than a body may have is too large, however few bytes they take, and starts nothing [R8-REST-MCP-BODY]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const items = (count: number): string => `{"a":[${'0,'.repeat(count - 1)}0]}`;
    const flat = send(stage, host, { body: items(20_000) });
    await expect(flat).rejects.toMatchObject({ status: 413, code: 'TOO_LARGE' });
    expect(await runsOf(host)).toEqual([]);
    await send(stage, host, { body: items(19_000) });
    expect(await runsOf(host)).toHaveLength(1);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['no signature', {}],
    ['an empty one', { 'Flyball-Signature': '' }],
    ['no time', { 'Flyball-Signature': `v1=${'0'.repeat(64)}` }],
    ['two times', { 'Flyball-Signature': `t=1,t=2,v1=${'0'.repeat(64)}` }],
    ['one that is no hash', { 'Flyball-Signature': 't=1767225600,v1=zz' }],
    ['an unsigned time only', { 'Flyball-Signature': 't=1767225600' }],
    ['one of zeroes', { 'Flyball-Signature': `t=1767225600,v1=${'0'.repeat(64)}` }],
    ['a very long one', { 'Flyball-Signature': `t=1767225600,${`v1=${'0'.repeat(64)},`.repeat(500)}` }],
    [
      'one in the style of GitHub',
      { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}` },
    ],
  ])('refuses a message with %s [R6-WORKFLOW-WEBHOOK]', async (_, headers) => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const sent = host.triggers.hook('issue', { headers: new Headers(headers), body: Buffer.from(BODY) });
    await expect(sent).rejects.toMatchObject(refused);
    expect(await runsOf(host)).toEqual([]);
  });

  it('refuses what another secret signed, what was changed after it was signed, and another time than the one that was signed [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    await expect(send(stage, host, { secret: 'the secret of somebody' })).rejects.toMatchObject(refused);
    const now = stage.clock.now();
    const good = signature(SECRET, BODY, now);
    const hook = (header: string, body: string) =>
      host.triggers.hook('issue', { headers: new Headers({ 'flyball-signature': header }), body: Buffer.from(body) });
    await expect(hook(good, `${BODY} `)).rejects.toMatchObject(refused);
    await expect(hook(good.replace(/^t=\d+/, `t=${now / 1000 + 1}`), BODY)).rejects.toMatchObject(refused);
    await expect(hook(`${good},t=${now / 1000 + 1}`, BODY)).rejects.toMatchObject(refused);
    expect(await runsOf(host)).toEqual([]);
    await expect(hook(`${good},v9=later`, BODY)).resolves.toMatchObject({ repeated: false });
  });

  it('answers for a name that is not there as for a signature that does not fit [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const told = async (sent: Promise<unknown>) =>
      sent.then(
        () => '',
        (error: Error) => error.message,
      );
    expect(await told(send(stage, host, {}, 'nobody'))).toBe(await told(send(stage, host, { secret: 'x' })));
  });

  it('refuses messages that were signed too long ago or in the future [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const now = stage.clock.now();
    await expect(send(stage, host, { at: now - 301_000 })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('too long ago'),
    });
    await expect(send(stage, host, { at: now + 301_000 })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('in the future'),
    });
    expect(await runsOf(host)).toEqual([]);
    await expect(send(stage, host, { at: now - 299_000 })).resolves.toMatchObject({ repeated: false });
    await expect(send(stage, host, { at: now + 299_000 })).resolves.toMatchObject({ repeated: false });
  });

  it('starts one run for a message, however often it is delivered, at once and over several servers [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const hosts = await Promise.all([1, 2].map(() => stage.open([hooked()])));
    const [host] = hosts;
    if (host === undefined) throw new Error('no host');
    const answers = await Promise.all([...hosts, ...hosts].map((each) => send(stage, each)));
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
    expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
    await stage.clock.advance(1000);
    await send(stage, host); // signed anew without a delivery's name: another message
    expect(await runsOf(host)).toHaveLength(2);
  });

  it('starts one run for a delivery that its sender names, though it is signed again [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const headers = { 'Flyball-Delivery': 'd-1' };
    const first = await send(stage, host, { headers });
    await stage.clock.advance(60_000);
    expect(await send(stage, host, { headers })).toEqual({ runId: first.runId, repeated: true });
    const [restarted] = [await stage.open([hooked()])];
    expect(await send(stage, restarted, { headers })).toEqual({ runId: first.runId, repeated: true });
    expect(await send(stage, host, { headers: { 'Flyball-Delivery': 'd-2' }, body: '{"other":1}' })).toMatchObject({
      repeated: false,
    });
    await expect(send(stage, host, { headers: { 'Flyball-Delivery': 'd'.repeat(201) } })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('does not start a run again for a message that is replayed under the name of another delivery [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const first = await send(stage, host, { headers: { 'Flyball-Delivery': 'd-1' } });
    const replay = await send(stage, host, { headers: { 'Flyball-Delivery': 'd-2' } });
    expect(replay).toEqual({ runId: first.runId, repeated: true });
    expect(await runsOf(host)).toHaveLength(1);
  });

  it('starts the run of a delivery whose name somebody put on another message before [R8-REST-DELIVERY]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked()]);
    const headers = { 'Flyball-Delivery': 'the-next' };
    const first = await send(stage, host, { headers, body: '{"old":1}' });
    const next = await send(stage, host, { headers, body: '{"next":1}' });
    expect(next).toMatchObject({ repeated: false });
    expect(next.runId).not.toBe(first.runId);
    await stage.clock.advance(60_000);
    expect(await send(stage, host, { headers, body: '{"next":1}' })).toEqual({ runId: next.runId, repeated: true });
  });

  it('starts what a delivery was bound to when its server was killed [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const killed = await stage.open([hooked()], { start: () => Promise.reject(new Error('killed here')) });
    const headers = { 'Flyball-Delivery': 'd-1' };
    await expect(send(stage, killed, { headers })).rejects.toThrow('killed here');
    expect((await killed.triggers.list())[0]).toMatchObject({ failure: 'killed here' });
    const host = await stage.open([hooked()]);
    await stage.clock.advance(10_000);
    expect(await send(stage, host, { headers })).toMatchObject({ repeated: false });
    await stage.clock.advance(10_000);
    expect(await send(stage, host, { headers })).toMatchObject({ repeated: true });
    expect(await runsOf(host)).toHaveLength(1);
  });

  it('takes messages of the old and the new secret while one follows the other [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked({ secret: ['HOOK_SECRET', 'NEXT_SECRET'] })]);
    const now = stage.clock.now();
    expect(await send(stage, host)).toMatchObject({ repeated: false });
    expect(await send(stage, host, { secret: NEXT })).toMatchObject({ repeated: true }); // the same message
    const both = `${signature('a secret long gone', '{}', now)},${signature(NEXT, '{}', now).split(',')[1]}`;
    const answer = await host.triggers.hook('issue', {
      headers: new Headers({ 'flyball-signature': both }),
      body: Buffer.from('{}'),
    });
    expect(answer).toMatchObject({ repeated: false });
    const after = await stage.open([hooked({ secret: 'NEXT_SECRET' })]);
    await expect(send(stage, after, { secret: SECRET })).rejects.toMatchObject(refused);
  });

  it('takes what GitHub signs, each body once [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked({ style: 'github' })]);
    const deliver = (delivery: string, body = BODY, secret = SECRET) => {
      const header = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = new Headers({ 'X-Hub-Signature-256': header, 'X-GitHub-Delivery': delivery });
      return host.triggers.hook('issue', { headers, body: Buffer.from(body) });
    };
    const first = await deliver('one');
    expect(first.repeated).toBe(false);
    expect(await deliver('one')).toEqual({ ...first, repeated: true });
    expect(await deliver('two')).toEqual({ ...first, repeated: true });
    await expect(deliver('three', BODY, 'not the secret of the hook')).rejects.toMatchObject(refused);
    await expect(send(stage, host)).rejects.toMatchObject(refused);
    expect(await runsOf(host)).toHaveLength(1);
  });

  it('takes its input from where the map says [R6-WORKFLOW-WEBHOOK]', async () => {
    const inputOf = async (map: WebhookTrigger['map'] & {}) => {
      const stage = new TriggerStage();
      const host = await stage.open([hooked({ map })]);
      const { runId } = await send(stage, host, { headers: { 'X-Kind': 'storm' } });
      const [first] = await host.runtime.entries(runId);
      return first?.event.type === 'run-start' ? first.event.input : undefined;
    };
    expect(await inputOf('/issue/title')).toBe('It rains');
    expect(await inputOf('')).toEqual(JSON.parse(BODY));
    expect(await inputOf({ what: '/issue/title', first: '/issue/labels/0', odd: '/a~1b' })).toEqual({
      what: 'It rains',
      first: 'wet',
      odd: 1,
    });
    expect(await inputOf((body, headers) => [headers.get('x-kind'), Object.keys(body as object).length])).toEqual([
      'storm',
      2,
    ]);
  });

  it.each<[string, Sent, NonNullable<WebhookTrigger['map']> | undefined, RegExp]>([
    ['that is no JSON', { body: 'title=rain' }, undefined, /not JSON/],
    ['that is no text', { body: new Uint8Array([0x22, 0xff, 0x22]) }, undefined, /not UTF-8/],
    ['without what the map names', {}, { what: '/issue/number' }, /nothing at \/issue\/number/],
    ['whose map leads into a prototype', {}, '/__proto__', /nothing at/],
    ['that a map cannot read', {}, () => JSON.parse('{'), /could not be converted to an input/],
  ])('tells the sender about a body %s [R6-WORKFLOW-WEBHOOK]', async (_, sent, map, sentence) => {
    const stage = new TriggerStage();
    const host = await stage.open([hooked(map === undefined ? {} : { map })]);
    const answer = send(stage, host, sent);
    await expect(answer).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    await expect(answer).rejects.toThrow(sentence);
    await expect(send(stage, host, { ...sent, secret: 'not the one' })).rejects.toMatchObject(refused); // and nobody else
  });

  it('needs a secret in the environment that is not too short, and never tells it [R6-WORKFLOW-WEBHOOK]', async () => {
    const stage = new TriggerStage();
    stage.env['SHORT_SECRET'] = 'short';
    await expect(stage.open([hooked({ secret: 'MISSING' })])).rejects.toThrow(/variable MISSING is not set/);
    const short = await stage.open([hooked({ secret: 'SHORT_SECRET' })]).catch((error: Error) => error.message);
    expect(short).toMatch(/SHORT_SECRET is shorter than 16/);
    expect(short).not.toMatch(/: short|"short"/);
    expect(() => hooked({ secret: 'sk-live/1234567890abcdef' })).toThrow(/name of an environment variable/);
    expect(() => hooked({ secret: 'sk-live/1234567890abcdef' })).not.toThrow(/1234567890abcdef/);
    expect(() => hooked({ secret: [] })).toThrow(/needs a secret/);
    expect(() => hooked({ map: 'issue' })).toThrow(/not a JSON pointer/);
    expect(() => hooked({ toleranceMs: 0 })).toThrow(/toleranceMs/);
    expect(() => hooked({ style: 'gitlab' as never })).toThrow(/style/);
    const host = await stage.open([hooked()]);
    await send(stage, host, { secret: 'wrong' }).catch(() => undefined);
    await send(stage, host);
    expect(JSON.stringify([host.lines, await host.triggers.list()])).not.toContain(SECRET);
    expect(host.lines).toContainEqual(expect.objectContaining({ level: 'warn', trigger: 'issue' }));
  });
});
