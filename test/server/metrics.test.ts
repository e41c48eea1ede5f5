import { afterAll, beforeAll, expect, it } from 'vitest';
import { Counter, exposition, gauge, Histogram } from '../../packages/server/src/metrics/exposition.js';
import { readEvents } from './sse-reader.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
beforeAll(async () => {
  stage = await serverStage();
});
afterAll(() => stage.close());

/** Values by name and labels. Fails for a line that the text format does not allow. */
async function metrics(): Promise<ReadonlyMap<string, number>> {
  const { status, text, headers } = await stage.call('GET', '/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const values = new Map<string, number>();
  const typed = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const head = /^# (HELP|TYPE) ([a-z_:][a-z0-9_:]*) (.+)$/.exec(line);
    if (head !== null) {
      if (head[1] === 'TYPE') typed.add(head[2] ?? '');
      continue;
    }
    const sample =
      /^([a-z_:][a-z0-9_:]*)(\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? (\S+)$/.exec(line);
    expect(sample, line).not.toBeNull();
    expect(
      typed.has((sample?.[1] ?? '').replace(/_(bucket|sum|count)$/, '')) || typed.has(sample?.[1] ?? ''),
      line,
    ).toBe(true);
    values.set(`${sample?.[1]}${sample?.[2] ?? ''}`, Number(sample?.[3]));
  }
  return values;
}

it('tells of requests, runs, model calls, tokens, readers and memory [R6-HTTP-METRICS]', async () => {
  const start = (agent: string, input: unknown) => stage.call('POST', '/v1/runs', { body: { agent, input } });
  const desk = (await start('desk', { question: 'x' })).body.id;
  const payer = (await start('payer', {})).body.id;
  await stage.call('GET', '/v1/runs/nobody');
  await expect.poll(async () => (await stage.call('GET', `/v1/runs/${desk}`)).body.status).toBe('done');
  await expect.poll(async () => (await stage.call('GET', `/v1/runs/${payer}`)).body.status).toBe('suspended');
  const reader = await readEvents(`${stage.url}/v1/runs/${payer}/events`);
  await reader.next();
  const values = await metrics();
  expect(Object.fromEntries(values)).toMatchObject({
    'flyball_http_requests_total{route="startRun",status="202"}': 2,
    'flyball_http_requests_total{route="getRun",status="404"}': 1,
    'flyball_http_request_duration_seconds_count{route="startRun"}': 2,
    'flyball_http_request_duration_seconds_bucket{route="startRun",le="+Inf"}': 2,
    'flyball_runs_started_total{agent="desk"}': 1,
    'flyball_runs_ended_total{agent="desk",stop="done"}': 1,
    'flyball_model_calls_total{result="ok"}': 2,
    flyball_tool_calls_total: 1,
    'flyball_runs{status="suspended"}': 1,
    flyball_approvals_open: 1,
    'flyball_stream_readers{of="run"}': 1,
    flyball_deltas_dropped_total: expect.any(Number),
    'flyball_cost_usd_total{agent="desk",model="scripted/model"}': 0,
  });
  expect(values.get('flyball_model_tokens_total{direction="in"}')).toBeGreaterThan(0);
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  for (const name of values.keys()) expect(name).not.toMatch(/run_[0-9a-f]{20}|default/);
  reader.close();
});

it('needs its scope', async () => {
  const key = await stage.keyFor('harbor', ['runs:read']);
  await stage.again();
  expect((await stage.call('GET', '/metrics', { key })).status).toBe(403);
  const reading = await stage.keyFor('harbor', ['metrics:read']);
  expect((await stage.call('GET', '/metrics', { key: reading })).status).toBe(200);
});

it('escapes what a label or a help text may not hold, and adds buckets up', () => {
  const counter = new Counter('c_total', 'back\\slash\nline');
  counter.add({ of: 'a"b\\c\nd' });
  counter.add({ of: 'a"b\\c\nd' }, 2);
  const histogram = new Histogram('h', 'spread', [1, 5]);
  for (const value of [0.5, 1, 3, 9]) histogram.observe({}, value);
  const text = exposition([
    counter,
    histogram,
    gauge('g', 'now', () => [{ labels: {}, value: Number.POSITIVE_INFINITY }]),
  ]);
  expect(text.split('\n')).toEqual([
    '# HELP c_total back\\\\slash\\nline',
    '# TYPE c_total counter',
    'c_total{of="a\\"b\\\\c\\nd"} 3',
    '# HELP h spread',
    '# TYPE h histogram',
    'h_bucket{le="1"} 2',
    'h_bucket{le="5"} 3',
    'h_bucket{le="+Inf"} 4',
    'h_sum 13.5',
    'h_count 4',
    '# HELP g now',
    '# TYPE g gauge',
    'g +Inf',
    '',
  ]);
});
