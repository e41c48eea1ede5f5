import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Changed, EffectContext, Tool } from 'flyball';
import { onTestFinished } from 'vitest';
import { check } from '../../packages/flyball/src/core/schema.js';
import { type FilesOptions, filesTools } from '../../packages/flyball/src/toolbox/files.js';

/** A real folder with a project in it, and something beside it that nobody may reach. */
export interface Project {
  /** Holds `project` and what lies outside. */
  readonly base: string;
  readonly root: string;
  path(name: string): string;
  put(name: string, content: string | Buffer): void;
  get(name: string): string;
  link(name: string, target: string): void;
  hardLink(name: string, target: string): void;
  pipe(name: string): void;
  /** Calls a tool as a run would: arguments checked first. */
  call<T = unknown>(tool: string, args: unknown, key?: string): Promise<T>;
  tool(name: string): Tool<unknown, unknown>;
}

export const SECRET = 'the secret outside';

export function project(
  options: Omit<FilesOptions, 'allow'> & { readonly allow?: FilesOptions['allow'] } = {},
): Project {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-files-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'project');
  mkdirSync(root);
  writeFileSync(join(base, 'secret.txt'), SECRET);
  const tools = filesTools({ allow: root, ...options });
  const path = (name: string): string => join(root, name);
  const parent = (name: string): string => {
    mkdirSync(dirname(path(name)), { recursive: true });
    return path(name);
  };
  const tool = (name: string): Tool<unknown, unknown> => {
    const found = tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no tool ${name}.`);
    return found as unknown as Tool<unknown, unknown>;
  };
  let calls = 0;
  return {
    base,
    root,
    path,
    tool,
    put: (name, content) => writeFileSync(parent(name), content),
    get: (name) => readFileSync(path(name), 'utf8'),
    link: (name, target) => symlinkSync(target, parent(name)),
    hardLink: (name, target) => linkSync(join(base, target), parent(name)),
    pipe: (name) => void execFileSync('mkfifo', [parent(name)]),
    call: async <T>(name: string, args: unknown, key = `call-${++calls}`) => (await called(tool(name), args, key)) as T,
  };
}

/** What the code of a run gets: the value, whatever it reports beside it. */
export async function called(tool: Tool<unknown, unknown>, args: unknown, key: string): Promise<unknown> {
  const checked = tool.input === undefined ? { ok: true as const, value: args } : await check(tool.input, args);
  if (!checked.ok) throw new Error(`invalid arguments: ${checked.problem}`);
  const how: EffectContext = { key, signal: new AbortController().signal };
  const result = await tool.execute(checked.value, how);
  return typeof result === 'object' && result !== null && '$changed' in result
    ? (result as Changed<unknown>).value
    : result;
}
