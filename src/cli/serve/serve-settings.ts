import { readYaml } from '../../adapters/definitions/yaml-source.js';
import { ConfigError } from '../../core/errors.js';
import type { ServerSettings } from '../../server/settings.js';
import { optionOf, readSetting, variableOf, wrong } from './setting.js';
import { allSettings, type SettingKey } from './settings-table.js';

/** What was set, and nothing that was not. */
export type GivenSettings = Readonly<Partial<Record<SettingKey, unknown>>>;

export interface SettingSources {
  /** As commander hands them over. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file of settings, in YAML or JSON. */
  readonly file: string | undefined;
}

/** The command line comes first, then a variable, then the file. */
export async function givenSettings({ options, env, file }: SettingSources): Promise<GivenSettings> {
  const inFile = file === undefined ? {} : await settingsIn(file);
  const given: Partial<Record<SettingKey, unknown>> = {};
  for (const setting of allSettings()) {
    const { key, name, flag } = setting;
    const option = flag === undefined ? undefined : options[optionOf(setting)];
    const variable = variableOf(setting);
    const text = ofCluster(env[variable]) ? '' : (env[variable] ?? '');
    if (option !== undefined) given[key] = readSetting(setting, option, `--${optionName(flag)}`);
    else if (text !== '') given[key] = readSetting(setting, text, variable);
    else if (inFile[name] !== undefined) given[key] = readSetting(setting, inFile[name], `${name} in ${file}`);
  }
  return given;
}

/** Kubernetes sets FLYBALL_PORT to an address of its own where a service is called flyball. */
function ofCluster(value: string | undefined): boolean {
  return value?.startsWith('tcp://') === true;
}

function optionName(flag = ''): string {
  return flag.replace(/^--/, '').split(' ')[0] ?? '';
}

async function settingsIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { value } = await readYaml(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(file, 'it holds no settings. Write one to a line, such as port: 8080');
  for (const name of Object.keys(value))
    if (!allSettings().some((setting) => setting.name === name)) throw unknownSetting(file, name);
  return value as Readonly<Record<string, unknown>>;
}

function unknownSetting(file: string, name: string): ConfigError {
  return new ConfigError(
    `${file} has a setting "${name}", which there is not. See flyball serve --help for those there are.`,
  );
}

/** What of it is for the server. */
export function serverSettings(given: GivenSettings): Partial<ServerSettings> {
  const { requestsPerMinute, costUsdPerDay, agents, triggers, logLevel, db, ...rest } = given;
  const { jwtPublicKey, jwks, jwtIssuer, jwtAudience, ...settings } = rest;
  const limits = {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute: requestsPerMinute as number }),
    ...(costUsdPerDay === undefined ? {} : { costUsdPerDay: costUsdPerDay as number }),
  };
  return { ...(settings as Partial<ServerSettings>), tenantLimits: limits };
}
