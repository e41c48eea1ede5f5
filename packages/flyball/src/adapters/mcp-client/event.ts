import type { SchemaBand } from './admission.js';

/** What happens to the servers of a pool. Holds no secret, and no text of a server that was not looked through. */
export type McpEvent =
  /** What a server offers was read: at each connection, and when it says that something has changed. */
  | {
      readonly type: 'listed';
      readonly server: string;
      readonly version?: string;
      /** Revision of the protocol. */
      readonly protocol: string;
      /** Tools that it lists. */
      readonly tools: number;
      /** Of everything it says about them. */
      readonly hash: string;
      readonly tokens: number;
      readonly band: SchemaBand;
    }
  | { readonly type: 'dropped'; readonly server: string; readonly why: string }
  /** What a server lists is no longer what it listed; agents that are made from now on get the new tools. */
  | {
      readonly type: 'changed';
      readonly server: string;
      readonly from: string;
      readonly to: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly altered: readonly string[];
    }
  | { readonly type: 'left-out'; readonly server: string; readonly tool: string; readonly why: string }
  | { readonly type: 'warned'; readonly server?: string; readonly why: string };

/** An event that somebody should know about, in words. */
export function warningOf(event: McpEvent): string | undefined {
  switch (event.type) {
    case 'listed':
    case 'dropped':
      return undefined;
    case 'changed': {
      const parts = (['added', 'removed', 'altered'] as const).flatMap((what) =>
        event[what].length === 0 ? [] : [`${what} ${event[what].join(', ')}`],
      );
      return `The tools of the MCP server ${event.server} have changed: ${parts.join('; ')}.`;
    }
    case 'left-out':
      return `The tool ${event.tool} of the MCP server ${event.server} is left out: ${event.why}`;
    case 'warned':
      return event.server === undefined ? event.why : `MCP server ${event.server}: ${event.why}`;
  }
}
