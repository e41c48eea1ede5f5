import { ConfigError } from '../../core/errors.js';
import { toolFrom } from '../../tools/define-tool.js';
import type { DefinedTool } from '../../tools/tool-definition.js';
import { type Exports, placed } from './load-module.js';

/**
 * The tools that a module exports: by name, as default, in a list, or in a record as default. Made by `tool` or written
 * as plain definitions, they come out sound. Other exports are the module's own business.
 */
export function exportedTools(exports: Exports, file: string): readonly DefinedTool[] {
  const found = new Set<unknown>();
  for (const name of Object.keys(exports).sort()) {
    // once each: a default is often a named export, too, and CommonJS exports are both
    for (const value of candidates(name, exports[name], file)) found.add(value);
  }
  if (found.size === 0) {
    throw new ConfigError(
      `${file} does not export a tool. Export the result of \`tool({ … })\`, by name, as default or in a list. If the file is not meant to contain tools, start its name with "_".`,
    );
  }
  return [...found].map((value) => soundTool(value, file));
}

/** Whether somebody meant this to be a tool; whether it is a sound one is another question. */
export function looksLikeTool(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const { name, effect, execute } = value as Readonly<Record<string, unknown>>;
  return typeof execute === 'function' || (typeof name === 'string' && effect !== undefined);
}

export function soundTool(value: unknown, file: string): DefinedTool {
  try {
    return toolFrom(value);
  } catch (error) {
    throw placed(file, error);
  }
}

function candidates(name: string, value: unknown, file: string): readonly unknown[] {
  if (looksLikeTool(value)) return [value];
  if (Array.isArray(value)) return listed(name, value, file);
  const isRecord = name === 'default' && typeof value === 'object' && value !== null;
  return isRecord ? Object.values(value).filter(looksLikeTool) : [];
}

function listed(name: string, values: readonly unknown[], file: string): readonly unknown[] {
  if (!values.some(looksLikeTool)) return [];
  const stray = values.findIndex((value) => !looksLikeTool(value));
  if (stray < 0) return values;
  throw new ConfigError(`${file}: element ${stray} of the exported list "${name}" is not a tool, unlike the others.`);
}
