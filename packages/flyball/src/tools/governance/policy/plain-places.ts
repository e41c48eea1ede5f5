import { posix } from 'node:path';
import { parsedUrl } from '../../../core/parsed-url.js';
import { trimmedEnd } from '../../../core/trimmed-end.js';
import { checkPath, type PathRules } from '../../rules/paths.js';

/** Rules that allow every path: what they refuse is refused for how it is written, or because it is no file on a disk. */
const ANYWHERE: PathRules = {
  roots: [
    { path: '/somewhere', write: true }, // where relative paths start: `dev/a` is not `/dev/a`
    { path: '/', write: true },
  ],
  deny: [],
  denyWrite: [],
};

/** Below /proc, /sys and /dev a file has other names (/proc/self/root/etc/passwd); an odd name may mean another one. */
export function isOddPath(path: string): boolean {
  return !checkPath(ANYWHERE, path, 'read').ok;
}

/** Undefined where it is odd, or leads out of a folder that nobody named. */
export function plainPath(path: string): string | undefined {
  if (isOddPath(path)) return undefined;
  const plain = posix.normalize(path);
  return plain === '..' || plain.startsWith('../') ? undefined : plain;
}

/** As it is really asked for: host in lower case and without a dot at its end, dots resolved, no user and password. */
export function plainUrl(text: string): string | undefined {
  if (parsedUrl(text) === undefined) return undefined;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  const host = trimmedEnd(url.hostname, '.');
  if (host === '' && url.hostname !== '') return undefined;
  if (host !== url.hostname) url.hostname = host;
  return url.href;
}
