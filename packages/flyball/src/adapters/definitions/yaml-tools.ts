import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { toolFrom } from '../../tools/define-tool.js';
import { describedTool, requireSoundMetadata, type ToolMetadata } from '../../tools/described-tool.js';
import type { ToolEntry } from '../../tools/registry.js';
import type { DefinedTool } from '../../tools/tool-definition.js';
import { looksLikeTool } from './exported-tools.js';
import { placed } from './load-module.js';
import { referredExport } from './module-reference.js';
import { mappingAt, readYaml, type YamlPath, type YamlSource } from './yaml-source.js';

/** What a YAML file says: tools of its own, and words about tools that are found elsewhere. */
export interface YamlTools {
  readonly entries: readonly ToolEntry[];
  /** For `toolRegistry(…, { metadata })`. */
  readonly metadata: readonly ToolMetadata[];
}

const SAID = ['description', 'input', 'effect', 'scopes', 'legs', 'timeoutMs', 'retry', 'tags'] as const;
const KEYS = ['name', ...SAID, 'run'];
const POLICY = ['retries', 'baseDelayMs', 'maxDelayMs', 'jitterMs', 'breaker'];
const RULES = ['compensate', 'verify', 'simulate'] as const;

/** Reads a YAML file, or all YAML files directly in a folder. */
export async function toolsFromYaml(fileOrFolder: string): Promise<YamlTools> {
  const read: YamlTools[] = [];
  for (const file of await yamlFiles(resolve(fileOrFolder))) read.push(await toolsIn(await readYaml(file)));
  return { entries: read.flatMap(({ entries }) => entries), metadata: read.flatMap(({ metadata }) => metadata) };
}

async function yamlFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw placed(`${path} cannot be read`, error);
  });
  if (!found.isDirectory()) return [path];
  return (await readdir(path))
    .filter((name) => /^[^._].*\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

async function toolsIn(source: YamlSource): Promise<YamlTools> {
  const root = mappingAt(source, [], source.value, ['tools']);
  if (!Array.isArray(root['tools'])) throw new ConfigError(`${source.at(['tools'])}: tools must be a list.`);
  const entries: ToolEntry[] = [];
  const metadata: ToolMetadata[] = [];
  for (const [index, value] of (root['tools'] as readonly unknown[]).entries()) {
    const path = ['tools', index];
    const said = mappingAt(source, path, value, KEYS);
    if (said['retry'] !== undefined) mappingAt(source, [...path, 'retry'], said['retry'], POLICY);
    const meant = metadataOf(said, path, source);
    if (said['run'] === undefined) metadata.push(meant);
    else entries.push(await entryOf(meant, said['run'], path, source));
  }
  return { entries, metadata };
}

/** Each key is looked at on its own, so that a mistake is told with its line. */
function metadataOf(said: Readonly<Record<string, unknown>>, path: YamlPath, source: YamlSource): ToolMetadata {
  const { name } = said as { readonly name: string };
  for (const key of ['name', ...SAID]) {
    try {
      if (key === 'name' || said[key] !== undefined) requireSoundMetadata({ name, [key]: said[key] });
    } catch (error) {
      throw placed(source.at([...path, key]), error);
    }
  }
  const { run: _, ...rest } = said;
  return { ...rest, name, source: source.at(path) };
}

async function entryOf(said: ToolMetadata, run: unknown, path: YamlPath, source: YamlSource): Promise<ToolEntry> {
  const place = source.at([...path, 'run']);
  const written =
    typeof run === 'string' ? { module: run } : mappingAt(source, [...path, 'run'], run, ['module', ...RULES]);
  const { value } = await referredExport(written['module'], source.file, place);
  const rules: Record<string, unknown> = {};
  for (const rule of RULES) {
    if (written[rule] === undefined) continue;
    rules[rule] = (await referredExport(written[rule], source.file, source.at([...path, 'run', rule]))).value;
  }
  try {
    const tool = looksLikeTool(value) ? renamed(value, said, rules) : madeOf(value, said, rules);
    return { tool, tags: tool.tags ?? [], origin: { kind: 'yaml', file: source.file } };
  } catch (error) {
    throw placed(place, error);
  }
}

/** A tool of its own, which goes under the entry's name and says what the entry says. */
function renamed(value: object, said: ToolMetadata, rules: Readonly<Record<string, unknown>>): DefinedTool {
  const [rule] = Object.keys(rules);
  if (rule !== undefined) throw new ConfigError(`the module's export is a whole tool, so it brings its own ${rule}.`);
  return toolFrom({ ...describedTool(toolFrom(value), said), name: said.name });
}

/** A function, which the entry makes a tool of. */
function madeOf(execute: unknown, said: ToolMetadata, rules: Readonly<Record<string, unknown>>): DefinedTool {
  const { source: _, ...definition } = said;
  return toolFrom({ ...definition, ...rules, execute });
}
