import type { ToolRef } from '../core/tool.js';
import { wordsOf } from './select-tools.js';
import { toolSpecOf } from './tool-spec.js';

/** Something that makes a tool hard to choose or to call, and is no mistake. */
export interface ToolWarning {
  readonly tool: string;
  readonly rule: 'when-not-to-use' | 'similar-descriptions' | 'undescribed-parameter';
  readonly message: string;
}

/** Words by which a description sets limits to itself. */
const LIMITING = /\b(not|never|only|instead|rather than|avoid|unless|except|without|prefer|cannot)\b|n['’]t\b/i;
/** Share of words two descriptions may have in common. */
const SIMILAR = 0.8;

/** Reports tools with weak or similar descriptions. */
export function lintTools(tools: readonly ToolRef[]): readonly ToolWarning[] {
  const specs = tools.map((tool) => ({ ...toolSpecOf(tool), words: new Set(wordsOf(tool.description)) }));
  return specs.flatMap(({ name, description, input, words }, index) => [
    ...(LIMITING.test(description) ? [] : [neverSaysNo(name)]),
    ...specs
      .slice(index + 1)
      .filter((other) => overlap(words, other.words) >= SIMILAR)
      .map((other) => alike(name, other.name)),
    ...undescribed(input, '').map((parameter) => silent(name, parameter)),
  ]);
}

/** Shared words over all words. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Parameters without a description, those of nested objects and lists included. A `$ref` is taken as described. */
function undescribed(schema: unknown, at: string): readonly string[] {
  const { properties = {}, items } = schema as { readonly properties?: object; readonly items?: unknown };
  const below = Object.entries(properties).flatMap(([name, part]: [string, unknown]) => {
    if (typeof part !== 'object' || part === null) return [];
    const place = at === '' ? name : `${at}.${name}`;
    return [...('description' in part || '$ref' in part ? [] : [place]), ...undescribed(part, place)];
  });
  return typeof items === 'object' && items !== null ? [...below, ...undescribed(items, `${at}[]`)] : below;
}

function neverSaysNo(tool: string): ToolWarning {
  const message = `${tool} does not say when it is not to be used: add a sentence such as "Not for …; use … instead."`;
  return { tool, rule: 'when-not-to-use', message };
}

function alike(tool: string, other: string): ToolWarning {
  const message = `${tool} and ${other} are described in nearly the same words: say what sets them apart.`;
  return { tool, rule: 'similar-descriptions', message };
}

function silent(tool: string, parameter: string): ToolWarning {
  const message = `${tool}: the parameter ${parameter} has no description.`;
  return { tool, rule: 'undescribed-parameter', message };
}
