import { ConfigError } from 'flyball';
import { samePerson } from 'flyball/internal';
import { type ApiKey, isLive } from '../access/api-keys.js';
import { mintedBy, revokeWithMinted } from '../access/minted-keys.js';
import { holds, type Limits, madeUnder, makersOf, type Principal } from '../access/principal.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound, Problem } from '../problem.js';
import { limitsSchema } from './whoami.js';

const instant = (description: string) => s.integer({ description: `${description}, in milliseconds since 1970` });

const keyFields = {
  prefix: s.string({ description: 'Identifies the key; it is the start of the secret.' }),
  name: s.string(),
  tenant: s.string(),
  subject: s.string(),
  scopes: s.list(s.string()),
  limits: limitsSchema,
  account: s.optional(
    s.object(
      { id: s.string(), limits: limitsSchema },
      { description: 'The credential it comes from over HTTP; it also counts toward their limits.' },
    ),
  ),
  makers: s.optional(
    s.list(s.object({ id: s.string(), limits: limitsSchema }), {
      description: 'The keys between that credential and this one; it also counts toward their limits.',
    }),
  ),
  madeBy: s.optional(
    s.string({ description: 'The credential that created it over HTTP: `key:<prefix>` or `jwt:<sub>`.' }),
  ),
  createdAt: instant('When it was created'),
  expiresAt: s.optional(instant('When it expires')),
  revokedAt: s.optional(instant('When it was revoked')),
  rotatedAt: s.optional(instant('When its secret was last rotated')),
  graceUntil: s.optional(instant('Until when the previous secret works')),
  lastUsedAt: s.optional(instant('When it was last used, to the minute')),
};
const keySchema = s.named('Key', s.object(keyFields));
const revokedSchema = s.named(
  'RevokedKey',
  s.object({
    ...keyFields,
    minted: s.object({
      revoked: s.list(s.string(), { description: 'Prefixes of the keys revoked with it.' }),
      working: s.list(s.string(), {
        description: 'Prefixes of the keys it created, directly or indirectly, that still work.',
      }),
    }),
  }),
);
const newKeySchema = s.named(
  'KeyWithSecret',
  s.object({ key: keySchema, secret: s.string({ description: 'Shown only once. Store it safely.' }) }),
);

const params = s.object({ prefix: s.string({ pattern: '^[a-z0-9]{8}$' }) });
const NOBODY = { prefix: 'aaaaaaaa' };
const DAY = 86_400_000;
/** Keys that make keys that make keys. */
const MOST_MAKERS = 10;

type KeyParts = Pick<Parts, 'keys' | 'clock'>;

/** Keys of the caller's own tenant. Answers with secrets are kept nowhere, so that these take no idempotency key. */
export function keyRoutes(parts: KeyParts): readonly Route[] {
  return [listKeys(parts), createKey(parts), rotateKey(parts), revokeKey(parts)];
}

function listKeys({ keys }: KeyParts): Route {
  return route({
    id: 'listKeys',
    method: 'get',
    path: '/v1/keys',
    tag: 'access',
    summary: 'List the API keys of the tenant',
    scope: 'admin',
    answers: {
      200: { about: 'The keys, without their secrets.', schema: s.object({ keys: s.list(keySchema) }) },
    },
    examples: [{ title: 'All keys', status: 200 }],
    handle: async ({ principal }) => ({ status: 200, body: { keys: await keys.list(principal.tenant) } }),
  });
}

function createKey({ keys, clock }: KeyParts): Route {
  return route({
    id: 'createKey',
    method: 'post',
    path: '/v1/keys',
    tag: 'access',
    summary: 'Create an API key',
    about:
      'Creates a key for your own tenant and subject. To create a key for somebody else, use `flyball keys create` on the server. Its limits are at most those of your credential, and what it spends counts toward them.',
    scope: 'admin',
    idempotent: false,
    givesSecret: true,
    body: s.object({
      name: s.string({ minLength: 1, maxLength: 200 }),
      subject: s.optional(s.string({ minLength: 1, maxLength: 200 })),
      scopes: s.list(s.string({ minLength: 1, maxLength: 140 }), { minItems: 1, maxItems: 50 }),
      limits: s.optional(limitsSchema),
      expiresInDays: s.optional(s.number({ exclusiveMinimum: 0, maximum: 3650 })),
    }),
    answers: { 201: { about: 'The key with its secret, which is shown only once.', schema: newKeySchema } },
    examples: [
      {
        title: 'A read-only key',
        body: { name: 'dashboard', scopes: ['runs:read'], expiresInDays: 90 },
        status: 201,
      },
    ],
    handle: async ({ principal, body }) => {
      const { name, subject, scopes, expiresInDays } = body;
      requireScopes(principal, scopes, 'Create the key on the server: flyball keys create');
      refuseTooDeep(principal);
      const made = await refusing(() =>
        keys.create({
          name,
          tenant: principal.tenant,
          scopes,
          limits: withinOwn(principal, body.limits ?? {}),
          subject: ownName(principal, subject, name),
          ...(principal.kind === 'local' ? {} : { ...madeUnder(principal), madeBy: principal.id }),
          ...expiryWithin(principal, expiresInDays === undefined ? undefined : clock.now() + expiresInDays * DAY),
        }),
      );
      await requireMaker(keys, principal, made.key);
      return { status: 201, body: made };
    },
  });
}

