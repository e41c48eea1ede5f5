import type { Outcome } from '../../../core/outcome.js';
import { isMediaPart, isTextFile, type MediaPart } from '../../../core/parts.js';

/** The same value with every text in it changed, names of members included: those can hold a secret too. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  return map(value, change) as T;
}

function map(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => map(each, change));
  if (isMediaPart(value)) return mapMedia(value, change);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), map(member, change)]));
}

/** The bytes of an image are no text, and are left as they are. A file of text is read as the text that it is. */
function mapMedia(part: MediaPart, change: (text: string) => string): MediaPart {
  const name = part.name === undefined ? {} : { name: change(part.name) };
  if (!isTextFile(part)) return { ...part, ...name };
  const text = Buffer.from(part.data, 'base64').toString('utf8');
  const changed = change(text);
  return { ...part, ...name, ...(changed === text ? {} : { data: Buffer.from(changed).toString('base64') }) };
}

/** Every text in a value, names of members included. */
export function stringsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  mapStrings(value, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

/** Changes what an outcome says, never how it ended. */
export function mapOutcome(outcome: Outcome<unknown>, change: (text: string) => string): Outcome<unknown> {
  const changed: Record<string, unknown> = { ...outcome };
  for (const field of ['value', 'partial', 'because', 'rollback'] as const) {
    if (field in outcome) changed[field] = mapStrings(changed[field], change);
  }
  if (outcome.stop === 'failed') {
    const { message, detail, ...failure } = outcome.failure;
    changed['failure'] = {
      ...failure,
      message: change(message),
      ...(detail === undefined ? {} : { detail: mapStrings(detail, change) }),
    };
  }
  return changed as unknown as Outcome<unknown>;
}

/** What an outcome tells the caller in words. */
export function wordsOf(outcome: Outcome<unknown>): readonly string[] {
  const found: string[] = [];
  mapOutcome(outcome, (text) => {
    found.push(text);
    return text;
  });
  return found;
}
