import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../core/errors.js';

const KINDS = ['.ts', '.mts', '.cts'];
let isReady = false;

/**
 * Makes this process able to load a TypeScript file: newer Nodes strip types themselves, older ones need tsx. One hook
 * for the whole process, not a private copy of the module graph: an agent must share flyball's classes with us.
 */
export async function readyFor(file: string): Promise<void> {
  if (!KINDS.includes(extname(file)) || canStripTypes() || isReady) return;
  const { register } = (await import(tsxFor(file))) as { readonly register: () => unknown };
  register();
  isReady = true;
}

function canStripTypes(): boolean {
  const { typescript } = process.features as { readonly typescript?: unknown };
  return typescript !== undefined && typescript !== false;
}

/** The tsx of the agent's own project, or the one beside us. */
function tsxFor(file: string): string {
  for (const from of [pathToFileURL(file).href, import.meta.url]) {
    try {
      // by its folder: resolved as a name from here it would be the CommonJS form, which cannot register anything
      const manifest = createRequire(from).resolve('tsx/package.json');
      return pathToFileURL(join(dirname(manifest), 'dist/esm/api/index.mjs')).href;
    } catch {
      // not installed there: look in the next place
    }
  }
  throw new ConfigError(
    `This Node (${process.version}) cannot run TypeScript files such as ${file}. ` +
      'Install tsx beside it (npm install --save-dev tsx), use Node 22.18 or newer, or give a compiled JavaScript file.',
  );
}
