import type { Screen } from 'flyball/internal';
import { printable } from 'flyball/internal';
import type { ApiKey } from '../../access/api-keys.js';

/** A key in two lines, for people. */
export function keyLines(key: ApiKey, now: number, { paint }: Pick<Screen, 'paint'>): readonly string[] {
  const { prefix, name, tenant, subject, scopes, madeBy } = key;
  const whose = subject === name ? '' : `  for ${subject}`;
  const maker = madeBy === undefined ? '' : `  made by ${madeBy}`;
  return [
    `${paint('bold', prefix)}  ${printable(name)}  tenant ${tenant}${printable(whose)}  ${stateOf(key, now, paint)}`,
    `    ${scopes.join(' ')}${limitsOf(key)}  ${lastUse(key)}${printable(maker)}`,
  ];
}

function stateOf({ revokedAt, expiresAt, graceUntil }: ApiKey, now: number, paint: Screen['paint']): string {
  if (revokedAt !== undefined) return paint('red', `revoked ${day(revokedAt)}`);
  if (expiresAt !== undefined && expiresAt <= now) return paint('red', `expired ${day(expiresAt)}`);
  const until = expiresAt === undefined ? 'does not expire' : `expires ${day(expiresAt)}`;
  const grace = graceUntil !== undefined && graceUntil > now ? `, old secret until ${minute(graceUntil)}` : '';
  return `${until}${grace}`;
}

function limitsOf({ limits: { requestsPerMinute, costUsdPerDay } }: ApiKey): string {
  const rate = requestsPerMinute === undefined ? '' : `  ${requestsPerMinute} requests/min`;
  return costUsdPerDay === undefined ? rate : `${rate}  $${costUsdPerDay}/day`;
}

function lastUse({ lastUsedAt }: ApiKey): string {
  return lastUsedAt === undefined ? 'never used' : `last used ${minute(lastUsedAt)}`;
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const minute = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
