import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FlyballError, failureOf } from '../../core/errors.js';

export type Exports = Readonly<Record<string, unknown>>;

export const JAVASCRIPT = ['.js', '.mjs', '.cjs'];
export const TYPESCRIPT = ['.ts', '.mts', '.cts'];

/** Imports a file of definitions. What goes wrong inside it is told with its name. */
export async function loadModule(file: string): Promise<Exports> {
  try {
    return (await import(pathToFileURL(file).href)) as Exports;
  } catch (error) {
    throw new FlyballError('CONFIG_INVALID', `${file} could not be loaded: ${whyNot(file, error)}`, {
      detail: { file },
      cause: error,
    });
  }
}

function whyNot(file: string, error: unknown): string {
  const { message } = failureOf(error);
  const { code } = error as { readonly code?: unknown };
  if (code !== 'ERR_UNKNOWN_FILE_EXTENSION' || !TYPESCRIPT.includes(extname(file))) return message;
  return (
    `this Node (${process.version}) does not run TypeScript. ` +
    'Use Node 22.18 or newer, start with `node --import tsx`, or compile the file and give the JavaScript.'
  );
}

/** The same mistake, said with the place it was found in. */
export function placed(place: string, error: unknown): FlyballError {
  const { code, message } = failureOf(error, 'CONFIG_INVALID');
  return new FlyballError(code, `${place}: ${message}`, { detail: { place }, cause: error });
}
