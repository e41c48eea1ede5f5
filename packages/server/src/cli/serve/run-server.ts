import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, systemClock } from 'flyball';
import type { Call, Screen } from 'flyball/internal';
import {
  EXIT,
  type ExitCode,
  filesOf,
  handleUncaught,
  loadAgentModule,
  type OpenDispatcher,
  openDatabase,
  openDispatcher,
  placeOf,
  USUAL_AGENT_FILES,
  versionOf,
} from 'flyball/internal';
import type { Log, LogLevel } from '../../log.js';
import type { FlyballServer, ServerOptions } from '../../server.js';
import type { ServerSettings } from '../../settings.js';
import { captureOutput } from './captured-output.js';
import { jwtFrom } from './jwt-settings.js';
import { knownSecrets } from './known-secrets.js';
import { requestLog } from './request-log.js';
import type { ServeOptions } from './serve-options.js';
import { type GivenSettings, givenSettings, serverSettings } from './serve-settings.js';
import { stopped } from './stopped.js';
import { unknownVariables } from './unknown-variables.js';

/** Serves until somebody stops it. */
export async function runServer(call: Call, named: readonly string[], options: ServeOptions): Promise<ExitCode> {
  const { screen, env } = call;
  const given = await givenSettings({
    options: options as unknown as Readonly<Record<string, unknown>>,
    env,
    file: options.config ?? (env['FLYBALL_CONFIG'] || undefined),
  });
  if (options.quiet === true && options.logLevel !== undefined)
    throw new ConfigError('--quiet is the same as --log-level warn. Use only one of them.');
  const jwt = jwtFrom(env, given);
  const triggersFile = given.triggers as string | undefined;
  screen.status('loading agents …');
  const groups = [];
  const place = options.config === undefined ? call.place : placeOf(given.db as string | undefined, env);
  const files = filesToServe(named, given);
  const beside = [...files, ...filesOf(place), ...settingFiles(given, options.config ?? env['FLYBALL_CONFIG'])];
  for (const file of files) groups.push((await loadAgentModule(file, env, beside)).group);
  const { openServer } = await import('../../server.js');
  const triggers = triggersFile === undefined ? [] : await triggersIn(triggersFile);
  const level = options.quiet === true ? 'warn' : ((given.logLevel ?? 'info') as LogLevel);
  const log = requestLog(screen, { level, now: systemClock().now });
  const secrets = knownSecrets(env, [place.address, given.dispatcher as string | undefined]);
  const engine = await openDatabase(place, { mustWrite: true });
  let dispatcher: OpenDispatcher | undefined;
  try {
    dispatcher = await dispatcherIn(given, log);
    const server = await openServer({
      engine,
      ...(dispatcher === undefined ? {} : { dispatcher }),
      groups,
      triggers,
      env,
      settings: { ...serverSettings(given), ...evalsFrom(given), version: versionOf(), secrets },
      log,
      ...(jwt === undefined ? {} : { jwt }),
    });
    await dispatcher?.ready().catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
    screen.status('');
    tell({ ...call, place }, server, groups);
    const unknown = unknownVariables(env, secretVariables(triggers));
    for (const problem of [...problemsOf(given), ...unknown]) screen.complain(screen.paint('yellow', `  ${problem}`));
    return await untilStopped(server, screen, log);
  } finally {
    await dispatcher?.close();
    await engine.close();
  }
}

/** Undefined: servers look for runs themselves. */
async function dispatcherIn({ dispatcher }: GivenSettings, log: Log): Promise<OpenDispatcher | undefined> {
  if (dispatcher === undefined) return undefined;
  return openDispatcher(dispatcher as string, (error, doing) => log.error(doing, error));
}

/** What agents leave behind (output, errors that nobody caught) is theirs: told in the log, and never the end of the server. */
async function untilStopped(server: FlyballServer, screen: Screen, log: Log): Promise<ExitCode> {
  const { fleet } = server.parts;
  const { asked, stop } = stopped(screen);
  const letGo = screen.json
    ? captureOutput((stream, text) => log.info('output', { stream, run: fleet.current(), text }))
    : () => undefined;
  const stopHandling = handleUncaught({
    blame: (error) => fleet.blame(error),
    tell: (error, run) => log.error('uncaught error', error, { run }),
    leave: () => stop(EXIT.failed),
  });
  try {
    const code = await asked;
    await server.close();
    return code;
  } finally {
    letGo();
    stopHandling();
  }
}

