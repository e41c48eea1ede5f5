import { parsed } from '../access/body-reader.js';
import { Problem } from '../problem.js';
import type { WebhookMap } from './trigger.js';

/** The input that a body stands for. What the sender got wrong is told to the sender. */
export function inputFrom(map: WebhookMap | undefined, bytes: Uint8Array, headers: Pick<Headers, 'get'>): unknown {
  const body = parsed(bytes);
  if (map === undefined) return body;
  if (typeof map === 'function') return mapped(map, body, headers);
  if (typeof map === 'string') return at(body, map);
  return Object.fromEntries(Object.entries(map).map(([field, pointer]) => [field, at(body, pointer)]));
}

function mapped(map: Extract<WebhookMap, (...given: never) => unknown>, body: unknown, headers: Pick<Headers, 'get'>) {
  try {
    return map(body, headers);
  } catch (error) {
    throw new Problem(400, 'REQUEST_INVALID', 'This body could not be converted to an input.', { cause: error });
  }
}

/** The part of a value that a JSON pointer (RFC 6901) leads to. */
function at(body: unknown, pointer: string): unknown {
  let value = body;
  for (const part of pointer.split('/').slice(1).map(unescaped)) {
    const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, part);
    if (!holds) throw new Problem(400, 'REQUEST_INVALID', `The body has nothing at ${pointer}.`);
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
