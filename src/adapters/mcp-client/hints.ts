import type { TrifectaLeg } from '../../core/tool.js';
import type { ListedTool } from './sdk.js';
import type { McpEffect, McpServerSpec } from './server-spec.js';

type Hints = NonNullable<ListedTool['annotations']>;

/**
 * What repeating a call means. A server's hints are its own words: read-only is believed, because a false one only
 * spoils what the server owns; idempotent is not, because a crash would repeat the call without asking anybody.
 */
export function effectFor(spec: McpServerSpec, { name, annotations = {} }: ListedTool): McpEffect {
  const known = spec.effects?.[name];
  if (known !== undefined) return known;
  return isReadOnly(annotations) ? 'pure' : 'irreversible';
}

/** A tool that calls itself read-only and destructive at once is not believed. */
function isReadOnly({ readOnlyHint, destructiveHint }: Hints): boolean {
  return readOnlyHint === true && destructiveHint !== true;
}

/** Why a person is asked, in words. */
export function whyAsked(server: string, { annotations = {} }: ListedTool): string {
  const says =
    annotations.destructiveHint === true
      ? 'which says that it may destroy something'
      : 'and only the server knows what it changes';
  return `It is a tool of the MCP server ${server}, ${says}.`;
}

/** Text of a server is text of strangers. What is asked of it leaves this process; only a closed local one keeps it. */
export function legsFor(spec: McpServerSpec, { annotations = {} }: ListedTool): readonly TrifectaLeg[] {
  const isClosed = spec.transport.kind === 'stdio' && annotations.openWorldHint === false;
  const others: readonly TrifectaLeg[] = spec.legs ?? (isClosed ? [] : ['outbound']);
  return [...new Set<TrifectaLeg>(['untrusted-content', ...others])];
}

const ORDER: readonly McpEffect[] = ['pure', 'idempotent', 'irreversible'];

/** Whether a tool has become more dangerous than it was when an agent was given it. */
export function isGraver(now: McpEffect, before: McpEffect): boolean {
  return ORDER.indexOf(now) > ORDER.indexOf(before);
}
