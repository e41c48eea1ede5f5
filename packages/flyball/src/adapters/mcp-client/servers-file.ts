import { readFile } from 'node:fs/promises';
import { ConfigError } from '../../core/errors.js';
import type { Env } from './secrets.js';
import { type McpServerSpec, type McpTransport, requireSoundSpecs } from './server-spec.js';

/** Our own settings stand under `flyball`, so that no other product stumbles over them, nor we over theirs. */
type OwnSettings = Omit<McpServerSpec, 'name' | 'transport' | 'secrets'>;
const OWN: readonly (keyof OwnSettings)[] = [
  'include',
  'exclude',
  'timeoutMs',
  'pin',
  'effects',
  'pins',
  'legs',
  'plain',
  'handshake',
];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the `{ "mcpServers": { name: { command, args, env } | { url, headers } } }` that other products read too.
 * `${NAME}` and `${NAME:-otherwise}` stand for environment variables; what they stood for is a secret from then on.
 */
export async function mcpServersFromFile(
  path: string,
  { env = process.env }: { readonly env?: Env } = {},
): Promise<readonly McpServerSpec[]> {
  const fail = (why: string): never => {
    throw new ConfigError(`${path}: ${why}`);
  };
  const servers = fieldsIn(parsed(await textOf(path, fail), fail), 'mcpServers', fail);
  const specs = Object.entries(servers)
    .filter(([, entry]) => (entry as { readonly disabled?: unknown } | null)?.disabled !== true)
    .map(([name, entry]) => specOf(name, entry, env, (why) => fail(`${name}: ${why}`)));
  requireSoundSpecs(specs);
  return specs;
}

type Fail = (why: string) => never;

async function textOf(path: string, fail: Fail): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return fail(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

function parsed(text: string, fail: Fail): Fields {
  try {
    return Object(JSON.parse(text)) as Fields;
  } catch (error) {
    // the words of the parser quote the text, which holds credentials
    const at = /position \d+|line \d+ column \d+/.exec((error as Error).message)?.[0];
    return fail(`it is not valid JSON${at === undefined ? '' : ` (${at})`}.`);
  }
}

function fieldsIn(given: Fields, name: string, fail: Fail): Fields {
  const value = given[name];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  return fail(`${name} is missing or no object.`);
}

function specOf(name: string, entry: unknown, env: Env, fail: Fail): McpServerSpec {
  const given = Object(entry) as Fields;
  const secrets: string[] = [];
  const expand = (text: unknown, what: string): string => {
    if (typeof text !== 'string') return fail(`${what} must be text.`);
    return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, variable: string, otherwise?: string) => {
      const value = env[variable] ?? otherwise;
      if (value === undefined) return fail(`${what} needs the environment variable ${variable}, which is not set.`);
      if (env[variable] !== undefined) secrets.push(value);
      return value;
    });
  };
  const transport = transportOf(given, expand, fail);
  const own = given['flyball'] === undefined ? {} : ownSettings(fieldsIn(given, 'flyball', fail), fail);
  return { name: name.replace(/[^a-zA-Z0-9_-]/g, '_'), transport, ...own, ...(secrets.length > 0 ? { secrets } : {}) };
}

type Expand = (text: unknown, what: string) => string;

function transportOf(given: Fields, expand: Expand, fail: Fail): McpTransport {
  const kind = given['type'] ?? given['transport'];
  if (kind === 'sse')
    return fail('the transport sse is no longer supported. Use the URL of its streamable HTTP endpoint.');
  const record = (what: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(fieldsIn(given, what, fail)).map(([key, value]) => [key, expand(value, `${what}.${key}`)]),
    );
  if (given['url'] !== undefined) {
    const headers = given['headers'] === undefined ? {} : { headers: record('headers') };
    return { kind: 'http', url: expand(given['url'], 'url'), ...headers };
  }
  const { args = [], cwd } = given;
  if (!Array.isArray(args)) return fail('args must be a list.');
  return {
    kind: 'stdio',
    command: given['command'] === undefined ? fail('give command, or url.') : expand(given['command'], 'command'),
    args: args.map((arg, index) => expand(arg, `args[${index}]`)),
    ...(given['env'] === undefined ? {} : { env: record('env') }),
    ...(cwd === undefined ? {} : { cwd: expand(cwd, 'cwd') }),
  };
}

function ownSettings(given: Fields, fail: Fail): OwnSettings {
  const stray = Object.keys(given).find((key) => !OWN.includes(key as keyof OwnSettings));
  if (stray !== undefined) return fail(`flyball.${stray} is unknown. Known settings: ${OWN.join(', ')}.`);
  return given as OwnSettings;
}
