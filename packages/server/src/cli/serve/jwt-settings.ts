import { readFileSync } from 'node:fs';
import { ConfigError } from 'flyball';
import type { Call } from 'flyball/internal';
import type { JwtOptions } from '../../access/jwt.js';
import type { GivenSettings } from './serve-settings.js';
import { secretFrom } from './setting.js';

/** How tokens are verified, as settings and environment say; undefined where they say nothing. */
export function jwtFrom(env: Call['env'], given: GivenSettings): JwtOptions | undefined {
  const text = (key: 'jwtPublicKey' | 'jwks' | 'jwtIssuer' | 'jwtAudience'): string => String(given[key] ?? '');
  const sources = {
    FLYBALL_JWT_SECRET: secretFrom(env, 'FLYBALL_JWT_SECRET'),
    FLYBALL_JWT_PUBLIC_KEY: text('jwtPublicKey'),
    FLYBALL_JWKS: text('jwks'),
  };
  const chosen = Object.entries(sources).filter(([, value]) => value !== '');
  if (chosen.length === 0) {
    const names = { FLYBALL_JWT_ISSUER: text('jwtIssuer'), FLYBALL_JWT_AUDIENCE: text('jwtAudience') };
    const idle = Object.entries(names).find(([, value]) => value !== '');
    if (idle === undefined) return undefined;
    throw new ConfigError(
      `${idle[0]} is set, but there is nothing to verify tokens with. Set one of ${Object.keys(sources).join(', ')}, or remove it.`,
    );
  }
  if (chosen.length > 1)
    throw new ConfigError(
      `${chosen.map(([name]) => name).join(' and ')} are set, but a server can use only one of them. Keep one.`,
    );
  const [issuer, audience] = [text('jwtIssuer'), text('jwtAudience')];
  return {
    key: keyFrom(sources),
    ...(issuer === '' ? {} : { issuer }),
    ...(audience === '' ? {} : { audience }),
  };
}

interface Sources {
  readonly FLYBALL_JWT_SECRET: string;
  readonly FLYBALL_JWT_PUBLIC_KEY: string;
  readonly FLYBALL_JWKS: string;
}

function keyFrom(sources: Sources): JwtOptions['key'] {
  const { FLYBALL_JWT_SECRET: secret, FLYBALL_JWT_PUBLIC_KEY: file, FLYBALL_JWKS: jwks } = sources;
  if (secret !== '') return { kind: 'secret', secret };
  if (file !== '') return { kind: 'pem', pem: textOf(file, 'FLYBALL_JWT_PUBLIC_KEY') };
  return /^https?:\/\//.test(jwks) ? { kind: 'jwks-url', url: jwks } : { kind: 'jwks-file', path: jwks };
}

function textOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`${variable} names ${file}, which cannot be read.`);
  }
}
