import { ConfigError } from 'flyball';
import { refuseUnknownOptions, serviceAddress } from 'flyball/internal';
import { optionsIn } from './address.js';

/** How many runs may be at work at the same time, by name. `'*'` is for each of those that are not named. */
export type RestateLimits = Readonly<Record<string, number>>;

/** Options of `restateDispatcher`. */
export interface RestateOptions {
  /**
   * The ingress of Restate: `restate://host:8080`, or an address that begins with http:// or https://. Several nodes of one
   * cluster are tried in turn. The first form can set options too (`?listen=10.0.0.5:9080`), each of them only once.
   */
  readonly url: string | readonly string[];
  /** The admin API as `http://host:9070`, by default port 9070 on the same hosts. Workers register there. */
  readonly admin?: string | readonly string[];
  /** Where people open Restate's UI, by default `/ui` of the admin API. The studio links to it. */
  readonly ui?: string;
  /** Where this worker listens for Restate, by default 127.0.0.1:9080. */
  readonly listen?: string;
  /**
   * The address under which Restate reaches the workers, as `http://host:9080`, by default the one where this one listens.
   * If there are several workers, it is the address of a load balancer in front of them.
   */
  readonly address?: string;
  /** For a Restate that requires a token. */
  readonly token?: string;
  /** Public keys (`publickeyv1_…`) of the Restate servers whose calls this worker accepts. */
  readonly identityKeys?: readonly string[];
  /**
   * Without identity keys, a worker accepts calls from anybody who reaches its port, and so refuses to listen on an address
   * that other machines can reach. Set this if only Restate and the other workers can.
   */
  readonly open?: boolean;
  /** The name of these workers in Restate, by default `flyball`. Choose another for a second database on the same Restate. */
  readonly name?: string;
  /** Runs of one tenant that may be at work at the same time. */
  readonly tenants?: RestateLimits;
  /** Runs of one agent that may be at work at the same time. */
  readonly agents?: RestateLimits;
  /** Within this time, runs that Restate missed are found. Workers look every half of it. */
  readonly sweepMs?: number;
  /**
   * Receives failures in the background. `doing` is empty if the message says everything. Without this option, failures
   * become process warnings.
   */
  readonly onProblem?: (error: unknown, doing: string) => void;
}

export interface Settings {
  readonly ingress: readonly string[];
  readonly admin: readonly string[];
  readonly ui: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly address: string | undefined;
  readonly token: string | undefined;
  readonly identityKeys: readonly string[];
  readonly open: boolean;
  readonly name: string;
  readonly tenants: RestateLimits;
  readonly agents: RestateLimits;
  readonly sweepMs: number;
  readonly onProblem: (error: unknown, doing: string) => void;
}

const ADMIN_PORT = '9070';

const NAMES: readonly (keyof RestateOptions)[] = [
  'url',
  'admin',
  'ui',
  'listen',
  'address',
  'token',
  'identityKeys',
  'open',
  'name',
  'tenants',
  'agents',
  'sweepMs',
  'onProblem',
];

export function settle(stated: RestateOptions): Settings {
  refuseUnknownOptions('restateDispatcher', stated, NAMES);
  if (stated.url === undefined)
    throw new ConfigError('restateDispatcher needs a url, as in { url: "restate://host:8080" }.');
  const given = withAddresses(stated);
  const ingress = listOf(given.url).map((url) => httpOf(url, INGRESS));
  if (ingress.length === 0) throw wrongUrl(INGRESS);
  const name = given.name ?? 'flyball';
  if (!/^[a-z][a-z0-9-]{0,40}$/i.test(name))
    throw new ConfigError(
      `"${name}" cannot be the name of workers in Restate. Use up to 41 letters, digits and hyphens.`,
    );
  const sweepMs = given.sweepMs ?? 15_000;
  if (!(sweepMs >= 1)) throw new ConfigError(`sweepMs must be a number above 0, not ${sweepMs}.`);
  const admin =
    given.admin === undefined ? ingress.map(adminBeside) : listOf(given.admin).map((url) => httpOf(url, ADMIN));
  return {
    ingress,
    admin,
    ui: given.ui === undefined ? `${admin[0]}/ui` : pageOf(given.ui),
    listen: placeIn(given.listen ?? '127.0.0.1:9080'),
    address: given.address === undefined ? undefined : httpOf(given.address, ADDRESS),
    token: given.token,
    identityKeys: given.identityKeys ?? [],
    open: flag('open', given.open),
    name,
    tenants: checked('tenants', given.tenants ?? {}),
    agents: checked('agents', given.agents ?? {}),
    sweepMs,
    onProblem: given.onProblem ?? warn,
  };
}

/** Together with what addresses that begin with restate:// say. Which of two values holds is not guessed. */
function withAddresses(stated: RestateOptions): RestateOptions {
  const url: string[] = [];
  const all: Record<string, unknown> = { ...stated };
  for (const each of listOf(stated.url)) {
    const { url: hosts, ...more } = /^restates?:/i.test(each) ? optionsIn(each) : { url: each };
    url.push(...listOf(hosts));
    for (const [name, value] of Object.entries(more)) {
      if (all[name] !== undefined)
        throw new ConfigError(`${name} is set more than once. Set it in an address of Restate or as an option.`);
      all[name] = value;
    }
  }
  return { ...all, url };
}

function flag(name: string, given: boolean | undefined): boolean {
  if (given === undefined || typeof given === 'boolean') return given ?? false;
  throw new ConfigError(`${name} must be true or false, not ${String(given)}.`);
}

function listOf(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? [given] : given;
}

interface Place {
  readonly setting: string;
  readonly example: string;
}

const INGRESS: Place = { setting: 'The address of Restate', example: 'restate://host:8080' };
const ADMIN: Place = { setting: 'admin', example: 'http://host:9070' };
const ADDRESS: Place = { setting: 'address', example: 'http://host:9080' };

/** Without a slash at its end. */
function httpOf(address: string, place: Place): string {
  serviceAddress(address, place);
  if (!/^https?:\/\/[^/?#]+\/?$/i.test(address)) throw wrongUrl(place);
  return address.replace(/\/$/, '');
}

/** Of a browser: under any path. */
function pageOf(ui: string): string {
  serviceAddress(ui, { setting: "The address of Restate's UI (ui)", example: 'https://restate.example.com/ui' });
  return ui;
}

function adminBeside(ingress: string): string {
  const url = new URL(ingress);
  url.port = ADMIN_PORT;
  return url.origin;
}

function placeIn(listen: string): Settings['listen'] {
  const [, host, port] = /^(.*):(\d{1,5})$/.exec(listen) ?? [];
  if (host === undefined || host === '' || Number(port) > 65_535)
    throw new ConfigError(`"${listen}" is not a place to listen for Restate. Write it as host:port: 127.0.0.1:9080.`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

function checked(what: string, limits: RestateLimits): RestateLimits {
  for (const [name, most] of Object.entries(limits))
    if (!Number.isInteger(most) || most < 1)
      throw new ConfigError(
        `The limit for "${name}" in ${what} must be a whole number above 0, not ${typeof most === 'number' ? most : JSON.stringify(most)}.`,
      );
  return limits;
}

function wrongUrl({ setting, example }: Place): ConfigError {
  return new ConfigError(`${setting} is not an address. Write it as ${example}.`);
}

function warn(error: unknown, doing: string): void {
  process.emitWarning(
    `${doing === '' ? 'flyball' : `flyball, ${doing}`}: ${error instanceof Error ? error.message : String(error)}`,
  );
}
