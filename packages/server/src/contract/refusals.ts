import type { Route } from './route.js';

/** What anything between the network and a handler may refuse with: host, origin and query; a fault; not ready, too slow. */
const ALWAYS = [400, 403, 500, 503];

/**
 * The statuses that a route refuses with, from what it declares: nothing else stands between a request and its handler.
 * What only the handler knows of is in `refuses`.
 */
export function refusalsOf({ scope, params, body, raw, method, idempotent, refuses = [] }: Route): readonly number[] {
  const statuses = [
    ...ALWAYS,
    ...(scope === undefined ? [] : [401, 429]),
    ...(params === undefined ? [] : [404]),
    ...(body === undefined && raw !== true ? [] : [408, 413]),
    ...(body === undefined ? [] : [415]),
    ...(method === 'get' ? [] : [409, 507]),
    ...(method === 'post' && idempotent !== false ? [422] : []),
    ...refuses,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}
