import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../../scripts/files.mjs';
import type { Edit } from './planted-faults.js';

/** Most of what a simulation makes is garbage when its seed is over: with more room, less of it is copied before. */
const MEMORY = ['--max-semi-space-size=64'];

/**
 * Plays seeds in a process of its own, with these places of the sources replaced. It gets the sources as one file: that
 * runs half again as fast as when each is translated as it is loaded. Answers its exit code, and 1 where a signal ended it.
 */
export async function playing(
  edits: readonly Edit[],
  args: readonly string[],
  { stdio, watch }: { readonly stdio: StdioOptions; readonly watch?: (child: ChildProcess) => void },
): Promise<number> {
  const caches = join(root, '.cache'); // from there, packages are found
  mkdirSync(caches, { recursive: true });
  const folder = mkdtempSync(join(caches, 'simulate-'));
  try {
    await bundle(edits, folder);
    const child = spawn(process.execPath, [...MEMORY, join(folder, 'play-seeds.mjs'), ...args], { stdio });
    watch?.(child);
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? 1));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(edits: readonly Edit[], folder: string): Promise<void> {
  const places = edits.map((edit) => ({ ...edit, path: join(root, 'packages/flyball/src', edit.file) }));
  const made = await rolldown({
    input: join(root, 'test/simulation/play-seeds.ts'),
    platform: 'node',
    external: (id) => !/^(\.|\/|flyball)/.test(id),
    tsconfig: join(root, 'tsconfig.json'),
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'planted',
        load: (id: string) => {
          const given = places.filter(({ path }) => path === id);
          if (given.length === 0) return null;
          return given.reduce((text, edit) => edited(text, edit), readFileSync(id, 'utf8'));
        },
      },
    ],
  });
  await made.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await made.close();
}

function edited(text: string, { file, find, put }: Edit): string {
  if (text.split(find).length !== 2) throw new Error(`The planted fault does not fit ${file} any more.`);
  return text.replace(find, () => put);
}
