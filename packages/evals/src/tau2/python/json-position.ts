import { lengthOf } from './text.js';
import { PyError } from './value.js';

/** The error of `json.loads`: positions count code points, lines and columns from one. */
export function decodeError(problem: string, text: string, at: number): PyError {
  const before = text.slice(0, at);
  const lines = before.split('\n');
  const column = lengthOf(lines.at(-1) ?? '') + 1;
  return new PyError('JSONDecodeError', `${problem}: line ${lines.length} column ${column} (char ${lengthOf(before)})`);
}