function filesToServe(named: readonly string[], { agents }: GivenSettings): readonly string[] {
  if (named.length > 0) return named;
  return agents === undefined ? agentFilesHere() : (agents as readonly string[]);
}

/** What decides who may use the server and what it starts. */
function settingFiles({ triggers, jwtPublicKey, jwks }: GivenSettings, config: string | undefined): readonly string[] {
  const isFile = (each: unknown): each is string =>
    typeof each === 'string' && each !== '' && !/^https?:\/\//.test(each);
  return [config, triggers, jwtPublicKey, jwks].filter(isFile);
}

/** What `flyball init` makes. */
function agentFilesHere(): readonly string[] {
  const found = USUAL_AGENT_FILES.filter((name) => existsSync(resolve(name)));
  return found.length > 0 ? found : ['agent.yaml'];
}

/** What does not keep it from serving, and should not be found out by a client. */
function problemsOf(given: GivenSettings): readonly string[] {
  const evals = given.evals as string | undefined;
  return evals === undefined || existsSync(evals)
    ? []
    : [`the folder ${evals} does not exist yet, so no evaluations are shown`];
}

function secretVariables(triggers: NonNullable<ServerOptions['triggers']>): readonly string[] {
  return triggers.flatMap((trigger) => (trigger.kind === 'webhook' ? trigger.secrets : []));
}

async function triggersIn(file: string): Promise<NonNullable<ServerOptions['triggers']>> {
  const { triggersFromFile } = await import('../../triggers/triggers-file.js');
  return triggersFromFile(file);
}

function tell({ screen, place }: Call, server: FlyballServer, groups: ServerOptions['groups']): void {
  const { url, open, parts } = server;
  const agents = parts.directory.list();
  screen.data({
    kind: 'serving',
    url,
    ...pagesOf(parts.settings, url),
    open,
    agents: agents.map(({ name }) => name),
  });
  const { bold, dim } = {
    bold: (text: string) => screen.paint('bold', text),
    dim: (text: string) => screen.paint('dim', text),
  };
  const { role, studio } = parts.settings;
  if (role === 'worker') return tellWorker({ screen, place }, server);
  screen.line(
    studio
      ? `${bold(`${url}/studio`)}  studio; the API reference is at ${url}/docs`
      : `${bold(`${url}/docs`)}  API reference; the studio is turned off`,
  );
  screen.line(`  serves ${agents.map(({ name }) => name).join(', ')}; runs are stored in ${place.database}`);
  for (const text of new Set(groups.flatMap(({ demonstration }) => demonstration ?? [])))
    screen.line(`  ${screen.paint('yellow', text)}`);
  screen.line(
    open
      ? `  ${screen.paint('yellow', 'no key is needed')}: anybody on this machine has full access. To require one, run ${place.command('keys', 'create', '--name', 'me', '--scope', 'admin')}`
      : `  ${dim('credentials are required: Authorization: Bearer <key>')}`,
  );
  screen.line(dim('  Ctrl-C stops the server; runs continue when it starts again.'));
}

/** A worker answers probes only. */
export function pagesOf({ role, studio }: Pick<ServerSettings, 'role' | 'studio'>, url: string) {
  if (role === 'worker') return {};
  return { ...(studio ? { studio: `${url}/studio` } : {}), docs: `${url}/docs` };
}

function tellWorker({ screen, place }: Pick<Call, 'screen' | 'place'>, { url, parts }: FlyballServer): void {
  const named = parts.settings.worksOn;
  const agents = named.length > 0 ? named : parts.directory.list().map(({ name }) => name);
  screen.line(`${screen.paint('bold', `${url}/ready`)}  probes and metrics only; other servers answer requests`);
  screen.line(`  works on runs of ${agents.join(', ')}, which are stored in ${place.database}`);
  screen.line(
    screen.paint('dim', '  Ctrl-C stops the worker; runs continue on other servers, or when it starts again.'),
  );
}

/** Where `flyball evals run` puts its results, unless another folder is named. */
const EVALS = join('.flyball', 'evals');

function evalsFrom(given: GivenSettings): Pick<Partial<ServerSettings>, 'evals'> {
  return given.evals === undefined && existsSync(EVALS) ? { evals: EVALS } : {};
}
