import { sha256 } from './sha256.js';

/** Stands for `node:crypto` in the browser: the one function that the folds of the journal use of it. */
export function hash(algorithm: 'sha256', text: string, encoding: 'hex' | 'base64url'): string {
  if (algorithm !== 'sha256') throw new TypeError(`Only sha256 is known here, not ${String(algorithm)}.`);
  const digest = sha256(new TextEncoder().encode(text));
  return encoding === 'hex' ? hexOf(digest) : base64UrlOf(digest);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64UrlOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
