import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type JwtOptions, jwtVerifier } from '../../packages/server/src/access/jwt.js';

const SECRET = 'correct horse battery staple, more or less';
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const OTHER_RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const NOW = Date.UTC(2026, 0, 1);
const SECONDS = NOW / 1000;

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  sub: 'maria',
  tenant: 'acme',
  exp: SECONDS + 300,
  scope: 'agents:invoke runs:read',
  ...more,
});

/** Tokens are put together by hand: a library would refuse to make most of these. */
function hs256(payload: unknown, { secret = SECRET, header = {} }: { secret?: string; header?: object } = {}): string {
  const signed = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${part(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
function rs256(
  payload: unknown,
  { key = RSA.privateKey, header = {} }: { key?: typeof RSA.privateKey; header?: object } = {},
): string {
  const signed = `${part({ alg: 'RS256', typ: 'JWT', ...header })}.${part(payload)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
function es256(payload: unknown, header: object): string {
  const signed = `${part({ alg: 'ES256', typ: 'JWT', ...header })}.${part(payload)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key: EC.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const bySecret = (more: Partial<JwtOptions> = {}) =>
  jwtVerifier({ key: { kind: 'secret', secret: SECRET }, now: () => NOW, ...more });
const byPem = () => jwtVerifier({ key: { kind: 'pem', pem: PEM }, now: () => NOW });

const MARIA = {
  id: 'jwt:maria',
  kind: 'jwt',
  tenant: 'acme',
  subject: 'maria',
  scopes: ['agents:invoke', 'runs:read'],
  limits: {},
  expiresAt: (SECONDS + 300) * 1000,
};

describe('a token [R6-ACCESS-JWT]', () => {
  it('signed by the secret or the key of its issuer says who asks, for which tenant and with which scopes', async () => {
    expect(await (await bySecret())(hs256(claims()))).toEqual(MARIA);
    expect(await (await byPem())(rs256(claims()))).toEqual(MARIA);
    expect(await (await bySecret())(hs256(claims({ scope: undefined, scopes: ['runs:*'] })))).toMatchObject({
      scopes: ['runs:*'],
    });
    expect(await (await bySecret())(hs256(claims({ scope: undefined })))).toMatchObject({ scopes: [] });
  });

  it('names its tenant in the claim that was configured', async () => {
    const verify = await bySecret({ tenantClaim: 'https://acme.example/org' });
    expect(await verify(hs256(claims()))).toBeUndefined();
    expect(await verify(hs256(claims({ 'https://acme.example/org': 'org-7' })))).toMatchObject({ tenant: 'org-7' });
  });

  it('is compared with issuer and audience where they are configured, and must have them then', async () => {
    const verify = await bySecret({ issuer: 'https://id.example', audience: 'flyball' });
    const good = { iss: 'https://id.example', aud: ['other', 'flyball'] };
    expect(await verify(hs256(claims(good)))).toEqual(MARIA);
    for (const wrong of [{}, { ...good, iss: 'https://evil.example' }, { ...good, aud: 'other' }, { iss: good.iss }])
      expect(await verify(hs256(claims(wrong)))).toBeUndefined();
  });

  it('that is made for somebody is refused where no audience is configured [F-S10]', async () => {
    const verify = await bySecret();
    expect(await verify(hs256(claims({ aud: 'another-service' })))).toBeUndefined();
    expect(await verify(hs256(claims({ aud: ['another-service', 'flyball'] })))).toBeUndefined();
  });

  it('may be used from nbf to exp, with a little tolerance for clocks', async () => {
    const verify = await bySecret({ clockToleranceS: 10 });
    expect(await verify(hs256(claims({ exp: SECONDS - 9 })))).toEqual({ ...MARIA, expiresAt: NOW - 9_000 });
    expect(await verify(hs256(claims({ exp: SECONDS - 11 })))).toBeUndefined();
    expect(await verify(hs256(claims({ nbf: SECONDS + 9 })))).toEqual(MARIA);
    expect(await verify(hs256(claims({ nbf: SECONDS + 11 })))).toBeUndefined();
  });

  it.each([
    ['without an end', { exp: undefined }],
    ['with an end that is no number', { exp: 'tomorrow' }],
    ['without a tenant', { tenant: undefined }],
    ['with a tenant that climbs', { tenant: '../other' }],
    ['with the tenant of the server itself', { tenant: '~server' }],
    ['with a list of tenants', { tenant: ['acme', 'other'] }],
    ['without a subject', { sub: undefined }],
    ['with a subject that breaks a line', { sub: 'maria\r\nadmin' }],
    ['with the subject of a run', { sub: 'run:run_1' }],
    ['with the subject of a trigger', { sub: ' Trigger:nightly' }],
    ['with scopes that are none', { scope: { admin: true } }],
    ['with a scope that breaks a line', { scopes: ['runs:read\n*'], scope: undefined }],
    ['with a sign that nobody sees in the subject of a run', { sub: 'run\ufe0f:run_1' }],
    ['with a sign that nobody sees in the subject of a trigger', { sub: 'tri\u180bgger:nightly' }],
  ])('is refused %s', async (_, wrong) => {
    expect(await (await bySecret())(hs256(claims(wrong)))).toBeUndefined();
  });
});

describe('a token is refused [R6-SHOW-SECURITY]', () => {
  it('with the algorithm none, in any spelling, with and without a signature', async () => {
    for (const verify of [await bySecret(), await byPem()])
      for (const alg of ['none', 'None', 'NONE', 'nOnE', ''])
        for (const signature of ['', 'AAAA', hs256(claims()).split('.')[2]])
          expect(await verify(`${part({ alg, typ: 'JWT' })}.${part(claims())}.${signature}`)).toBeUndefined();
  });

  it('when it is signed by HS256 with the public key as secret', async () => {
    const verify = await byPem();
    const der = RSA.publicKey.export({ type: 'spki', format: 'der' }).toString('latin1');
    for (const secret of [PEM, PEM.trim(), der, PEM.replaceAll(/-----.*-----|\n/g, '')])
      expect(await verify(hs256(claims(), { secret }))).toBeUndefined();
  });

  it('by another algorithm than that of the kind of key, even when its signature is right', async () => {
    expect(await (await bySecret())(rs256(claims()))).toBeUndefined();
    const signed = `${part({ alg: 'HS512' })}.${part(claims())}`;
    const hs512 = `${signed}.${createHmac('sha512', SECRET).update(signed).digest('base64url')}`;
    expect(await (await bySecret())(hs512)).toBeUndefined();
  });

  it('by another key, and when its claims or header were changed after it was signed', async () => {
    const [header, , signature] = rs256(claims()).split('.');
    const verify = await byPem();
    expect(await verify(rs256(claims(), { key: OTHER_RSA.privateKey }))).toBeUndefined();
    expect(await verify(`${header}.${part(claims({ tenant: 'other' }))}.${signature}`)).toBeUndefined();
    expect(await (await bySecret())(hs256(claims(), { secret: 'x'.repeat(40) }))).toBeUndefined();
  });

  it('with a kid that is a path, a query or a list: a kid is compared and never followed', async () => {
    const { verify } = await byFile();
    for (const kid of ['../../../../etc/passwd', "k1' OR '1'='1", '/dev/null', ['k1'], { $ne: null }, 'k2'])
      expect(await verify(rs256(claims(), { header: { kid } }))).toBeUndefined();
    expect(await verify(rs256(claims(), { header: { kid: 'k1' } }))).toEqual(MARIA);
  });

  it('with a key of its own in the header', async () => {
    const jwk = OTHER_RSA.publicKey.export({ format: 'jwk' });
    const own = { jwk, jku: 'http://127.0.0.1:1/keys', x5u: 'http://127.0.0.1:1/keys', kid: 'k1' };
    const { verify } = await byFile();
    expect(await verify(rs256(claims(), { key: OTHER_RSA.privateKey, header: own }))).toBeUndefined();
    expect(await (await byPem())(rs256(claims(), { key: OTHER_RSA.privateKey, header: own }))).toBeUndefined();
  });

  it('when something in it is critical, whether we know it or not', async () => {
    for (const header of [{ crit: ['exp'], exp: 1 }, { crit: ['b64'], b64: true }, { crit: ['x'], x: 1 }, { crit: [] }])
      expect(await (await bySecret())(hs256(claims(), { header }))).toBeUndefined();
  });

  it('when it is larger than any token is, or no token', async () => {
    const verify = await bySecret();
    expect(await verify(hs256(claims({ more: 'x'.repeat(9_000) })))).toBeUndefined();
    for (const each of ['', '..', 'a.b.c', 'a.b.c.d.e', hs256('text'), hs256(null), hs256([1])])
      expect(await verify(each)).toBeUndefined();
  });
});

describe('a set of keys [R6-ACCESS-JWT]', () => {
  it('is read from a file; RS256 and ES256 keys are each used for their own algorithm only', async () => {
    const { verify } = await byFile();
    expect(await verify(es256(claims(), { kid: 'e1' }))).toEqual(MARIA);
    expect(await verify(es256(claims(), { kid: 'k1' }))).toBeUndefined();
    const secret = JSON.stringify(RSA.publicKey.export({ format: 'jwk' }));
    expect(await verify(hs256(claims(), { secret, header: { kid: 'k1' } }))).toBeUndefined();
  });

  it('is fetched once and kept: unknown keys do not make the server ask again and again', async () => {
    const { url, asked } = await keyServer(() => ({ status: 200, body: keySet() }));
    const verify = await jwtVerifier({ key: { kind: 'jwks-url', url }, now: () => NOW });
    expect(await verify(rs256(claims(), { header: { kid: 'k1' } }))).toEqual(MARIA);
    for (let n = 0; n < 20; n++) expect(await verify(rs256(claims(), { header: { kid: `x${n}` } }))).toBeUndefined();
    expect(asked()).toBe(1);
  });

  it('with an RSA key that is too short, or no key at all, refuses the tokens that name it [R8-TRIAL3-A14]', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const keys = [
      { ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256' },
      { kty: 'RSA', n: '!', e: '!', kid: 'broken', alg: 'RS256' },
    ];
    const { url } = await keyServer(() => ({ status: 200, body: JSON.stringify({ keys }) }));
    const verify = await jwtVerifier({ key: { kind: 'jwks-url', url }, now: () => NOW });
    for (const kid of ['weak', 'broken'])
      expect(await verify(rs256(claims(), { key: weak.privateKey, header: { kid } })), kid).toBeUndefined();
  });

  it.each([
    ['answers with an error', () => ({ status: 500, body: '' })],
    ['answers with no key set', () => ({ status: 200, body: '<html>' })],
    ['answers without an end', () => ({ status: 200, body: `{"keys":[${' '.repeat(300_000)}]}` })],
    ['points elsewhere', () => ({ status: 302, body: '', location: 'http://169.254.169.254/' })],
    ['does not answer', () => undefined],
  ])('whose server %s is told as a fault on our side, not as a wrong credential', async (_, answer) => {
    const { url } = await keyServer(answer);
    const verify = await jwtVerifier({ key: { kind: 'jwks-url', url, timeoutMs: 200 }, now: () => NOW });
    const failure = await verify(rs256(claims(), { header: { kid: 'k1' } })).catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 503, retryable: true });
    expect((failure as Error).message).not.toContain('127.0.0.1');
  });
});

describe('settings for tokens are refused when the server opens [R6-ACCESS-JWT]', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
  const secretSet = JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA' }] });
  const privateSet = JSON.stringify({ keys: [RSA.privateKey.export({ format: 'jwk' })] });
  it.each<[string, () => JwtOptions['key'], RegExp]>([
    ['a short secret', () => ({ kind: 'secret', secret: 'too short' }), /at least 32 bytes/],
    ['a public key as secret', () => ({ kind: 'secret', secret: PEM }), /PEM/],
    [
      'a private key',
      () => ({ kind: 'pem', pem: RSA.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }),
      /private key/,
    ],
    ['a weak key', () => ({ kind: 'pem', pem: weak }), /2048 bits/],
    [
      'a key of another kind',
      () => ({ kind: 'pem', pem: EC.publicKey.export({ type: 'spki', format: 'pem' }).toString() }),
      /RSA/,
    ],
    ['what is no key', () => ({ kind: 'pem', pem: 'hello' }), /not a public key/],
    ['an address without TLS', () => ({ kind: 'jwks-url', url: 'http://keys.example/jwks' }), /https/],
    ['what is no address', () => ({ kind: 'jwks-url', url: 'keys' }), /https/],
    ['a file with a secret', () => ({ kind: 'jwks-file', path: fileWith(secretSet) }), /private or secret/],
    ['a file with a private key', () => ({ kind: 'jwks-file', path: fileWith(privateSet) }), /private or secret/],
    ['a file without keys', () => ({ kind: 'jwks-file', path: fileWith('{"keys":[]}') }), /not a JSON Web Key Set/],
  ])('%s', async (_, key, message) => {
    await expect(jwtVerifier({ key: key() })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(message),
    });
  });
});

function keySet(): string {
  const rsa = { ...RSA.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' };
  const ec = { ...EC.publicKey.export({ format: 'jwk' }), kid: 'e1', use: 'sig' };
  return JSON.stringify({ keys: [rsa, ec] });
}

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'jwks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'jwks.json'), text);
  return join(folder, 'jwks.json');
}

async function byFile() {
  return { verify: await jwtVerifier({ key: { kind: 'jwks-file', path: fileWith(keySet()) }, now: () => NOW }) };
}

async function keyServer(answer: () => { status: number; body: string; location?: string } | undefined) {
  let count = 0;
  const server = createServer((_, response) => {
    count += 1;
    const given = answer();
    if (given === undefined) return;
    response.writeHead(given.status, given.location === undefined ? {} : { location: given.location }).end(given.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`, asked: () => count };
}
