import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type Call, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import type { ServeOptions } from '../serve/serve-options.js';

const ABOUT =
  'Serve agents over HTTP, with the studio to watch and steer them. ' +
  'Runs are kept in the database; what was interrupted goes on when the server starts. ' +
  'It binds to 127.0.0.1 unless told otherwise, where no key is needed as long as there is none; anywhere else it starts ' +
  'only when there is a key (flyball keys create) or JWT is configured. ' +
  'Files are agent definitions in YAML, or modules that export `agents`; a module may also export `tools`, `skills` and `models`.';

const ENVIRONMENT = `
Credentials, beside API keys (flyball keys --help):
  FLYBALL_JWT_SECRET       accepts JWTs signed with it by HS256; at least 32 bytes
  FLYBALL_JWT_PUBLIC_KEY   accepts JWTs by RS256: a file with the public key in PEM
  FLYBALL_JWKS             accepts JWTs by the keys at this address or in this file
  FLYBALL_JWT_ISSUER, FLYBALL_JWT_AUDIENCE   what such a token has to name
  A token names its tenant (tenant), its scopes (scope) and who it is for (sub).

What there is:
  /studio          watch runs, decide, try agents
  /docs            the API, rendered; /openapi.json for programs
  /v1/…            agents, runs, events, approvals, conversations, tools, skills
  /mcp             agents and tools for MCP clients
  /metrics         for Prometheus; /health and /ready for whoever starts it`;

export function serveCommand(perform: Perform): Command {
  return newCommand('serve [files...]', ABOUT, [
    'flyball serve agent.yaml                      http://127.0.0.1:4747/studio, for you alone',
    'flyball serve desk.yaml research.ts --port 8080',
    'flyball serve agents.mjs --host 0.0.0.0 --name agents.example.com --rate 600',
    'flyball serve agents.mjs --triggers triggers.yaml --evals results',
  ])
    .option('--host <address>', 'address to bind to (default: 127.0.0.1)')
    .option('--port <number>', 'port; 0 takes a free one (default: 4747)', port)
    .option('--name <host>', 'a host name under which it is reached; repeat it for several', collect)
    .option('--origin <url>', 'an origin whose pages may call it; repeat it for several', collect)
    .option('--rate <number>', 'requests a minute of each tenant', whole)
    .option('--cost-per-day <usd>', 'what the runs of each tenant may cost in a day', amount)
    .option('--max-body <bytes>', 'longest body of a request (default: 1048576)', whole)
    .option('--timeout <seconds>', 'how long a request waits for an answer (default: 30)', amount)
    .option('--drain <seconds>', 'how long running steps may take to end when the server stops (default: 10)', amount)
    .option('--triggers <file>', 'cron and webhook triggers, in YAML')
    .option('--evals <folder>', 'results of evaluations, shown in the studio (default: .flyball/evals)')
    .option('--requester-decides', 'let whoever started a run approve what it wants to do')
    .option('--public-card', 'show the agent card to anybody')
    .option('--no-studio', 'without the studio')
    .option('--no-mcp', 'without the MCP endpoint')
    .option('--quiet', 'do not log requests')
    .addHelpText('after', ENVIRONMENT)
    .action((files: readonly string[], options: ServeOptions) =>
      perform(options, {}, (call) => serve(call, files.length === 0 ? agentFilesHere() : files, options)),
    );
}

/** Loaded when it is needed: no other command has to read a web server. */
async function serve(call: Call, files: readonly string[], options: ServeOptions): Promise<ExitCode> {
  const { runServer } = await import('../serve/run-server.js');
  return runServer(call, files, options);
}

/** What `flyball init` makes. */
function agentFilesHere(): readonly string[] {
  const usual = ['agent.yaml', 'agents.ts', 'agents.mjs', 'agents.js'];
  const found = usual.filter((name) => existsSync(resolve(name)));
  return found.length > 0 ? found : ['agent.yaml'];
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function whole(text: string): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text)) return value;
  throw new InvalidArgumentError('It is a whole number.');
}

function port(text: string): number {
  const value = whole(text);
  if (value <= 65_535) return value;
  throw new InvalidArgumentError('Ports go from 0 to 65535.');
}

function amount(text: string): number {
  const value = Number(text);
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('It is a number above 0.');
}
