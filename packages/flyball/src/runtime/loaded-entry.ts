import type { Entry } from '../core/events.js';

/** An entry as loaded. `inherited`: the run that it belongs to, where this one was forked from that. */
export type LoadedEntry = Entry & { readonly inherited?: string };

/** `/a` holds `/a#1` and `/a/b#1`, but not `/ab#1`. The root holds everything. */
export function isUnder(idOrPath: string, path: string): boolean {
  if (path === '') return true;
  if (!idOrPath.startsWith(path)) return false;
  const next = idOrPath[path.length];
  return next === undefined || next === '/' || next === '#';
}