/** Whoever is told the secret of a key holds all that it may do: an administrator of one tenant gets nothing that reaches the others. */
function requireScopes(principal: Principal, scopes: readonly string[], next: string): void {
  const missing = scopes.find((scope) => !holds(principal.scopes, scope));
  if (missing === undefined) return;
  throw new Problem(403, 'FORBIDDEN', `Your credential does not have the scope ${missing}.`, { next });
}

/** Each request of a key is counted for everyone above it. */
function refuseTooDeep(principal: Principal): void {
  if (makersOf(principal).length < MOST_MAKERS) return;
  throw new Problem(403, 'FORBIDDEN', `This key is ${MOST_MAKERS} keys away from the one it comes from.`, {
    next: 'Create the key with one of the keys before it, or on the server: flyball keys create',
  });
}

function rotateKey({ keys }: KeyParts): Route {
  return route({
    id: 'rotateKey',
    method: 'post',
    path: '/v1/keys/{prefix}/rotate',
    tag: 'access',
    summary: 'Rotate a key',
    about: 'Only your own keys, within your own scopes and limits, and only keys that do not outlive your credential.',
    scope: 'admin',
    idempotent: false,
    givesSecret: true,
    params,
    body: s.object({
      graceHours: s.optional(
        s.number({
          minimum: 0,
          maximum: 720,
          description: 'Hours for which the old secret still works; 24 by default.',
        }),
      ),
    }),
    answers: { 200: { about: 'The key with its new secret, which is shown only once.', schema: newKeySchema } },
    examples: [{ title: 'An unknown key', params: NOBODY, body: { graceHours: 1 }, status: 404 }],
    handle: async ({ principal, params: { prefix }, body: { graceHours = 24 } }) => {
      const key = await own(keys, principal, prefix);
      requireOwn(principal, key);
      await requireNotBeyond(keys, principal, key);
      return { status: 200, body: await refusing(() => keys.rotate(prefix, Math.round(graceHours * 3_600_000))) };
    },
  });
}

function revokeKey({ keys, clock }: KeyParts): Route {
  return route({
    id: 'revokeKey',
    method: 'delete',
    path: '/v1/keys/{prefix}',
    tag: 'access',
    summary: 'Revoke a key',
    about:
      'Takes effect with the next request. The keys it created over HTTP, directly or indirectly, are revoked too, unless `keepMinted` is true. Revoking twice has no further effect.',
    scope: 'admin',
    params,
    query: s.object({
      keepMinted: s.optional(s.boolean({ description: 'Keeps the keys it created.' })),
    }),
    answers: { 200: { about: 'The revoked key, and the keys it created.', schema: revokedSchema } },
    examples: [
      { title: 'An unknown key', params: NOBODY, status: 404 },
      {
        title: 'An unknown key, with keepMinted',
        params: NOBODY,
        query: { keepMinted: 'true' },
        status: 404,
      },
    ],
    handle: async ({ principal, params: { prefix }, query: { keepMinted = false } }) => {
      const found = await own(keys, principal, prefix);
      const alone = async () => ({ key: await keys.revoke(prefix), minted: [] as readonly ApiKey[] });
      const { key, minted } = keepMinted ? await alone() : await revokeWithMinted(keys, found);
      const working = (await mintedBy(keys, found)).filter((one) => isLive(one, clock.now()));
      const prefixes = (list: readonly ApiKey[]): readonly string[] => list.map((one) => one.prefix);
      return { status: 200, body: { ...key, minted: { revoked: prefixes(minted), working: prefixes(working) } } };
    },
  });
}

async function own(keys: Parts['keys'], { tenant }: Principal, prefix: string): Promise<ApiKey> {
  const key = await keys.get(prefix);
  if (key === undefined || key.tenant !== tenant) throw notFound('key', prefix);
  return key;
}

