import type { BodyReader } from './answer.js';
import { type Callee, excerpt, spokenFailure, unreadable } from './failures.js';
import { fieldsOf } from './json-fields.js';
import { LineReader } from './line-reader.js';

/** One JSON value, read when all of it has come. */
export function jsonReader<T>(callee: Callee, read: (value: unknown) => T): BodyReader<T> {
  const chunks: Buffer[] = [];
  return {
    take: (chunk) => void chunks.push(chunk),
    end() {
      const [first] = chunks;
      const text = (chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)).toString('utf8');
      return read(parsedFrom(callee, text));
    },
  };
}

/** Server-sent events, one JSON value each. */
export function eventReader<T>(callee: Callee, on: { value(value: unknown): void; end(): T }): BodyReader<T> {
  let data = '';
  const dispatch = (): void => {
    const event = data;
    data = '';
    if (event !== '' && event !== '[DONE]') on.value(parsedFrom(callee, event));
  };
  const lines = new LineReader((line) => {
    if (line === '') return dispatch();
    if (!line.startsWith('data:')) return; // comments keep proxies awake; names of events say nothing new
    const text = line.slice(line[5] === ' ' ? 6 : 5);
    data = data === '' ? text : `${data}\n${text}`;
  });
  return {
    take: (chunk) => lines.take(chunk),
    end() {
      lines.end();
      dispatch();
      return on.end();
    },
  };
}

/** Lines of JSON, one value each. */
export function jsonLineReader<T>(callee: Callee, on: { value(value: unknown): void; end(): T }): BodyReader<T> {
  const lines = new LineReader((line) => {
    if (line.trim() !== '') on.value(parsedFrom(callee, line));
  });
  return {
    take: (chunk) => lines.take(chunk),
    end() {
      lines.end();
      return on.end();
    },
  };
}

function parsedFrom(callee: Callee, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(callee, text.trim() === '' ? 'an empty answer.' : `malformed JSON: ${excerpt(callee, text)}`);
  }
  const { error } = fieldsOf(value) as { error?: unknown };
  if (error !== undefined && error !== null) throw spokenFailure(callee, error);
  return value;
}
