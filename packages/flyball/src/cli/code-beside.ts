import { dirname, relative, resolve } from 'node:path';
import { moduleGraph } from '../adapters/definitions/module-graph.js';
import { readYaml } from '../adapters/definitions/yaml-source.js';
import { CODE_FILES, type OwnCode, ownCode } from './own-code.js';

/**
 * What must not be written by an agent that is loaded together with others, in whatever folders those lie: their files, and
 * all that runs or decides what runs when they are loaded again. They may have rights that this agent does not have.
 */
export async function codeBeside(folder: string, files: readonly string[]): Promise<OwnCode> {
  const found = await Promise.all(files.map((file) => codeOf(resolve(file))));
  // patterns hold in every folder, so they are taken over only from folders that the agent could reach
  const isNear = ({ base }: Code): boolean => !relative(resolve(folder), base).startsWith('..');
  return {
    protect: [...new Set(found.flatMap(({ protect }) => protect))],
    denyWrite: [...new Set(found.filter(isNear).flatMap(({ denyWrite }) => denyWrite))],
  };
}

type Code = OwnCode & { readonly base: string };

async function codeOf(file: string): Promise<Code> {
  const base = dirname(file);
  if (!/\.ya?ml$/i.test(file)) {
    const { files, open, started } = await moduleGraph([file], base);
    return { base, protect: [file, ...files], denyWrite: [...(open.length > 0 ? CODE_FILES : []), ...started] };
  }
  const { mcp, policy, skills } = await governing(file);
  const own = await ownCode(base, mcp === undefined ? {} : { mcp });
  const named = [...own.protect, ...(policy === undefined ? [] : [policy]), ...skills];
  return { base, protect: [file, ...named.map((path) => resolve(base, path))], denyWrite: own.denyWrite };
}

interface Governing {
  readonly mcp?: string;
  readonly policy?: string;
  readonly skills: readonly string[];
}

/** What is wrong in a definition is told where it is loaded. */
async function governing(file: string): Promise<Governing> {
  const { value } = await readYaml(file).catch(() => ({ value: undefined }));
  const { mcp, policy, skills } = Object(value) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof mcp === 'string' ? { mcp } : {}),
    ...(typeof policy === 'string' ? { policy } : {}),
    skills: Array.isArray(skills) ? skills.filter((each) => typeof each === 'string') : [],
  };
}
