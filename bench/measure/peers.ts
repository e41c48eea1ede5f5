import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildEnd, runChild } from './child.js';

/** Other frameworks, installed for a comparison in the same run. Never dependencies: they live in the cache folder. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  run<T>(program: string, parameters: readonly string[]): Promise<ChildEnd<T>>;
}
export type PeerName = 'ai' | 'openai-agents' | 'langgraph' | 'mastra' | 'voltagent';
export type Found = { readonly peer: Peer } | { readonly missing: string };

interface Pinned {
  readonly packages: readonly string[];
  /** The oldest Node it runs on. */
  readonly nodeMajor: number;
}

const PINNED: Readonly<Record<PeerName, Pinned>> = {
  ai: { packages: ['ai@6.0.326', '@ai-sdk/openai-compatible@2.0.87', 'zod@4.6.7'], nodeMajor: 20 },
  'openai-agents': { packages: ['@openai/agents@0.20.0', 'zod@4.6.7'], nodeMajor: 20 },
  voltagent: {
    packages: ['@voltagent/core@2.10.0', 'ai@6.0.326', '@ai-sdk/openai-compatible@2.0.87', 'zod@4.6.7'],
    nodeMajor: 20,
  },
  langgraph: {
    packages: ['@langchain/langgraph@1.4.18', '@langchain/openai@1.5.8', '@langchain/core@1.2.13', 'zod@4.6.7'],
    nodeMajor: 20,
  },
  mastra: {
    packages: ['@mastra/core@1.71.0', '@mastra/libsql@1.23.1', '@mastra/memory@1.31.0', 'zod@4.6.7'],
    nodeMajor: 22,
  },
};
const NEWER_NODE = `node-${process.platform}-${process.arch}@24`;

/** Installs a peer at its pinned version, or says why it cannot be had. `root` is the repository. */
export function peer(root: string, name: PeerName): Found {
  const { packages, nodeMajor } = PINNED[name];
  const folder = join(root, '.cache/peers', name);
  const trouble = install(folder, packages);
  if (trouble !== undefined) return { missing: `${name} could not be installed: ${trouble}` };
  const node = nodeFor(root, nodeMajor);
  if (typeof node !== 'string') return { missing: `${name} needs Node ${nodeMajor}: ${node.missing}` };
  const programs = join(root, 'bench/programs');
  return {
    peer: {
      name,
      version: packages[0] ?? name,
      run(program, parameters) {
        // modules are looked up from where a program lies, so it has to lie beside its packages
        for (const file of [program, 'loop-harness.mjs', 'openai-stub.mjs'])
          cpSync(join(programs, file), join(folder, file));
        return runChild(join(folder, program), parameters, { node, cwd: folder, nodeOptions: [] });
      },
    },
  };
}

function nodeFor(root: string, major: number): string | { readonly missing: string } {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath;
  const folder = join(root, '.cache/peers/node');
  const trouble = install(folder, [NEWER_NODE]);
  if (trouble !== undefined) return { missing: `${NEWER_NODE} could not be installed: ${trouble}` };
  return join(folder, 'node_modules', NEWER_NODE.replace(/@.*$/, ''), 'bin/node');
}

/** Answers what went wrong, if anything. Does nothing when exactly these packages are there. */
function install(folder: string, packages: readonly string[]): string | undefined {
  const stamp = join(folder, 'installed.txt');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === packages.join('\n')) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  console.error(`  Installing ${packages.join(', ')} …`);
  const parameters = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
  const { status, stderr, error } = spawnSync('npm', parameters, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (status !== 0)
    return (error?.message ?? stderr.trim().split('\n').slice(0, 3).join(' ')) || `npm ended with ${status}`;
  writeFileSync(stamp, packages.join('\n'));
  return undefined;
}
