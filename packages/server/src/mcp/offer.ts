import type { JsonSchema, MessagePart } from 'flyball';

/** What a client is told about something it can call. */
export interface McpOfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Of `value` in every answer that is no error. */
  readonly outputSchema?: JsonSchema;
  readonly annotations?: McpAnnotations;
}

/** The hints of an MCP tool. */
export interface McpAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Who calls a tool, and how to report progress. */
export interface McpCallContext<W> {
  /** Whoever asks, as whoever mounted the endpoint established it. */
  readonly who: W;
  /** Aborted when the client takes the call back or is gone. */
  readonly signal: AbortSignal;
  /** Tells a client that wants to know how far it is. */
  progress(message: string): void;
}

/** Everything in it is shown to the client. */
export type McpAnswer =
  | {
      readonly ok: true;
      readonly text: string;
      /** What is sent instead of the text, where there is more than text. */
      readonly parts?: readonly MessagePart[];
      readonly value?: unknown;
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

/**
 * What is served, whoever keeps it: the server knows the protocol, the offer knows the runs. A name that `tools` does
 * not list for somebody does not exist for them; `call` gets arguments that fit the schema, and an error that it throws
 * is told as a fault of the server without its words.
 */
export interface McpOffer<W = undefined> {
  tools(who: W): readonly McpOfferedTool[] | Promise<readonly McpOfferedTool[]>;
  call(name: string, args: Readonly<Record<string, unknown>>, ctx: McpCallContext<W>): Promise<McpAnswer>;
  /** Calls back when `tools` answers something else than before. Returns how to stop. */
  onChanged?(listener: () => void): () => void;
}

/** Name, version and limits of an MCP server. */
export interface McpServing {
  /** How the server introduces itself. */
  readonly name: string;
  readonly version: string;
  /** Calls at the same time; more are turned away. Where absent, 32 over a pair of streams and 512 over HTTP. */
  readonly maxCalls?: number;
  /** Of an answer, in characters; a larger one becomes an error. 200,000 where absent. */
  readonly maxResultChars?: number;
  /** Told of failures whose words no client is shown. */
  readonly onProblem?: (error: unknown, doing: string) => void;
}
