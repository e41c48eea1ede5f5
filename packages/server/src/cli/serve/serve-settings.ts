import { ConfigError } from 'flyball';
import { readYaml } from 'flyball/internal';
import type { ServerSettings } from '../../settings.js';
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
  const inFile = file === undefined ? undefined : await settingsIn(file);
  const given: Partial<Record<SettingKey, unknown>> = {};
  for (const setting of allSettings()) {
    const { key, name, flag } = setting;
    const option = flag === undefined ? undefined : options[optionOf(setting)];
    const variable = variableOf(setting);
    const text = ofCluster(env[variable]) ? '' : (env[variable] ?? '');
    if (option !== undefined) given[key] = readSetting(setting, option, `--${optionName(flag)}`);
    else if (text !== '') given[key] = readSetting(setting, text, variable);
    else if (inFile?.values[name] !== undefined)
      given[key] = readSetting(setting, inFile.values[name], `${name} in ${inFile.at(name)}`);
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

interface SettingsFile {
  readonly values: Readonly<Record<string, unknown>>;
  /** `file:line` of a setting. */
  at(name: string): string;
}

async function settingsIn(file: string): Promise<SettingsFile> {
  const { value, at } = await readYaml(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(file, 'it contains no settings. Write one per line, such as port: 8080');
  for (const name of Object.keys(value))
    if (!allSettings().some((setting) => setting.name === name)) throw unknownSetting(at([name]), name);
  return { values: value as SettingsFile['values'], at: (name) => at([name]) };
}

function unknownSetting(where: string, name: string): ConfigError {
  return new ConfigError(`${where} has an unknown setting "${name}". flyball serve --help lists all settings.`);
}

/** What of it is for the server. */
export function serverSettings(given: GivenSettings): Partial<ServerSettings> {
  const { requestsPerMinute, costUsdPerDay, agents, triggers, logLevel, db, dispatcher, ...rest } = given;
  const { jwtPublicKey, jwks, jwtIssuer, jwtAudience, ...settings } = rest;
  const limits = {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute: requestsPerMinute as number }),
    ...(costUsdPerDay === undefined ? {} : { costUsdPerDay: costUsdPerDay as number }),
  };
  return { ...(settings as Partial<ServerSettings>), tenantLimits: limits };
}
