import { readFileSync } from 'node:fs';
import { ConfigError } from '../../core/errors.js';
import type { JwtOptions } from '../../server/access/jwt.js';
import type { Call } from '../command.js';

/** How tokens are verified, as the environment says; undefined where it says nothing. */
export function jwtFrom(env: Call['env']): JwtOptions | undefined {
  const chosen = VARIABLES.filter((name) => (env[name] ?? '') !== '');
  if (chosen.length === 0) return undefined;
  if (chosen.length > 1)
    throw new ConfigError(
      `${chosen.join(' and ')} are set, and one server verifies tokens in one way. Keep one of them.`,
    );
  const issuer = env['FLYBALL_JWT_ISSUER'];
  const audience = env['FLYBALL_JWT_AUDIENCE'];
  return {
    key: keyFrom(env),
    ...(issuer === undefined || issuer === '' ? {} : { issuer }),
    ...(audience === undefined || audience === '' ? {} : { audience }),
  };
}

const VARIABLES = ['FLYBALL_JWT_SECRET', 'FLYBALL_JWT_PUBLIC_KEY', 'FLYBALL_JWKS'] as const;

function keyFrom(env: Call['env']): JwtOptions['key'] {
  const secret = env['FLYBALL_JWT_SECRET'] ?? '';
  if (secret !== '') return { kind: 'secret', secret };
  const file = env['FLYBALL_JWT_PUBLIC_KEY'] ?? '';
  if (file !== '') return { kind: 'pem', pem: textOf(file, 'FLYBALL_JWT_PUBLIC_KEY') };
  const jwks = env['FLYBALL_JWKS'] ?? '';
  return /^https?:\/\//.test(jwks) ? { kind: 'jwks-url', url: jwks } : { kind: 'jwks-file', path: jwks };
}

function textOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`${variable} names ${file}, which cannot be read.`);
  }
}
