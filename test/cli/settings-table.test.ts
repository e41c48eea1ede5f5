import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandsFor } from '../../packages/flyball/src/cli/commands.js';
import { buildProgram } from '../../packages/flyball/src/cli/program.js';
import { jwtFrom } from '../../packages/server/src/cli/serve/jwt-settings.js';
import { givenSettings, serverSettings } from '../../packages/server/src/cli/serve/serve-settings.js';
import { optionOf, variableOf } from '../../packages/server/src/cli/serve/setting.js';
import { allSettings, type SettingKey } from '../../packages/server/src/cli/serve/settings-table.js';
import { unknownVariables } from '../../packages/server/src/cli/serve/unknown-variables.js';
import { DEFAULT_SETTINGS } from '../../packages/server/src/settings.js';
import { root } from '../../scripts/files.mjs';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(root, path), 'utf8');

const there = join(folder, 'there.yaml');
writeFileSync(there, '[]');

/** One value for each setting: as text, as the server takes it, and as a file has it where that is something else. */
const SAMPLES: Readonly<
  Record<SettingKey, { readonly text: string; readonly value: unknown; readonly written?: unknown }>
> = {
  agents: { text: `${there},${there}`, value: [there, there] },
  host: { text: '0.0.0.0', value: '0.0.0.0' },
  port: { text: '8080', value: 8080 },
  hosts: { text: 'a.example.com,b.example.com', value: ['a.example.com', 'b.example.com'] },
  origins: { text: 'https://a.example.com', value: ['https://a.example.com'] },
  proxies: { text: '10.0.0.0/8', value: ['10.0.0.0/8'] },
  proxyHeader: { text: 'forwarded', value: 'forwarded' },
  requestsPerMinute: { text: '60', value: 60 },
  costUsdPerDay: { text: '0.5', value: 0.5 },
  tenants: { text: '{"acme":{"requestsPerMinute":60}}', value: { acme: { requestsPerMinute: 60 } } },
  failuresPerMinute: { text: '3', value: 3 },
  maxStreams: { text: '7', value: 7 },
  maxBodyBytes: { text: '4096', value: 4096 },
  bodyTimeoutMs: { text: '2.5', value: 2500, written: 2.5 },
  requestTimeoutMs: { text: '2.5', value: 2500, written: 2.5 },
  heartbeatMs: { text: '2.5', value: 2500, written: 2.5 },
  idempotencyMs: { text: '60', value: 60_000, written: 60 },
  shutdownDelayMs: { text: '5', value: 5000, written: 5 },
  drainMs: { text: '45', value: 45_000, written: 45 },
  role: { text: 'worker', value: 'worker' },
  worksOn: { text: 'desk,research', value: ['desk', 'research'] },
  concurrency: { text: '20', value: 20 },
  maxQueue: { text: '500', value: 500 },
  weight: { text: '2.5', value: 2.5 },
  requesterDecides: { text: 'true', value: true },
  inputScan: { text: 'strict', value: 'strict' },
  publicCard: { text: '1', value: true },
  studio: { text: 'false', value: false },
  mcp: { text: '0', value: false },
  evals: { text: folder, value: folder },
  triggers: { text: there, value: there },
  logLevel: { text: 'warn', value: 'warn' },
  db: { text: 'runs.db', value: 'runs.db' },
  dispatcher: { text: 'restate://host:8080', value: 'restate://host:8080' },
  jwtPublicKey: { text: there, value: there },
  jwks: { text: 'https://id.example.com/keys', value: 'https://id.example.com/keys' },
  jwtIssuer: { text: 'https://id.example.com', value: 'https://id.example.com' },
  jwtAudience: { text: 'flyball', value: 'flyball' },
};

/** The table as docs/operation.md has it. Where they differ, put what the test expects into the document. */
function tableOfCode(): readonly string[] {
  return allSettings().map((setting) => {
    const { name, flag, about, fallback, kind } = setting;
    const unit = kind === 'seconds' || kind === 'wait' ? ' (seconds)' : '';
    const option = flag === undefined ? '' : `\`${flag}\``;
    return `| \`${name}\` | \`${variableOf(setting)}\` | ${option} | ${about}${unit} | ${fallback ?? ''} |`;
  });
}

