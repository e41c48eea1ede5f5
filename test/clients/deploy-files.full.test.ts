import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../scripts/files.mjs';
import { COMPOSE_READER, type Finished, hasComposeReader, hasPython, run, runPython } from './peers.js';

const COMPOSE = join(root, 'docs/deploy/compose.yaml');
const KUBERNETES = join(root, 'docs/deploy/kubernetes.yaml');

/** The file with one place in it changed. */
function changed(file: string, from: string, to: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  const copy = join(folder, 'copy.yaml');
  writeFileSync(
    copy,
    text.replace(from, () => to),
  );
  return copy;
}

describe.skipIf(!hasPython('kubernetes_validate'))('the schemas of Kubernetes', () => {
  const validate = (file: string): Promise<Finished> => runPython('kubernetes-validate', ['--strict', file]);

  it('find nothing in the manifest that they do not know [R10-WORK-DEPLOY]', async () => {
    const { code, output } = await validate(KUBERNETES);
    expect(output).not.toContain('ERROR');
    expect(code).toBe(0);
  });

  it('would find a field that does not exist, and a value of another type', async () => {
    expect((await validate(changed(KUBERNETES, 'readinessProbe', 'readyProbe'))).code).not.toBe(0);
    expect((await validate(changed(KUBERNETES, 'replicas: 2', 'replicas: two'))).code).not.toBe(0);
  });
});

describe.skipIf(!hasComposeReader())('the reader of compose files', () => {
  const read = (file: string): Promise<Finished> => run(COMPOSE_READER, ['-no-interpolation', file]);

  it('understands the compose file as we do [R10-WORK-DEPLOY]', async () => {
    const { code, output } = await read(COMPOSE);
    expect(code, output).toBe(0);
    const { services } = parse(output);
    const shared = { FLYBALL_DB: 'postgres://flyball@postgres/flyball', FLYBALL_PORT: '4747', FLYBALL_DRAIN: '60' };
    expect(services.api.environment).toMatchObject({ ...shared, FLYBALL_SHUTDOWN_DELAY: '10' });
    expect(services.worker.environment).toMatchObject(shared);
    expect(services.worker.deploy.replicas).toBe(3);
    expect(services.api.deploy.replicas).toBe(2);
    expect(services.api.environment.FLYBALL_PROXIES).toBe(services.balancer.networks.default.ipv4_address);
    for (const name of ['api', 'worker'])
      expect(services[name].depends_on).toEqual({ postgres: { condition: 'service_healthy', required: true } });
  });

  it('would find a setting that does not exist, and a value of another type', async () => {
    expect((await read(changed(COMPOSE, 'stop_grace_period', 'stop_grace'))).code).not.toBe(0);
    expect((await read(changed(COMPOSE, 'ports: ["127.0.0.1:8080:8080"]', 'ports: 8080'))).code).not.toBe(0);
  });
});

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
if (!hasNginx) process.stdout.write('Skipped the configuration of the load balancer: nginx is not installed.\n');

describe.skipIf(!hasNginx)('nginx', () => {
  const checked = (content: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-nginx-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'nginx.conf'), `pid ${folder}/pid; events {} http { ${content} }`);
    return spawnSync('nginx', ['-t', '-p', folder, '-c', 'nginx.conf', '-e', join(folder, 'log')], {
      encoding: 'utf8',
    });
  };

  it('takes the configuration of the load balancer [R10-WORK-DEPLOY]', () => {
    const { configs } = parse(readFileSync(COMPOSE, 'utf8'), { merge: true });
    const content = String(configs.balancer.content).replaceAll('$$', '$');
    const { status, stderr } = checked(content);
    expect(status, stderr).toBe(0);
    expect(checked(content.replace('proxy_buffering', 'proxy_bufering')).status).not.toBe(0);
  });
});
