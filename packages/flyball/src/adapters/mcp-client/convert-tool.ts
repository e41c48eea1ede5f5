import { canonicalJson, sha256 } from '../../core/canonical.js';
import { failureOf } from '../../core/errors.js';
import type { JsonSchema } from '../../core/schema.js';
import type { EffectContext } from '../../core/tool.js';
import { toolFrom } from '../../tools/define-tool.js';
import { jsonSchemaStandard } from '../../tools/json-schema-standard.js';
import type { DefinedTool } from '../../tools/tool-definition.js';
import { effectFor, legsFor, type Standing, whyAsked } from './hints.js';
import { bounded, type McpResult } from './result.js';
import { screenDefinition } from './screen-definition.js';
import type { ListedTool } from './sdk.js';
import type { Blanking } from './secrets.js';
import { CALL_TIMEOUT_MS, type McpEffect, type McpServerSpec } from './server-spec.js';

/** A tool of a server as agents are given it. */
export interface McpTool {
  /** The server's own name. */
  readonly name: string;
  readonly listed: ListedTool;
  readonly effect: McpEffect;
  readonly tool: DefinedTool;
  /** Of everything the server says about it. */
  readonly hash: string;
  /** What was taken out of its description. */
  readonly warning?: string;
}

export type Execute = (
  of: Pick<McpTool, 'name' | 'effect' | 'hash'>,
  args: Readonly<Record<string, unknown>>,
  how: EffectContext,
) => Promise<McpResult>;

export interface Conversion {
  readonly spec: McpServerSpec;
  readonly blank: Blanking;
  /** The name that models use. */
  readonly name: string;
  readonly execute: Execute;
  readonly standing: Standing;
}

const LONGEST_DESCRIPTION = 4_000;
/** The runtime's own limit stands behind ours, which knows whether anything was sent. */
const BACKSTOP_MS = 2_000;

/** The tool, or why it cannot be offered to a model. */
export async function convertTool(
  listed: ListedTool,
  how: Conversion,
): Promise<{ readonly tool: McpTool } | { readonly why: string }> {
  const { spec, blank, name, execute, standing } = how;
  const screened = await screenDefinition(blank.value(shownOf(listed)));
  if (!screened.ok) return { why: screened.why };
  const effect = effectFor(spec, listed, standing);
  const of = { name: listed.name, effect, hash: hashOf(listed) };
  try {
    const tool = toolFrom({
      name,
      description:
        screened.description || `The tool ${name} of the MCP server ${spec.name}, which does not describe it.`,
      effect,
      ...(effect === 'irreversible' ? { why: whyAsked(spec.name, listed) } : {}),
      input: jsonSchemaStandard(withoutPatterns(screened.inputSchema) as JsonSchema),
      inputJsonSchema: screened.inputSchema,
      legs: legsFor(spec, listed, standing),
      hash: of.hash,
      tags: ['mcp', `mcp:${spec.name}`],
      timeoutMs: (spec.timeoutMs ?? CALL_TIMEOUT_MS) + BACKSTOP_MS,
      present: (result: McpResult) => result.parts ?? result.text,
      execute: (args: Readonly<Record<string, unknown>>, ctx: EffectContext) => execute(of, args, ctx),
    });
    const { warning } = screened;
    return { tool: { ...of, listed, tool, ...(warning === undefined ? {} : { warning }) } };
  } catch (error) {
    return { why: bounded(blank.text(failureOf(error).message), 300) };
  }
}

/** What a model would be shown of it. */
function shownOf({ description = '', inputSchema }: ListedTool): {
  readonly description: string;
  readonly inputSchema: JsonSchema;
} {
  return { description: bounded(description, LONGEST_DESCRIPTION).trim(), inputSchema: inputSchema as JsonSchema };
}

/** Changes with everything that a server says about a tool. */
export function hashOf({ name, description, inputSchema, outputSchema, annotations }: ListedTool): string {
  return sha256(canonicalJson({ name, description, inputSchema, outputSchema, annotations })).slice(0, 16);
}

/**
 * A pattern of a stranger is not run here, where it could take for ever, and a long list is not searched for what is in it
 * twice: the server checks that itself.
 */
export function withoutPatterns(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  const hasPatterns = 'patternProperties' in schema;
  const kept = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === 'pattern') return typeof value !== 'string';
    if (keyword === 'uniqueItems') return typeof value !== 'boolean';
    // what the patterns would have let in must not be shut out without them
    return !(hasPatterns && /^(?:patternProperties|(?:additional|unevaluated)Properties)$/.test(keyword));
  });
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutPatterns(value)]));
}
