import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readYaml } from '../../packages/flyball/src/adapters/definitions/yaml-source.js';
import { entry, newRun } from '../../packages/flyball/src/testing/contracts/engine-fixture.js';
import { root } from '../../scripts/files.mjs';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
beforeAll(async () => {
  stage = await serverStage();
});
afterAll(() => stage.close());

const metrics = async (key?: string): Promise<ReadonlyMap<string, number>> => {
  const { text, status } = await stage.call('GET', '/metrics', key === undefined ? {} : { key });
  expect(status).toBe(200);
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
};

const metricsText = async (): Promise<string> => {
  const admin = await stage.keyFor('harbor', ['admin']);
  return (await stage.call('GET', '/metrics', { key: admin })).text;
};

const alertOf = async (name: string): Promise<string> => {
  const { value } = await readYaml(join(root, 'examples/operation/alerts.yaml'));
  const { groups } = value as { groups: { rules: { alert: string; expr: string }[] }[] };
  return groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name)?.expr ?? '';
};

/** An alert of the form `sum(rate(a[5m])) - sum(rate(b[5m])) > 0.05 * sum(rate(c[5m]))`, from one scrape to the next. */
function fires(expr: string, before: string, after: string): boolean {
  const total = (text: string, name: string, status: string | undefined): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => status === undefined || new RegExp(`status="${status}"`).test(line))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  const factor = (text: string): number => {
    const rate = /^sum\(rate\((\w+)(?:\{status=~"([^"]*)"\})?\[5m\]\)\)$/.exec(text);
    return rate === null ? Number(text) : total(after, rate[1] ?? '', rate[2]) - total(before, rate[1] ?? '', rate[2]);
  };
  const product = (text: string): number =>
    text
      .split(' * ')
      .map(factor)
      .reduce((a, b) => a * b);
  const [left, right] = expr.split(' > ').map((side) =>
    side
      .split(' - ')
      .map(product)
      .reduce((a, b) => a - b),
  );
  if (!Number.isFinite(left) || !Number.isFinite(right)) throw new Error(`not of this form: ${expr}`);
  return (left ?? 0) > (right ?? 0);
}

describe('gauges', () => {
  it('are true beyond two thousand runs, and say how long the oldest question waits [F-O7]', async () => {
    const { engine } = stage;
    const made: Promise<void>[] = [];
    for (let n = 0; n < 2_345; n++) made.push(engine.create(newRun(`many-${n}`, { agent: 'of nobody here' })));
    await Promise.all(made);
    const claim = await engine.claim('many-0', {
      owner: { id: 'x', host: 'h', bootId: 'b', pid: 1, startTime: '1' },
      now: Date.now(),
      leaseMs: 60_000,
      isGone: () => false,
    });
    const since = Date.now() - 3_600_000;
    const opened = Array.from({ length: 2_100 }, (_, n) => ({
      token: `t${n}`,
      generation: 0,
      seq: 1,
      asked: true,
      since,
    }));
    await engine.append(claim, { entries: [entry(1)], opened });
    const values = await metrics();
    expect(values.get('flyball_runs{status="pending"}')).toBe(2_344);
    expect(values.get('flyball_approvals_open')).toBe(2_100);
    expect(values.get('flyball_approvals_oldest_seconds')).toBeGreaterThan(3_599);
  });

  it('tell of lag, descriptors, storage, triggers and what is running, and of cost by agent and model [F-O7]', async () => {
    const { id } = (await stage.call('POST', '/v1/runs', { body: { agent: 'desk', input: { question: 'x' } } })).body;
    await expect.poll(async () => (await stage.call('GET', `/v1/runs/${id}`)).body.status).toBe('done');
    const values = await metrics();
    for (const name of ['process_open_fds', 'process_max_fds', 'flyball_database_bytes', 'flyball_database_wal_bytes'])
      expect(values.get(name), name).toBeGreaterThan(0);
    expect(values.get('nodejs_eventloop_lag_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
    expect(values.get(`flyball_build_info{version="0.0.0",node="${process.versions.node}"}`)).toBe(1);
    expect([...values.keys()].find((name) => name.startsWith('flyball_cost_usd_total{'))).toMatch(
      /agent="desk",model="/,
    );
  });

  it('are not counted against the requests of a tenant [F-O7]', async () => {
    const key = await stage.keyFor('harbor', ['metrics:read', 'runs:read'], { limits: { requestsPerMinute: 1 } });
    await stage.again();
    for (let n = 0; n < 4; n++) await metrics(key);
    expect((await stage.call('GET', '/v1/runs', { key })).status).toBe(200);
    expect((await stage.call('GET', '/v1/runs', { key })).status).toBe(429);
    await metrics(key);
  });
});

describe('the table of metrics in the documentation', () => {
  it('has every metric that the server tells, and no other [R8-REST-TABLES]', async () => {
    const told = [...(await metricsText()).matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] ?? '');
    const page = readFileSync(join(root, 'docs/operation.md'), 'utf8');
    const table = page.slice(page.indexOf('| Metric |'), page.indexOf('Counters are of one process'));
    const named = [...table.matchAll(/`((?:flyball|process|nodejs)_\w+)/g)].map((match) => match[1] ?? '');
    expect(named.sort()).toEqual(told.sort());
  });
});

describe('the alerts of the documentation', () => {
  const file = join(root, 'examples/operation/alerts.yaml');

  it('ask for what the server tells, and by labels that it has [F-O7]', async () => {
    const admin = await stage.keyFor('harbor', ['admin']);
    const { text } = await stage.call('GET', '/metrics', { key: admin });
    const families = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1]));
    const { value } = await readYaml(file);
    const rules = (value as { groups: { rules: { alert: string; expr: string }[] }[] }).groups.flatMap(
      ({ rules: all }) => all,
    );
    expect(rules.length).toBeGreaterThan(8);
    for (const { alert, expr } of rules) {
      const names = [...expr.matchAll(/\b((?:flyball|process|nodejs)_\w+)/g)].map((match) => match[1] ?? '');
      expect(names.length > 0 || expr.startsWith('up{'), alert).toBe(true);
      for (const name of names) expect(families.has(name), `${alert}: ${name}`).toBe(true);
    }
    for (const status of ['stalled']) expect(text).toContain(`flyball_runs{status="${status}"}`);
  });

  it('count errors, and not what a server refuses on its way down [R8-REST-ALERT]', async () => {
    const expr = await alertOf('FlyballErrors');
    const { metrics: counts } = stage.server.parts;
    const answered = async (count: number, status: number, leaving: boolean) => {
      for (let n = 0; n < count; n++) counts.request({ route: 'startRun', status, ms: 1, leaving });
      return metricsText();
    };
    const before = await metricsText();
    const quiet = await answered(90, 202, false);
    expect(fires(expr, before, quiet)).toBe(false);
    const stopping = await answered(30, 503, true);
    expect(fires(expr, quiet, stopping)).toBe(false);
    expect(fires(expr, stopping, await answered(5, 503, false))).toBe(true);
  });

  it('are in the documentation as they stand', () => {
    expect(readFileSync(join(root, 'docs/operation.md'), 'utf8')).toContain('examples/operation/alerts.yaml');
  });
});
