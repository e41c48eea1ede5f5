import type { TrifectaLeg } from '../../core/tool.js';
import type { ListedTool } from './sdk.js';
import type { McpEffect, McpServerSpec } from './server-spec.js';

type Hints = NonNullable<ListedTool['annotations']>;

/** Whether the tool is the one that the operator's settings were written for. */
export type Standing = 'as-approved' | 'changed';

/**
 * What repeating a call means. A server's hints are its own words and only ever make a tool stricter: without a setting
 * of the operator every tool is irreversible, and a hint that contradicts the setting takes it back.
 */
export function effectFor(spec: McpServerSpec, { name, annotations = {} }: ListedTool, standing: Standing): McpEffect {
  const known = spec.effects?.[name] ?? spec.effects?.['*'];
  if (known === undefined || standing === 'changed' || contradicts(annotations, known)) return 'irreversible';
  return known;
}

function contradicts({ readOnlyHint, destructiveHint, idempotentHint }: Hints, known: McpEffect): boolean {
  if (known === 'pure') return readOnlyHint === false || destructiveHint === true;
  return known === 'idempotent' && idempotentHint === false && readOnlyHint !== true;
}

/** Why a person is asked, in words. */
export function whyAsked(server: string, { annotations = {} }: ListedTool): string {
  const says =
    annotations.destructiveHint === true
      ? 'which says that it may destroy something'
      : 'and only the server knows what it changes';
  return `It is a tool of the MCP server ${server}, ${says}.`;
}

/** Text of a server is text of strangers, and what is asked of it leaves this process. Only the operator knows better. */
export function legsFor(
  { legs = ['outbound'] }: McpServerSpec,
  { annotations = {} }: ListedTool,
  standing: Standing,
): readonly TrifectaLeg[] {
  const leaves: readonly TrifectaLeg[] =
    standing === 'changed' || annotations.openWorldHint === true ? ['outbound'] : [];
  return [...new Set<TrifectaLeg>(['untrusted-content', ...legs, ...leaves])];
}