describe('the settings of a server', () => {
  it('are all in the document, as the code has them [F-O8]', () => {
    const documented = read('docs/operation.md').match(/^\| `\w+` \| `FLYBALL_\w+` \|.*$/gm);
    expect(documented).toEqual(tableOfCode());
  });

  it('have a flag each, but for what fits on no command line', async () => {
    const streams = { out: { write: () => undefined }, error: { write: () => undefined }, env: {} };
    const serve = buildProgram(async () => undefined, streams, await commandsFor(['serve'])).commands.find(
      (command) => command.name() === 'serve',
    );
    const flags = serve?.options.map(({ flags: words }) => words) ?? [];
    for (const { flag } of allSettings()) if (flag !== undefined) expect(flags).toContain(flag);
    const without = allSettings().flatMap(({ name, flag }) => (flag === undefined ? [name] : []));
    expect(without).toEqual(['agents', 'tenants', 'jwtPublicKey', 'jwks', 'jwtIssuer', 'jwtAudience']);
  });

  it('default to what the document says', () => {
    for (const { key, kind, fallback } of allSettings()) {
      if (!(key in DEFAULT_SETTINGS) || fallback === undefined || key === 'evals') continue;
      const value = DEFAULT_SETTINGS[key as keyof typeof DEFAULT_SETTINGS];
      expect(String(kind === 'seconds' || kind === 'wait' ? Number(value) / 1000 : value), key).toBe(fallback);
    }
  });

  it('are read from variables in the same words', async () => {
    const env = {
      FLYBALL_PROXIES: '10.0.0.0/8, 192.0.2.1',
      FLYBALL_TENANTS: '{"acme":{"requestsPerMinute":60,"costUsdPerDay":0.5}}',
      FLYBALL_REQUEST_TIMEOUT: '2.5',
      FLYBALL_REQUESTS_PER_MINUTE: '600',
      FLYBALL_STUDIO: 'false',
    };
    expect(serverSettings(await givenSettings({ options: {}, env, file: undefined }))).toEqual({
      proxies: ['10.0.0.0/8', '192.0.2.1'],
      tenants: { acme: { requestsPerMinute: 60, costUsdPerDay: 0.5 } },
      requestTimeoutMs: 2_500,
      tenantLimits: { requestsPerMinute: 600 },
      studio: false,
    });
  });

  it.each(Object.entries(SAMPLES))(
    'can each be given as a variable, in a file and by their flag: %s [R8-REST-SETTINGS]',
    async (key, { text, value, written = value }) => {
      const setting = allSettings().find((each) => each.key === key);
      if (setting === undefined) throw new Error(`no setting ${key}`);
      const file = join(folder, 'one.yaml');
      writeFileSync(file, JSON.stringify({ [setting.name]: written }));
      const none = { options: {}, env: {}, file: undefined };
      const expected = { [key]: value };
      expect(await givenSettings({ ...none, env: { [variableOf(setting)]: text } })).toEqual(expected);
      expect(await givenSettings({ ...none, file })).toEqual(expected);
      if (setting.flag === undefined) return;
      const option = setting.flag.includes('<') ? (setting.isList === true ? text.split(',') : text) : value;
      expect(await givenSettings({ ...none, options: { [optionOf(setting)]: option } })).toEqual(expected);
    },
  );

  it('have one variable and one name in the file each [R8-REST-SETTINGS]', () => {
    const settings = allSettings();
    expect(Object.keys(SAMPLES)).toEqual(settings.map(({ key }) => key));
    expect(new Set(settings.map(variableOf)).size).toBe(settings.length);
    expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
    expect(unknownVariables(Object.fromEntries(settings.map((setting) => [variableOf(setting), 'x'])))).toEqual([]);
  });

  it('are not what Kubernetes says about a service of that name', async () => {
    const env = { FLYBALL_PORT: 'tcp://10.0.0.7:4747' };
    expect(await givenSettings({ options: {}, env, file: undefined })).toEqual({});
  });

  it.each([
    ['FLYBALL_TENANTS', '{"acme":{"requests":1}}', /FLYBALL_TENANTS, acme is not valid: requests is not one of/],
    ['FLYBALL_TENANTS', 'acme', /it must be JSON/],
    ['FLYBALL_STUDIO', 'maybe', /FLYBALL_STUDIO is not valid: it must be true or false/],
    ['FLYBALL_PORT', '70000', /a whole number from 0 to 65535/],
    ['FLYBALL_LOG_LEVEL', 'loud', /one of debug, info, warn, error/],
    [
      'FLYBALL_HOSTS',
      'https://agents.example.com',
      /FLYBALL_HOSTS is not valid: it must be a host name without scheme/,
    ],
    ['FLYBALL_HOSTS', 'a b,c/d', /FLYBALL_HOSTS/],
    ['FLYBALL_ORIGINS', 'app.example.com', /FLYBALL_ORIGINS is not valid: it must be an origin with a scheme/],
    ['FLYBALL_ORIGINS', '*', /FLYBALL_ORIGINS/],
    ['FLYBALL_ORIGINS', 'https://app.example.com/page', /FLYBALL_ORIGINS/],
    ['FLYBALL_TENANTS', '{"ACME":{}}', /"ACME" is not a valid tenant name/],
    ['FLYBALL_EVALS', '/etc/passwd', /FLYBALL_EVALS is not valid: it names a file/],
    ['FLYBALL_PROXIES', 'foo', /FLYBALL_PROXIES is not valid: it must be an address or a network/],
    ['FLYBALL_REQUEST_TIMEOUT', '0', /from 0.1 to 100000000/],
    ['FLYBALL_BODY_TIMEOUT', '0', /from 0.1/],
    ['FLYBALL_HEARTBEAT', '0', /FLYBALL_HEARTBEAT/],
    ['FLYBALL_HEARTBEAT', '99999999999', /to 100000000/],
    ['FLYBALL_TRIGGERS', '/nowhere/triggers.yaml', /FLYBALL_TRIGGERS is not valid: there is no file \/nowhere/],
    ['FLYBALL_TRIGGERS', '/tmp', /FLYBALL_TRIGGERS is not valid: \/tmp is a folder/],
    ['FLYBALL_AGENTS', '/nowhere/agent.yaml', /FLYBALL_AGENTS is not valid: there is no file/],
    ['FLYBALL_JWT_PUBLIC_KEY', '/nowhere/key.pem', /FLYBALL_JWT_PUBLIC_KEY is not valid: there is no file/],
    ['FLYBALL_JWKS', '/nowhere/keys.json', /FLYBALL_JWKS is not valid: there is no file/],
  ])('are refused by name: %s=%s [R8-TRIAL-O7]', async (name, value, why) => {
    await expect(givenSettings({ options: {}, env: { [name]: value }, file: undefined })).rejects.toThrow(why);
  });

  it('take what is right [R8-TRIAL-O7]', async () => {
    const env = {
      FLYBALL_HOSTS: 'agents.example.com, localhost:8080, [::1]',
      FLYBALL_ORIGINS: 'https://app.example.com, http://localhost:5173/',
      FLYBALL_PROXIES: '10.0.0.0/8, fd00::/8, ::1',
      FLYBALL_EVALS: '/nowhere/yet',
    };
    expect(Object.keys(await givenSettings({ options: {}, env, file: undefined }))).toHaveLength(4);
  });

  it('are refused where they have nothing to act on, or say two things [R8-TRIAL-O7]', async () => {
    expect(() => jwtFrom({}, { jwtIssuer: 'https://id.example.com' })).toThrow(
      /FLYBALL_JWT_ISSUER is set, but there is nothing/,
    );
    const both = await flyball(['serve', '--quiet', '--log-level', 'debug']);
    expect([both.code, both.error]).toEqual([2, expect.stringContaining('Use only one of them')]);
  });

  it('are told where a variable is none of them, with what may have been meant [R8-TRIAL-O7]', () => {
    const env = {
      FLYBALL_SHUTDWON_DELAY: '5',
      FLYBALL_SERVICE_HOST: '10.0.0.7',
      FLYBALL_PORT_4747_TCP: 'tcp://10.0.0.7:4747',
      FLYBALL_MODEL_JUDGE: 'm',
      FLYBALL_HOOK: 'secret',
      FLYBALL_DB: 'x',
    };
    expect(unknownVariables(env, ['FLYBALL_HOOK'])).toEqual([
      'FLYBALL_SHUTDWON_DELAY is set, but there is no such setting: did you mean FLYBALL_SHUTDOWN_DELAY?',
    ]);
  });

  it('of a file are refused with their line [R8-TRIAL-O9]', async () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, 'host: 0.0.0.0\nport: many\n');
    const given = givenSettings({ options: {}, env: {}, file });
    await expect(given).rejects.toThrow(`port in ${file}:2 is not valid`);
    writeFileSync(file, 'host: 0.0.0.0\n\nprot: 1\n');
    await expect(givenSettings({ options: {}, env: {}, file })).rejects.toThrow(
      `${file}:3 has an unknown setting "prot"`,
    );
  });
});

