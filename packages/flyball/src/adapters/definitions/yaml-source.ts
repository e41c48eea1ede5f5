import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { ConfigError } from '../../core/errors.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { placed } from './load-module.js';

export type YamlPath = readonly (string | number)[];

/** A YAML file, read: its value, and where in the file each part of it stands. */
export interface YamlSource {
  readonly file: string;
  readonly value: unknown;
  /** `file:line` of a part, or of the nearest part around it that exists. */
  at(path: YamlPath): string;
}

/** Aliases may stand for a part again, but not blow a small file up to a large value. */
const MAX_ALIASES = 100;
/** Of a file, in characters. */
const LONGEST = 1_000_000;

export async function readYaml(file: string): Promise<YamlSource> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw placed(`${path} cannot be read`, error);
  });
  return yamlSource(text, path);
}

export function yamlSource(text: string, file: string): YamlSource {
  if (text.length > LONGEST)
    throw new ConfigError(`${file} has ${text.length} characters, and at most ${LONGEST} are read. Split it.`);
  const lines = new LineCounter();
  // the parser compares each key with every other one; ours are compared in one pass
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  // warnings are tags and directives that would be passed over
  const [problem] = [...document.errors, ...repeatedKeys(document), ...document.warnings];
  if (problem !== undefined) throw new ConfigError(`${file}:${lines.linePos(problem.pos[0]).line}: ${problem.message}`);
  const at = (path: YamlPath): string => {
    const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    if (isNode(node) && node.range) return `${file}:${lines.linePos(node.range[0]).line}`;
    return path.length === 0 ? file : at(path.slice(0, -1));
  };
  return { file, value: plainValue(document, file), at };
}

function repeatedKeys(document: ReturnType<typeof parseDocument>): { pos: [number]; message: string }[] {
  const found: { pos: [number]; message: string }[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) found.push({ pos: [key.range?.[0] ?? 0], message: 'Map keys must be unique' });
        known.add(key.value);
      }
    },
  });
  return found;
}

function plainValue(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    throw placed(file, error);
  }
}

/** The mapping at `path`, with no keys but those it may have. */
export function mappingAt(
  source: YamlSource,
  path: YamlPath,
  value: unknown,
  keys: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${source.at(path)}: expected a mapping with ${keys.join(', ')}.`);
  }
  const stray = Object.keys(value).find((key) => !keys.includes(key));
  if (stray === undefined) return value as Readonly<Record<string, unknown>>;
  const [near] = nearestNames(stray, keys, 1);
  const hint = near === undefined ? `Known fields: ${keys.join(', ')}.` : `Did you mean ${near}?`;
  throw new ConfigError(`${source.at([...path, stray])}: unknown key "${stray}". ${hint}`);
}
