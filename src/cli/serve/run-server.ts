import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteEngine } from '../../adapters/engine-sqlite/engine.js';
import { systemClock } from '../../adapters/host-node/system-clock.js';
import type { FlyballServer, ServerOptions } from '../../server/server.js';
import type { ServerSettings } from '../../server/settings.js';
import { loadAgentModule } from '../agent-module.js';
import type { Call } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { versionOf } from '../version.js';
import { jwtFrom } from './jwt-settings.js';
import { knownSecrets } from './known-secrets.js';
import { mcpProblem, requirePackages } from './needed-packages.js';
import { requestLog } from './request-log.js';
import type { ServeOptions } from './serve-options.js';
import { stopped } from './stopped.js';

/** Serves until somebody stops it. */
export async function runServer(call: Call, files: readonly string[], options: ServeOptions): Promise<ExitCode> {
  const { screen, place, env } = call;
  const jwt = jwtFrom(env);
  requirePackages({ jwt: jwt !== undefined, triggers: options.triggers !== undefined });
  screen.status('loading agents …');
  const groups = [];
  for (const file of files) groups.push((await loadAgentModule(file, env)).group);
  const { openServer } = await import('../../server/server.js');
  const triggers = options.triggers === undefined ? [] : await triggersIn(options.triggers);
  const engine = await sqliteEngine({ path: place.database });
  try {
    const server = await openServer({
      engine,
      groups,
      triggers,
      env,
      settings: { ...settingsOf(options), secrets: knownSecrets(env) },
      log: requestLog(screen, { quiet: options.quiet === true, now: systemClock().now }),
      ...(jwt === undefined ? {} : { jwt }),
    });
    screen.status('');
    tell(call, server, groups);
    for (const problem of problemsOf(options)) screen.complain(screen.paint('yellow', `  ${problem}`));
    const signal = await stopped(screen);
    await server.close();
    return signal === 'SIGINT' ? EXIT.interrupted : EXIT.ok;
  } finally {
    await engine.close();
  }
}

function settingsOf(options: ServeOptions): Partial<ServerSettings> {
  const { host, port, origin, name, evals, publicCard, requesterDecides } = options;
  const { rate, costPerDay, maxBody, timeout, drain } = options;
  return {
    version: versionOf(),
    studio: options.studio,
    mcp: options.mcp,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(origin === undefined ? {} : { origins: origin }),
    ...(name === undefined ? {} : { hosts: name }),
    ...evalsFrom(evals),
    ...(publicCard === undefined ? {} : { publicCard }),
    ...(requesterDecides === undefined ? {} : { requesterDecides }),
    ...(maxBody === undefined ? {} : { maxBodyBytes: maxBody }),
    ...(timeout === undefined ? {} : { requestTimeoutMs: timeout * 1000 }),
    ...(drain === undefined ? {} : { drainMs: drain * 1000 }),
    tenantLimits: {
      ...(rate === undefined ? {} : { requestsPerMinute: rate }),
      ...(costPerDay === undefined ? {} : { costUsdPerDay: costPerDay }),
    },
  };
}

/** What does not keep it from serving, and should not be found out by a client. */
function problemsOf({ mcp, evals }: ServeOptions): readonly string[] {
  return [
    (mcp ? mcpProblem() : undefined) ?? [],
    evals === undefined || existsSync(evals) ? [] : `there is no folder ${evals} yet: no evaluations are shown`,
  ].flat();
}

async function triggersIn(file: string): Promise<NonNullable<ServerOptions['triggers']>> {
  const { triggersFromFile } = await import('../../server/triggers/triggers-file.js');
  return triggersFromFile(file);
}

function tell({ screen, place }: Call, server: FlyballServer, groups: ServerOptions['groups']): void {
  const { url, open, parts } = server;
  const agents = parts.directory.list();
  screen.data({
    kind: 'serving',
    url,
    ...(parts.settings.studio ? { studio: `${url}/studio` } : {}),
    docs: `${url}/docs`,
    open,
    agents: agents.map(({ name }) => name),
  });
  const { bold, dim } = {
    bold: (text: string) => screen.paint('bold', text),
    dim: (text: string) => screen.paint('dim', text),
  };
  screen.line(
    parts.settings.studio
      ? `${bold(`${url}/studio`)}  watch and steer; ${url}/docs has the API`
      : `${bold(`${url}/docs`)}  has the API; there is no studio`,
  );
  screen.line(`  serves ${agents.map(({ name }) => name).join(', ')}; runs are in ${place.database}`);
  for (const text of new Set(groups.flatMap(({ demonstration }) => demonstration ?? [])))
    screen.line(`  ${screen.paint('yellow', text)}`);
  screen.line(
    open
      ? `  ${screen.paint('yellow', 'no key is needed')}: anybody on this machine may do everything. Make one with ${place.command('keys', 'create', '--name', 'me', '--scope', 'admin')}`
      : `  ${dim('credentials are needed: Authorization: Bearer <key>')}`,
  );
  screen.line(dim('  Ctrl-C stops it; runs go on when it starts again.'));
}

/** Where `flyball evals run` puts its results, unless another folder is named. */
const EVALS = join('.flyball', 'evals');

function evalsFrom(folder: string | undefined): Pick<Partial<ServerSettings>, 'evals'> {
  if (folder !== undefined) return { evals: folder };
  return existsSync(EVALS) ? { evals: EVALS } : {};
}
