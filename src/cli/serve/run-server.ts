import { sqliteEngine } from '../../adapters/engine-sqlite/engine.js';
import { systemClock } from '../../adapters/host-node/system-clock.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { FlyballServer, ServerOptions } from '../../server/server.js';
import type { ServerSettings } from '../../server/settings.js';
import { loadAgentModule } from '../agent-module.js';
import type { Call } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { versionOf } from '../version.js';
import { jwtFrom } from './jwt-settings.js';
import { requestLog } from './request-log.js';
import type { ServeOptions } from './serve-options.js';
import { stopped } from './stopped.js';

/** Serves until somebody stops it. */
export async function runServer(call: Call, files: readonly string[], options: ServeOptions): Promise<ExitCode> {
  const { screen, place, env } = call;
  screen.status('loading agents …');
  const groups = [];
  for (const file of files) groups.push((await loadAgentModule(file, env)).group);
  const { openServer } = await serverModule();
  const triggers = options.triggers === undefined ? [] : await triggersIn(options.triggers);
  const engine = await sqliteEngine({ path: place.database });
  try {
    const jwt = jwtFrom(env);
    const server = await openServer({
      engine,
      groups,
      triggers,
      env,
      settings: settingsOf(options),
      log: requestLog(screen, { quiet: options.quiet === true, now: systemClock().now }),
      ...(jwt === undefined ? {} : { jwt }),
    });
    screen.status('');
    tell(call, server, groups);
    const signal = await stopped(screen);
    await server.close();
    return signal === 'SIGINT' ? EXIT.interrupted : EXIT.ok;
  } finally {
    await engine.close();
  }
}

function settingsOf(options: ServeOptions): Partial<ServerSettings> {
  const { host, port, origin, name, evals, publicCard, rate, costPerDay, maxBody, timeout } = options;
  return {
    version: versionOf(),
    studio: options.studio,
    mcp: options.mcp,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(origin === undefined ? {} : { origins: origin }),
    ...(name === undefined ? {} : { hosts: name }),
    ...(evals === undefined ? {} : { evals }),
    ...(publicCard === undefined ? {} : { publicCard }),
    ...(maxBody === undefined ? {} : { maxBodyBytes: maxBody }),
    ...(timeout === undefined ? {} : { requestTimeoutMs: timeout * 1000 }),
    tenantLimits: {
      ...(rate === undefined ? {} : { requestsPerMinute: rate }),
      ...(costPerDay === undefined ? {} : { costUsdPerDay: costPerDay }),
    },
  };
}

async function triggersIn(file: string): Promise<NonNullable<ServerOptions['triggers']>> {
  const { triggersFromFile } = await import('../../server/triggers/triggers-file.js');
  return triggersFromFile(file);
}

/** The web server is an optional part: who only runs agents from the command line need not install it. */
async function serverModule(): Promise<typeof import('../../server/server.js')> {
  try {
    return await import('../../server/server.js');
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (code !== 'ERR_MODULE_NOT_FOUND' || !/'(?:hono|@hono\/node-server)'/.test(String(message))) throw error;
    throw new FlyballError(
      'DRIVER_MISSING',
      'flyball serve needs hono. Install it beside flyball: npm install hono @hono/node-server jose croner',
      { cause: error },
    );
  }
}

function tell({ screen, place }: Call, server: FlyballServer, groups: ServerOptions['groups']): void {
  const { url, open, parts } = server;
  const agents = parts.directory.list();
  screen.data({
    kind: 'serving',
    url,
    studio: `${url}/studio`,
    docs: `${url}/docs`,
    open,
    agents: agents.map(({ name }) => name),
  });
  const { bold, dim } = {
    bold: (text: string) => screen.paint('bold', text),
    dim: (text: string) => screen.paint('dim', text),
  };
  screen.line(`${bold(`${url}/studio`)}  watch and steer; ${url}/docs has the API`);
  screen.line(`  serves ${agents.map(({ name }) => name).join(', ')}; runs are in ${place.database}`);
  for (const text of new Set(groups.flatMap(({ demonstration }) => demonstration ?? [])))
    screen.line(`  ${screen.paint('yellow', text)}`);
  screen.line(
    open
      ? `  ${screen.paint('yellow', 'no key is needed')}: anybody on this machine may do everything. Make one with ${place.command('keys', 'create', '--name', 'me', '--scope', 'admin')}`
      : `  ${dim('credentials are needed: Authorization: Bearer <key>')}`,
  );
  screen.line(dim('  Ctrl-C stops it; runs go on when it starts again.'));
  if (agents.length === 0) throw new ConfigError('There is no agent to serve. Name a file: flyball serve agent.yaml');
}