describe('the database in the file of FLYBALL_CONFIG', () => {
  it('is that of every command, after --db and FLYBALL_DB [R8-TRIAL-O3]', async () => {
    const file = join(folder, 'flyball.yaml');
    const [named, other, third] = ['named.db', 'other.db', 'third.db'].map((name) => join(folder, name));
    writeFileSync(file, `db: ${named}\nhost: 0.0.0.0\n`);
    const env = { FLYBALL_CONFIG: file };
    const key = ['keys', 'create', '--name', 'admin', '--scope', 'admin'];
    expect((await flyball(key, env)).code).toBe(0);
    expect(existsSync(named ?? '')).toBe(true);
    expect((await flyball(key, { ...env, FLYBALL_DB: other })).code).toBe(0);
    expect(existsSync(other ?? '')).toBe(true);
    expect((await flyball([...key, '--db', third ?? ''], { ...env, FLYBALL_DB: other })).code).toBe(0);
    expect(existsSync(third ?? '')).toBe(true);
    for (const words of [
      ['check'],
      ['backup', join(folder, 'copy.db')],
      ['prune', '--older', '1d'],
      ['runs'],
      ['inbox'],
    ])
      expect((await flyball(words, env)).code, words[0]).toBe(0);
    expect((await flyball(['check'], env)).out).toContain(named);
  });

  it('is found by whoever may not read what else the file names [R8-REST-SETTINGS]', async () => {
    const file = join(folder, 'secret.yaml');
    writeFileSync(file, `db: ${join(folder, 'secret.db')}\njwtPublicKey: /nowhere/key.pem\n`);
    const key = ['keys', 'create', '--name', 'admin', '--scope', 'admin'];
    expect((await flyball(key, { FLYBALL_CONFIG: file })).code).toBe(0);
    expect(existsSync(join(folder, 'secret.db'))).toBe(true);
    const served = await flyball(['serve'], { FLYBALL_CONFIG: file });
    expect([served.code, served.error]).toEqual([2, expect.stringContaining(`jwtPublicKey in ${file}:2 is not valid`)]);
    const flag = await flyball(['serve', '--triggers', '/nowhere/t.yaml']);
    expect([flag.code, flag.error]).toEqual([
      2,
      expect.stringContaining("'/nowhere/t.yaml' is invalid. There is no file"),
    ]);
  });

  it('keeps commands from working on another one where the file cannot be used [R8-TRIAL-O3]', async () => {
    const said = await flyball(['keys', 'list'], { FLYBALL_CONFIG: join(folder, 'nowhere.yaml') });
    expect([said.code, said.error]).toEqual([2, expect.stringContaining('nowhere.yaml')]);
  });
});
