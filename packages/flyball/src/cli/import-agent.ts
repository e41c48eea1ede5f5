import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ConfigError, FlyballError } from '../core/errors.js';
import { readyFor } from './typescript.js';

type Exports = Readonly<Record<string, unknown>>;

/** Imports a JavaScript or TypeScript file. What goes wrong inside it is told with the file, and the line where it can be. */
export async function importAgent(path: string): Promise<Exports> {
  await readyFor(path);
  try {
    return ofEitherKind((await import(pathToFileURL(path).href)) as Exports);
  } catch (error) {
    if (error instanceof FlyballError) throw error;
    throw new FlyballError('CONFIG_INVALID', sentenceFor(error, path), { cause: error });
  }
}

/** Refuses what is no file before Node does, which would talk about modules. */
export function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new FlyballError('INPUT_INVALID', `There is no file ${path}. Check the path of the agent file.`);
  if (found.isDirectory())
    throw new FlyballError(
      'INPUT_INVALID',
      `${path} is a folder. Name the agent file in it, such as ${path}/agent.yaml.`,
    );
}

/** CommonJS that was written as an ES module has its exports, the default one among them, one level down. */
function ofEitherKind(exported: Exports): Exports {
  const inner = exported['default'] as Exports | null | undefined;
  return typeof inner === 'object' && inner !== null && inner['__esModule'] === true ? inner : exported;
}

function sentenceFor(error: unknown, path: string): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const why = (typeof message === 'string' ? message : String(error)).trim();
  switch (code) {
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return `${path} is not an agent file. Agent files end in .js, .mjs, .ts, .mts, .yaml or .yml.`;
    case 'ERR_MODULE_NOT_FOUND':
    case 'MODULE_NOT_FOUND': {
      const wanted = /Cannot find (?:package|module) '([^']+)'/.exec(why)?.[1];
      if (wanted === undefined) break;
      const isPackage = !/^[./]|^file:/.test(wanted);
      const advice = isPackage
        ? `Install it next to the file: npm install ${wanted}`
        : 'Check the path in its imports.';
      return `${path} could not be loaded: there is no ${isPackage ? 'package' : 'file'} ${wanted}. ${advice}`;
    }
    default:
  }
  return `${path} could not be loaded${lineOf(error, path)}: ${why}`;
}

/** Where in the file it was thrown, read off the stack: the message alone rarely says it. */
function lineOf(error: unknown, path: string): string {
  const { stack, message } = (error ?? {}) as { readonly stack?: unknown; readonly message?: unknown };
  if (typeof stack !== 'string' || String(message).includes(`${path}:`)) return '';
  const place = stack.slice(stack.indexOf(path)).slice(path.length);
  const line = stack.includes(path) ? /^:(\d+)/.exec(place)?.[1] : undefined;
  return line === undefined ? '' : `, line ${line}`;
}

/** The same failure with the file it is about, for programs and for the advice that follows it. */
export function aboutFile(error: unknown, path: string): unknown {
  if (!(error instanceof FlyballError)) return error;
  const message = error.message.startsWith(path) ? error.message : `${path}: ${error.message}`;
  return new FlyballError(error.code, message, {
    retryable: error.retryable,
    detail: { ...error.detail, file: path },
    cause: error,
  });
}

export function noAgent(path: string, why: string): ConfigError {
  return new ConfigError(`${path} ${why} Export \`agents\`, a record of agents by name, or one agent as default.`);
}
