import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * A key as its holder has it: `fb_<prefix>_<secret>`. The prefix names it; the secret is 32 random bytes, so that one
 * round of SHA-256 is enough: there is nothing to guess that a slow hash would protect.
 */
const FORM = /^fb_([a-z0-9]{8})_[A-Za-z0-9_-]{43}$/;
const PREFIX = /^[a-z0-9]{8}$/;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

export type Random = (bytes: number) => Uint8Array;

export function newPrefix(random: Random = randomBytes): string {
  return Array.from(random(8), (byte) => LETTERS[byte & 31]).join('');
}

export function newSecret(prefix: string, random: Random = randomBytes): string {
  return `fb_${prefix}_${Buffer.from(random(32)).toString('base64url')}`;
}

export function isPrefix(text: string): boolean {
  return PREFIX.test(text);
}

/** The prefix of what may be a key; undefined for what cannot be one. */
export function prefixOf(secret: string): string | undefined {
  return FORM.exec(secret)?.[1];
}

export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares digests in hexadecimal, always all 32 bytes of them. */
export function sameDigest(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

/** The digest of nothing: what a key is compared with where there is none to compare it with. */
export const NO_DIGEST = '0'.repeat(64);
