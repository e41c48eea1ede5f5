import { existsSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../core/errors.js';

/** What this process can do by itself, and where it finds what it cannot. */
export interface TypeScriptSupport {
  /** This Node strips types itself. */
  readonly isBuiltIn: boolean;
  /** The folder of tsx, looked for from a file; undefined where it is not installed. */
  findTsx(file: string): string | undefined;
  /** Hooks tsx into this process. */
  register(tsx: string): Promise<void>;
}

const KINDS = ['.ts', '.mts'];
/** By its place: resolved by name from here it would be the CommonJS form, which cannot register anything. */
const TSX = 'dist/esm/api/index.mjs';

const registered = new Set<TypeScriptSupport>();

/**
 * Makes this process able to load a TypeScript file: newer Nodes strip types themselves, older ones need tsx. One hook
 * for the whole process, not a private copy of the module graph: an agent must share flyball's classes with us.
 */
export async function readyFor(file: string, support: TypeScriptSupport = ofThisProcess): Promise<void> {
  if (!KINDS.includes(extname(file)) || support.isBuiltIn || registered.has(support)) return;
  const tsx = support.findTsx(file);
  if (tsx === undefined) {
    throw new ConfigError(
      `This Node (${process.version}) cannot run TypeScript files such as ${file}. ` +
        'Install tsx next to it (npm install --save-dev tsx), use Node 22.18 or newer, or pass a compiled JavaScript file.',
    );
  }
  await support.register(tsx);
  registered.add(support);
}

/** Whether TypeScript files can be loaded from a project in this folder, and by what. */
export function typeScriptIn(folder: string): 'built-in' | 'tsx' | undefined {
  if (ofThisProcess.isBuiltIn) return 'built-in';
  return ofThisProcess.findTsx(join(folder, 'agent.ts')) === undefined ? undefined : 'tsx';
}

const ofThisProcess: TypeScriptSupport = {
  isBuiltIn: Boolean((process.features as { readonly typescript?: unknown }).typescript),
  findTsx,
  async register(tsx) {
    const api = (await import(pathToFileURL(join(tsx, TSX)).href)) as { readonly register: () => unknown };
    api.register();
    register('./typescript-hook.js', import.meta.url);
  },
};

/** The tsx of the agent's own project, or the one beside us. */
function findTsx(file: string): string | undefined {
  for (const from of [pathToFileURL(file).href, import.meta.url]) {
    try {
      const tsx = dirname(createRequire(from).resolve('tsx/package.json'));
      if (existsSync(join(tsx, TSX))) return tsx;
    } catch {
      // not installed there: look in the next place
    }
  }
  return undefined;
}