/** A key that is revoked while it makes another one has made none: whoever revokes what it made has seen all of it. */
async function requireMaker(keys: Parts['keys'], { id, kind }: Principal, made: ApiKey): Promise<void> {
  const maker = kind === 'key' ? await keys.get(id.slice('key:'.length)) : undefined;
  if (maker?.revokedAt === undefined) return;
  await keys.revoke(made.prefix);
  throw new Problem(401, 'UNAUTHENTICATED', 'Your key was revoked in the meantime, so no key was created.');
}

/** One person must not become two: whoever makes a key knows its secret. On an open server nobody has a name yet. */
function ownName({ kind, subject }: Principal, asked: string | undefined, name: string): string {
  if (kind === 'local') return asked ?? name;
  if (asked === undefined || samePerson(asked, subject)) return subject;
  throw new Problem(403, 'FORBIDDEN', `A key that you create belongs to you (${subject}), not to ${asked}.`, {
    next: `Create it on the server: flyball keys create --subject ${asked}`,
  });
}

/** The secret of a key is for whom it speaks for, and for nobody who may do less than it. */
function requireOwn(principal: Principal, key: ApiKey): void {
  if (principal.kind === 'local') return;
  const onServer = `Rotate it on the server: flyball keys rotate ${key.prefix}`;
  if (!samePerson(principal.subject, key.subject))
    throw new Problem(403, 'FORBIDDEN', `The key belongs to ${key.subject}. Only they can rotate it.`, {
      next: `Revoke it, or rotate it on the server: flyball keys rotate ${key.prefix}`,
    });
  requireScopes(principal, key.scopes, onServer);
  const within = (own: number | undefined, its: number | undefined): boolean =>
    own === undefined || (its !== undefined && its <= own);
  const { limits } = principal;
  if (
    within(limits.requestsPerMinute, key.limits.requestsPerMinute) &&
    within(limits.costUsdPerDay, key.limits.costUsdPerDay)
  )
    return;
  throw new Problem(403, 'FORBIDDEN', 'The key has higher limits than your credential.', { next: onServer });
}

/** Whoever is given a secret keeps it: one that ends, by its time or with the key that made it, is given none that goes on. */
async function requireNotBeyond(keys: Parts['keys'], { id, kind, expiresAt }: Principal, key: ApiKey): Promise<void> {
  if (kind === 'local' || id === `key:${key.prefix}`) return;
  const outlives = expiresAt !== undefined && (key.expiresAt === undefined || key.expiresAt > expiresAt);
  const self = kind === 'key' ? await keys.get(id.slice('key:'.length)) : undefined;
  const isMinted = self?.madeBy !== undefined;
  const isOwnMinted = isMinted && (await mintedBy(keys, self)).some(({ prefix }) => prefix === key.prefix);
  if (!outlives && (!isMinted || isOwnMinted)) return;
  throw new Problem(403, 'FORBIDDEN', 'The key outlives your credential.', {
    next: `Rotate it on the server: flyball keys rotate ${key.prefix}`,
  });
}

/** A key that ends makes none that outlives it. */
function expiryWithin({ expiresAt: own }: Principal, asked: number | undefined): { readonly expiresAt?: number } {
  if (own !== undefined && asked !== undefined && asked > own)
    throw new Problem(403, 'FORBIDDEN', 'A key cannot outlive the credential that creates it.', {
      next: 'Set an earlier expiration, or omit it: the new key then expires with yours.',
    });
  const ends = asked ?? own;
  return ends === undefined ? {} : { expiresAt: Math.ceil(ends) };
}

/** Limits of a new key: those of its maker where none are given, and never more. */
function withinOwn({ limits }: Principal, asked: Limits): Limits {
  const most = (own: number | undefined, wanted: number | undefined): number | undefined => {
    if (own !== undefined && wanted !== undefined && wanted > own)
      throw new Problem(403, 'FORBIDDEN', 'A key cannot have higher limits than the credential that creates it.', {
        next: 'Set at most your own limits: GET /v1/whoami.',
      });
    return wanted ?? own;
  };
  const requestsPerMinute = most(limits.requestsPerMinute, asked.requestsPerMinute);
  const costUsdPerDay = most(limits.costUsdPerDay, asked.costUsdPerDay);
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(costUsdPerDay === undefined ? {} : { costUsdPerDay }),
  };
}

/** What keys refuse is the request's fault here. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw new Problem(400, 'INPUT_INVALID', error.message, { cause: error });
    throw error;
  }
}
