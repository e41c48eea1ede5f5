import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { readYaml } from '../../src/adapters/definitions/yaml-source.js';
import { entry, newRun } from '../../src/testing/contracts/engine-fixture.js';
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

describe('gauges', () => {
  it('are true beyond two thousand runs, and say how long the oldest question waits [F-O7]', async () => {
    const { engine } = stage;
    const made: Promise<void>[] = [];
    for (let n = 0; n < 2_345; n++) made.push(engine.create(newRun(`many-${n}`, { agent: 'of nobody here' })));
    await Promise.all(made);
    const claim = await engine.claim('many-0', {
      owner: { id: 'x', host: 'h', bootId: 'b', pid: 1, startTime: '1' },
      now: Date.now(),
      leaseUntil: Date.now() + 60_000,
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
    const key = await stage.keyFor('harbour', ['metrics:read', 'runs:read'], { limits: { requestsPerMinute: 1 } });
    await stage.again();
    for (let n = 0; n < 4; n++) await metrics(key);
    expect((await stage.call('GET', '/v1/runs', { key })).status).toBe(200);
    expect((await stage.call('GET', '/v1/runs', { key })).status).toBe(429);
    await metrics(key);
  });
});

describe('the alerts of the documentation', () => {
  const file = join(root, 'examples/operation/alerts.yaml');

  it('ask for what the server tells, and by labels that it has [F-O7]', async () => {
    const admin = await stage.keyFor('harbour', ['admin']);
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

  it('are in the documentation as they stand', () => {
    expect(readFileSync(join(root, 'docs/operation.md'), 'utf8')).toContain('examples/operation/alerts.yaml');
  });
});
