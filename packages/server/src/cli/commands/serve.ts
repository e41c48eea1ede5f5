import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from 'flyball/internal';
import { type Call, newCommand, type Perform } from 'flyball/internal';
import type { ServeOptions } from '../serve/serve-options.js';
import { readSetting, type Setting, variableOf } from '../serve/setting.js';
import { allSettings } from '../serve/settings-table.js';

const ABOUT =
  'Serve agents over HTTP, with the studio to watch and control them. ' +
  'Runs are stored in the database; interrupted runs continue when the server starts. ' +
  'By default the server listens on 127.0.0.1 and needs no API key until you create one. On any other address, or with ' +
  '--name or --proxy, it starts only if there is a key (flyball keys create) or JWT is configured. ' +
  'Files are agent definitions in YAML, or modules that export `agents`. A module can also export `tools`, `skills` and `models`.';

const ENVIRONMENT = `
Credentials other than API keys (see flyball keys --help):
  FLYBALL_JWT_SECRET       accept JWTs signed with this secret (HS256, at least 32 bytes); or use FLYBALL_JWT_SECRET_FILE
  FLYBALL_JWT_PUBLIC_KEY   accept JWTs signed with RS256: a file with the public key in PEM
  FLYBALL_JWKS             accept JWTs signed with the keys at this URL or in this file
  FLYBALL_JWT_ISSUER, FLYBALL_JWT_AUDIENCE   required issuer and audience of a token
  A token contains its tenant (tenant), its scopes (scope) and its user (sub).

Endpoints:
  /studio          watch runs, answer requests, try agents
  /docs            API reference; /openapi.json for tools
  /v1/…            agents, runs, events, approvals, conversations, tools, skills
  /mcp             agents and tools for MCP clients
  /metrics         for Prometheus; /health and /ready for probes`;

export function serveCommand(perform: Perform): Command {
  const command = newCommand('serve [files...]', ABOUT, [
    'flyball serve agent.yaml                      http://127.0.0.1:4747/studio, local access only',
    'flyball serve desk.yaml research.ts --port 8080',
    'flyball serve agents.mjs --host 0.0.0.0 --name agents.example.com --rate 600',
    'flyball serve agents.mjs --triggers triggers.yaml --evals results',
  ])
    .option('--config <file>', 'settings in YAML; the names are in the table below')
    .option('--quiet', 'log only warnings and errors; same as --log-level warn')
    .addHelpText('after', () => settingsHelp() + ENVIRONMENT)
    .action((files: readonly string[], options: ServeOptions) => {
      // what commander fills in by itself must not come before a variable or a file
      const given = Object.entries(options).filter(([name]) => command.getOptionValueSource(name) === 'cli');
      return perform(options, {}, (call) => serve(call, files, Object.fromEntries(given)));
    });
  for (const setting of allSettings()) {
    if (setting.flag === undefined || setting.key === 'db') continue; // every command has --db
    const option = new Option(setting.flag, aboutFlag(setting));
    if (setting.isList === true) option.argParser(collect);
    else if (setting.flag.includes('<')) option.argParser(checked(setting));
    command.addOption(option);
  }
  return command;
}

/** Loaded when it is needed: no other command has to read a web server. */
async function serve(call: Call, files: readonly string[], options: ServeOptions): Promise<ExitCode> {
  const { runServer } = await import('../serve/run-server.js');
  return runServer(call, files, options);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function aboutFlag({ flag = '', about, fallback }: Setting): string {
  if (flag.startsWith('--no-'))
    return about.replace(/; the flag turns it off$/, '').replace(/^serve /, 'do not serve ');
  return fallback === undefined || fallback === 'false' ? about : `${about} (default: ${fallback})`;
}

/** What is wrong with a value is told as bad usage, before anything is loaded. */
function checked(setting: Setting): (text: string) => string {
  return (text) => {
    try {
      readSetting(setting, text, 'it');
    } catch (error) {
      const why = String((error as Error).message).replace(/^it is not valid: /, '');
      throw new InvalidArgumentError(`${why.slice(0, 1).toUpperCase()}${why.slice(1)}`);
    }
    return text;
  };
}

function settingsHelp(): string {
  const rows = allSettings().map((setting) => [
    setting.name,
    variableOf(setting),
    (setting.flag ?? '').split(' ')[0] ?? '',
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    `  ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  return `
You can also set each option with an environment variable, or by name in the file given by --config (or FLYBALL_CONFIG).
The command line overrides the variable, and the variable overrides the file. Times are in seconds. Separate lists in variables with commas.
${lines.join('\n')}
`;
}
