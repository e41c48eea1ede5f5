import { readFileSync } from 'node:fs';
import { FlyballError } from '../core/errors.js';

/** A value given on the command line: JSON itself, `@file`, or `-` for standard input. */
export function readJson(given: string, what: string): unknown {
  const { text, from } = source(given, what);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FlyballError('INPUT_INVALID', `${from} is not JSON: ${why}. ${advice(text)}`, { cause: error });
  }
}

function source(given: string, what: string): { readonly text: string; readonly from: string } {
  if (given !== '-' && !given.startsWith('@')) return { text: given, from: what };
  const path = given === '-' ? 0 : given.slice(1);
  const from = given === '-' ? `${what} from standard input` : `${what} from ${given.slice(1)}`;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)), from };
  } catch (error) {
    if (error instanceof TypeError)
      throw new FlyballError('INPUT_INVALID', `${from} is not UTF-8. Convert it first, with iconv for example.`);
    const why = error instanceof Error ? error.message : String(error);
    throw new FlyballError('INPUT_INVALID', `${from} cannot be read: ${why}. Check the path after the @.`, {
      cause: error,
    });
  }
}

function advice(text: string): string {
  if (text.trim() === '') return 'It is empty; write null for no value.';
  if (/^[\w][\w\s.,!?-]*$/.test(text)) return `Text needs quotes of its own: '"${text.trim().slice(0, 40)}"'.`;
  return 'Put single quotes around it in a shell, and double quotes around names and text inside.';
}
