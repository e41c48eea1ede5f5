import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { effectsOf } from '../../views/effects.js';
import { purchase } from '../../views/fixtures.test-data.js';
import { traceOf } from '../../views/trace.js';
import { otelTelemetry } from './otel.js';
import { otlpRequest } from './otlp-request.js';

type Sent = ReturnType<typeof otlpRequest>;
type OtlpSpan = Sent['resourceSpans'][number]['scopeSpans'][number]['spans'][number];

const spansIn = (sent: Sent): readonly OtlpSpan[] =>
  sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
const value = ({ attributes }: OtlpSpan, key: string) => attributes.find((one) => one.key === key)?.value;

/** A collector on a port of its own. `answer`: what it says to each request. */
async function collector(answer: () => number = () => 200) {
  const got: { readonly body: Sent; readonly headers: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    got.push({ body: JSON.parse(body) as Sent, headers: request.headers });
    response.writeHead(answer()).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  onTestFinished(async () => void (await close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, got, close };
}

const model = scriptedModel({ reader: () => 'read' });
const reader: Agent<string, string> = async (run, page) =>
  done((await run.ask({ name: 'reader', model, setup: '' }, page)).text);
const deep: Agent<string, string> = async (run, page) => {
  const outcome = await run.join<string>(await run.start('reader', page));
  return done(outcome.stop === 'done' ? outcome.value : outcome.stop);
};
/** A child, two branches, and a run that starts one in turn. */
const all: Agent<null, unknown> = async (run) => {
  const child = await run.spawn(reader, 'child', { share: 0.2 });
  const branches = await run.all(
    ['left', 'right'].map((page) => (branch) => reader(branch, page)),
    2,
  );
  const other = await run.join(await run.start('deep', 'far', { slice: { share: 0.5 } }));
  return done([child.stop, branches.length, other.stop]);
};

describe('traces sent to a collector', () => {
  it('are one tree with one root and no orphan, over children, branches and runs that start one another [V14.3]', async () => {
    const { url, got } = await collector();
    const telemetry = await otelTelemetry({ url });
    const runtime = createRuntime({ engine: memoryEngine(), agents: { all, deep, reader }, telemetry });
    onTestFinished(() => runtime.close());
    const handle = await runtime.start('all', null, { budget: budget() });
    await expect.poll(async () => (await runtime.get(handle.id)).status).toBe('done');
    expect(await handle.outcome()).toMatchObject({ stop: 'done', value: ['done', 2, 'done'] });
    await expect.poll(() => telemetry.state()).toMatchObject({ sent: 3, dropped: 0, waiting: 0 });
    const spans = got.flatMap(({ body }) => spansIn(body));
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name)).toEqual([
      'invoke_agent all',
    ]);
    const orphans = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
    expect(orphans).toEqual([]);
    const nameOf = (id: string | undefined) => spans.find(({ spanId }) => spanId === id)?.name;
    const starts = spans.filter(({ name }) => ['invoke_agent deep', 'invoke_agent reader'].includes(name));
    const runs = starts.filter((span) => value(span, 'flyball.started_by.root') !== undefined);
    expect(runs.map(({ parentSpanId }) => nameOf(parentSpanId)).sort()).toEqual([
      'step start:deep',
      'step start:reader',
    ]);
    expect(spans.filter(({ kind }) => kind === 3)).toHaveLength(4);
  });

  it('hold one span for each effect, with times, kinds and statuses, and no content', async () => {
    const entries = purchase({ crash: true });
    const spans = spansIn(otlpRequest('shop', 'r1', entries));
    const effects = spans.filter((span) => value(span, 'flyball.effect.id') !== undefined);
    expect(effects).toHaveLength(effectsOf(entries).length);
    const chat = spans.find(({ name }) => name === 'chat claude-sonnet-4-5') as OtlpSpan;
    expect(chat).toMatchObject({ kind: 3, status: { code: 1 } });
    expect(value(chat, 'gen_ai.usage.input_tokens')).toEqual({ intValue: '120' });
    expect(value(chat, 'gen_ai.response.finish_reasons')).toEqual({
      arrayValue: { values: [{ stringValue: 'stop' }] },
    });
    expect(spans[0]?.startTimeUnixNano).toBe(`${traceOf('r1', entries).startMs}000000`);
    for (const content of ['green tea', 'leaf & co', 'receipt', 'ann@example.com'])
      expect(JSON.stringify(spans)).not.toContain(content);
  });

  it('are sent with the headers and the name of the service, and only those that are kept [V14.6]', async () => {
    const { url, got } = await collector();
    const telemetry = await otelTelemetry({
      url,
      headers: { 'x-key': 'k' },
      service: 'shop',
      keep: (runId) => runId === 'r2',
    });
    telemetry('r1', purchase());
    telemetry('r2', purchase());
    telemetry('r3', []);
    await telemetry.flush();
    expect(got).toHaveLength(1);
    expect(got[0]?.headers).toMatchObject({ 'x-key': 'k', 'content-type': 'application/json' });
    expect(got[0]?.body.resourceSpans[0]?.resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'shop' } },
    ]);
  });

  it('are dropped and counted where the collector refuses them or is gone, and no run notices [V14.1]', async () => {
    const { url, close } = await collector(() => 503);
    const problems: string[] = [];
    const telemetry = await otelTelemetry({
      url,
      onProblem: (error, runId) => {
        problems.push(`${runId}: ${error instanceof Error ? error.message : error}`);
        throw new Error('the log is full');
      },
    });
    telemetry('r1', purchase());
    await telemetry.flush();
    expect(problems).toEqual(['r1: The collector answered 503.']);
    await close();
    const runtime = createRuntime({ engine: memoryEngine(), agents: { reader }, telemetry });
    onTestFinished(() => runtime.close());
    const handle = await runtime.start('reader', 'page', { budget: budget() });
    expect(await handle.outcome()).toMatchObject({ stop: 'done', value: 'read' });
    await expect.poll(() => telemetry.state()).toEqual({ sent: 0, dropped: 2, waiting: 0 });
  });

  it('wait in a line with an end: the runs that ended well go first', async () => {
    const { url, got } = await collector();
    const dropped: string[] = [];
    const telemetry = await otelTelemetry({ url, queue: 1, onProblem: (_error, runId) => dropped.push(runId) });
    const failed = purchase().map((entry) =>
      entry.event.type === 'run-end'
        ? { ...entry, event: { ...entry.event, outcome: { ...entry.event.outcome, stop: 'failed' } } }
        : entry,
    ) as ReturnType<typeof purchase>;
    telemetry('first', purchase()); // being sent
    telemetry('failed', failed);
    telemetry('routine', purchase());
    await turns();
    await telemetry.flush();
    expect(dropped).toEqual(['routine']);
    expect(got).toHaveLength(2);
    expect(telemetry.state()).toEqual({ sent: 2, dropped: 1, waiting: 0 });
  });

  it('need a URL', async () => {
    await expect(otelTelemetry({ url: 'collector' })).rejects.toThrow('"collector" is not a URL');
  });
});
