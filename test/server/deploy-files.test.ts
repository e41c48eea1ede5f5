import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commandsFor } from '../../packages/flyball/src/cli/commands.js';
import { buildProgram } from '../../packages/flyball/src/cli/program.js';
import { givenSettings, serverSettings } from '../../packages/server/src/cli/serve/serve-settings.js';
import { variableOf } from '../../packages/server/src/cli/serve/setting.js';
import { allSettings } from '../../packages/server/src/cli/serve/settings-table.js';
import { healthRoutes } from '../../packages/server/src/routes/health.js';
import { root } from '../../scripts/files.mjs';

// There is no Docker and no Kubernetes where this is tested: the files are read, and what they say is checked against
// the command line, the settings and the routes. test/clients checks them by the schemas of Kubernetes and Compose.

/** Node itself is the first process: npx ends at SIGTERM without passing it on, and then nothing is drained. */
const PROGRAM = 'node_modules/flyball/dist/cli/main.js';
const text = (name: string) => readFileSync(join(root, 'docs/deploy', name), 'utf8');
const VARIABLES = new Set(allSettings().map(variableOf));
const probes = healthRoutes({} as Parameters<typeof healthRoutes>[0]).map(({ path }) => path);

/** The settings that a command line and variables make, as the server would read them. */
async function settingsOf(words: readonly string[], env: Readonly<Record<string, string>>) {
  let given: Readonly<Record<string, unknown>> = {};
  const streams = { out: { write: () => undefined }, error: { write: () => undefined }, env: {} };
  const program = buildProgram(
    async (options) => {
      given = options as unknown as Readonly<Record<string, unknown>>;
    },
    streams,
    await commandsFor(['serve']),
  );
  expect(words.slice(0, 3)).toEqual(['node', PROGRAM, 'serve']);
  await program.parseAsync(words.slice(2) as string[], { from: 'user' });
  for (const name of Object.keys(env)) if (name.startsWith('FLYBALL_')) expect(VARIABLES, name).toContain(name);
  const { FLYBALL_AGENTS: _files, ...variables } = env; // files of the image
  return serverSettings(await givenSettings({ options: given, env: variables, file: undefined }));
}

const stopMs = ({ drainMs = 10_000, shutdownDelayMs = 0 }) => drainMs + shutdownDelayMs;

describe('the compose file', () => {
  interface Service {
    readonly command: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly stop_grace_period: string;
    readonly healthcheck: { readonly test: readonly string[] };
  }
  const { services } = parse(text('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
  };

  it.each(['api', 'worker'] as const)(
    'starts %s with options that there are, probes it, and lets it drain [R10-WORK-DEPLOY]',
    async (name) => {
      const service = services[name];
      if (service === undefined) throw new Error(`no service ${name}`);
      const settings = await settingsOf(service.command, service.environment);
      expect(settings).toMatchObject({ role: name, port: 4747, host: '0.0.0.0' });
      expect(service.healthcheck.test.join(' ')).toContain('http://127.0.0.1:4747/ready');
      expect(probes).toContain('/ready');
      expect(Number.parseInt(service.stop_grace_period, 10) * 1000).toBeGreaterThan(stopMs(settings) + 10_000);
      expect(service.environment['FLYBALL_DB']).toMatch(/^postgres:\/\//);
      expect(service).toMatchObject({ user: 'node', read_only: true, cap_drop: ['ALL'] });
    },
  );
});

describe('the commands that the files tell people to give', () => {
  it.each(['compose.yaml', 'kubernetes.yaml'])(
    'create a key before the servers of %s start, with a command that there is [R10-WORK-DEPLOY-KEY]',
    async (file) => {
      const comments = text(file)
        .split('\n')
        .filter((line) => line.startsWith('#'));
      const key = comments.findIndex((line) => /keys.{1,3}create/.test(line));
      const up = comments.findIndex((line) => /compose up|kubectl apply/.test(line));
      expect(key).toBeGreaterThan(0);
      expect(key).toBeLessThan(up);
      expect(comments[key]).toContain(PROGRAM);
    },
  );
});

describe('the Kubernetes manifest', () => {
  // biome-ignore lint/suspicious/noExplicitAny: documents of several kinds
  const documents = parseAllDocuments(text('kubernetes.yaml')).map((document) => document.toJS() as any);
  const deployments = documents.filter(({ kind }) => kind === 'Deployment');

  it.each(deployments.map((one) => [one.metadata.name, one]))(
    'starts %s with options that there are, probes it, and lets it drain [R10-WORK-DEPLOY]',
    async (_, deployment) => {
      const { spec, metadata } = deployment.spec.template;
      const [container] = spec.containers;
      const env = Object.fromEntries(
        container.env.map((each: { name: string; value?: string }) => [
          each.name,
          each.value ?? 'postgres://secret/db',
        ]),
      );
      const settings = await settingsOf([...container.command, ...container.args], env);
      expect(settings).toMatchObject({ role: metadata.labels.role, port: container.ports[0].containerPort });
      expect(deployment.spec.selector.matchLabels).toEqual(metadata.labels);
      expect(container.livenessProbe.httpGet).toEqual({ path: '/health', port: container.ports[0].name });
      expect(container.readinessProbe.httpGet).toEqual({ path: '/ready', port: container.ports[0].name });
      expect(probes).toEqual(['/health', '/ready']);
      expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(stopMs(settings) + 10_000);
      expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
      expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    },
  );

  it('sends requests to what answers them [R10-WORK-DEPLOY]', () => {
    const service = documents.find(({ kind }) => kind === 'Service');
    const api = deployments.find(({ metadata }) => metadata.name === 'flyball-api');
    expect(service.spec.selector).toEqual(api.spec.template.metadata.labels);
    expect(service.spec.ports[0].targetPort).toBe(api.spec.template.spec.containers[0].ports[0].name);
    expect(deployments).toHaveLength(2);
  });
});
