import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from 'flyball';
import { parsedUrl } from 'flyball/internal';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { isLoopback } from '../settings.js';
import type { JwtKey } from './jwt-key.js';

export type Jose = typeof import('jose');

export interface VerificationKey {
  readonly key: Uint8Array | KeyObject | JWTVerifyGetKey;
  readonly algorithms: readonly ('HS256' | 'RS256' | 'ES256')[];
}

const MOST_BYTES = 262_144;

export async function verificationKey(jose: Jose, given: JwtKey): Promise<VerificationKey> {
  switch (given.kind) {
    case 'secret':
      return { key: secretOf(given.secret), algorithms: ['HS256'] };
    case 'pem':
      return { key: rsaOf(given.pem), algorithms: ['RS256'] };
    case 'jwks-url':
      return { key: remoteKeys(jose, given), algorithms: ['RS256', 'ES256'] };
    case 'jwks-file':
      return { key: jose.createLocalJWKSet(await keysIn(given.path)), algorithms: ['RS256', 'ES256'] };
  }
}

function secretOf(secret: string | Uint8Array): Uint8Array {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  if (bytes.byteLength < 32)
    throw new ConfigError('The secret for HS256 must have at least 32 bytes. Create one with: openssl rand -base64 48');
  // a public key is known to everybody: as a secret it would let anybody sign
  if (typeof secret === 'string' && secret.includes('-----BEGIN'))
    throw new ConfigError('The secret for HS256 is a PEM file. Set it as the public key to use RS256.');
  return bytes;
}

function rsaOf(pem: string): KeyObject {
  if (/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(pem))
    throw new ConfigError(
      'The key for RS256 is a private key. The server only needs the public key. Keep the private key elsewhere.',
    );
  const key = readPem(pem);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < 2048)
    throw new ConfigError('The key for RS256 must be an RSA public key with at least 2048 bits.');
  return key;
}

function readPem(pem: string): KeyObject {
  try {
    return pem.includes('-----BEGIN CERTIFICATE-----') ? new X509Certificate(pem).publicKey : createPublicKey(pem);
  } catch {
    throw new ConfigError('The key for RS256 is not a public key or certificate in PEM.'); // the parser's own words are no help
  }
}

function remoteKeys(
  jose: Jose,
  { url, timeoutMs = 5_000 }: { readonly url: string; readonly timeoutMs?: number },
): JWTVerifyGetKey {
  const address = parsedUrl(url);
  const isSafe = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback(address.hostname));
  if (address === undefined || !isSafe) throw new ConfigError('The URL of a JWKS must start with https://.');
  return jose.createRemoteJWKSet(address, {
    timeoutDuration: timeoutMs,
    cooldownDuration: 30_000, // tokens with unknown keys cannot make us ask more often
    cacheMaxAge: 600_000,
    [jose.customFetch]: fetched,
  });
}

export class KeysNotFetched extends Error {}

async function fetched(at: string, options: RequestInit): Promise<Response> {
  try {
    return await bounded(await fetch(at, options));
  } catch (cause) {
    throw new KeysNotFetched('the keys were not fetched', { cause });
  }
}

/** The answer, if it is not larger than any set of keys is. */
async function bounded(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > MOST_BYTES) throw new Error(`The JWKS is larger than ${MOST_BYTES} bytes.`);
    chunks.push(chunk as Uint8Array);
  }
  return new Response(Buffer.concat(chunks), { status: response.status });
}

async function keysIn(path: string): Promise<JSONWebKeySet> {
  const text = await readFile(path, 'utf8');
  let keys: unknown;
  try {
    keys = JSON.parse(text);
  } catch {
    keys = undefined;
  }
  const list = (keys as { readonly keys?: unknown } | undefined)?.keys;
  if (!Array.isArray(list) || list.length === 0 || text.length > MOST_BYTES)
    throw new ConfigError(`${path} is not a JSON Web Key Set with at least one key.`);
  // a private key here would be one more place from which it can be stolen
  if (list.some((key) => typeof key !== 'object' || key === null || 'd' in key || 'k' in key))
    throw new ConfigError(
      `${path} contains a private or secret key. A key set for verification must only contain public keys.`,
    );
  return keys as JSONWebKeySet;
}
