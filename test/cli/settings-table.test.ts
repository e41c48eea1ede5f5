import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { buildProgram } from '../../src/cli/program.js';
import { givenSettings, serverSettings } from '../../src/cli/serve/serve-settings.js';
import { variableOf } from '../../src/cli/serve/setting.js';
import { allSettings } from '../../src/cli/serve/settings-table.js';
import { DEFAULT_SETTINGS } from '../../src/server/settings.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The table as docs/operation.md has it. Where they differ, put what the test expects into the document. */
function tableOfCode(): readonly string[] {
  return allSettings().map((setting) => {
    const { name, flag, about, fallback, kind } = setting;
    const unit = kind === 'seconds' ? ' (seconds)' : '';
    const option = flag === undefined ? '' : `\`${flag}\``;
    return `| \`${name}\` | \`${variableOf(setting)}\` | ${option} | ${about}${unit} | ${fallback ?? ''} |`;
  });
}

describe('the settings of a server', () => {
  it('are all in the document, as the code has them [F-O8]', () => {
    const documented = read('docs/operation.md').match(/^\| `\w+` \| `FLYBALL_\w+` \|.*$/gm);
    expect(documented).toEqual(tableOfCode());
  });

  it('have a flag each, but for what fits on no command line', () => {
    const serve = buildProgram(async () => undefined, {
      out: { write: () => undefined },
      error: { write: () => undefined },
      env: {},
    }).commands.find((command) => command.name() === 'serve');
    const flags = serve?.options.map(({ flags: words }) => words) ?? [];
    for (const { flag } of allSettings()) if (flag !== undefined) expect(flags).toContain(flag);
    const without = allSettings().flatMap(({ name, flag }) => (flag === undefined ? [name] : []));
    expect(without).toEqual(['agents', 'tenants', 'jwtPublicKey', 'jwks', 'jwtIssuer', 'jwtAudience']);
  });

  it('default to what the document says', () => {
    for (const { key, kind, fallback } of allSettings()) {
      if (!(key in DEFAULT_SETTINGS) || fallback === undefined || key === 'evals') continue;
      const value = DEFAULT_SETTINGS[key as keyof typeof DEFAULT_SETTINGS];
      expect(String(kind === 'seconds' ? Number(value) / 1000 : value), key).toBe(fallback);
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

  it('are not what Kubernetes says about a service of that name', async () => {
    const env = { FLYBALL_PORT: 'tcp://10.0.0.7:4747' };
    expect(await givenSettings({ options: {}, env, file: undefined })).toEqual({});
  });

  it.each([
    ['FLYBALL_TENANTS', '{"acme":{"requests":1}}', /FLYBALL_TENANTS, acme cannot be used: requests is none of/],
    ['FLYBALL_TENANTS', 'acme', /it is JSON/],
    ['FLYBALL_STUDIO', 'maybe', /FLYBALL_STUDIO cannot be used: it is true or false/],
    ['FLYBALL_PORT', '70000', /a whole number from 0 to 65535/],
    ['FLYBALL_LOG_LEVEL', 'loud', /one of debug, info, warn, error/],
  ])('are refused by name: %s=%s', async (name, value, why) => {
    await expect(givenSettings({ options: {}, env: { [name]: value }, file: undefined })).rejects.toThrow(why);
  });
});
