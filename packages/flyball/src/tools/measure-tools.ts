import { ConfigError } from '../core/errors.js';
import type { ToolRef } from '../core/tool.js';
import type { DefinedTool } from './tool-definition.js';
import { toolSpecOf } from './tool-spec.js';

/** Tokens of a text. An adapter of a tokenizer gives an exact one. */
export type CountText = (text: string) => number;

/** How many tokens a tool takes. */
export interface MeasuredTool {
  readonly name: string;
  readonly tokens: number;
  /** What it counts for: itself, or all the tools that can be reached through it. */
  readonly surface: number;
}

/** What tools take of a request: their number and the tokens of their schemas as they are sent. */
export interface MeasuredTools {
  readonly tools: readonly MeasuredTool[];
  readonly count: number;
  readonly tokens: number;
  readonly window: number;
  /** Of the window. */
  readonly share: number;
}

/**
 * One token for four characters of ASCII or two bytes of anything else: somewhat above what tokenizers make of JSON, so
 * that a limit is reached early rather than late.
 */
export function estimateTextTokens(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++;
  return Math.ceil(ascii / 4 + (Buffer.byteLength(text) - ascii) / 2);
}

/** Counts how many tokens of the window tools take. */
export function measureTools(tools: readonly ToolRef[], countText: CountText, window: number): MeasuredTools {
  if (!(Number.isFinite(window) && window > 0)) {
    throw new ConfigError(
      `The window is ${window} tokens, so no share of it can be taken. Give the model's real window.`,
    );
  }
  const measured = tools.map((tool) => measureTool(tool, countText));
  const tokens = measured.reduce((sum, one) => sum + one.tokens, 0);
  return {
    tools: measured,
    count: measured.reduce((sum, one) => sum + one.surface, 0),
    tokens,
    window,
    share: tokens / window,
  };
}

function measureTool(tool: ToolRef, countText: CountText): MeasuredTool {
  const tokens = countText(JSON.stringify(toolSpecOf(tool)));
  return { name: tool.name, tokens, surface: (tool as Partial<DefinedTool>).surface ?? 1 };
}
