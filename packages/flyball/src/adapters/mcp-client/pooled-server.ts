import { FlyballError } from '../../core/errors.js';
import type { JsonSchema } from '../../core/schema.js';
import { jsonSchemaStandard } from '../../tools/json-schema-standard.js';
import type { DefinedTool } from '../../tools/tool-definition.js';
import { bandOf, schemaTokens } from './admission.js';
import type { Listing } from './connect.js';
import { openConnection } from './connection.js';
import { type Execute, hashOf, type McpTool, withoutPatterns } from './convert-tool.js';
import type { McpEvent } from './event.js';
import { shapeResult } from './result.js';
import type { ClientSdk } from './sdk.js';
import { blanking, type Env, secretsOf } from './secrets.js';
import type { McpServerSpec } from './server-spec.js';
import { catalogueOf, differences, NOTHING, type ServerCatalogue } from './server-tools.js';

export interface PooledServerParts {
  readonly sdk: ClientSdk;
  readonly spec: McpServerSpec;
  readonly env: Env;
  readonly about: { readonly name: string; readonly version: string };
  readonly maxResultChars: number;
  readonly nameOf?: (server: string, tool: string) => string;
  readonly tell: (event: McpEvent) => void;
  /** What it offers is no longer what it offered. */
  readonly changed: () => void;
}

/** A server with what it offers, kept up to date over all its connections. */
export interface PooledServer {
  readonly spec: McpServerSpec;
  ready(): Promise<void>;
  tools(): readonly DefinedTool[];
  catalogue(): ServerCatalogue;
  listing(): Listing | undefined;
  close(): Promise<void>;
}

export function openServer(parts: PooledServerParts): PooledServer {
  const { spec, sdk, env, about, tell } = parts;
  const blank = blanking(secretsOf(spec, env));
  let catalogue: ServerCatalogue = NOTHING;
  let listing: Listing | undefined;
  let approved: ReadonlyMap<string, string> = new Map();

  const execute: Execute = async (of, args, { signal }) => {
    const isRepeatable = of.effect !== 'irreversible';
    const definition = (): McpTool['listed'] => stillTheSame(of, catalogue, spec.name).listed;
    const result = await connection.call({ tool: of.name, args }, { signal, isRepeatable, definition });
    const promised = catalogue.tools.get(of.name)?.listed.outputSchema;
    return shapeResult(result, {
      blank,
      maxChars: parts.maxResultChars,
      ...(promised === undefined ? {} : { output: jsonSchemaStandard(withoutPatterns(promised) as JsonSchema) }),
    });
  };
  const listed = async (given: Listing): Promise<void> => {
    const before = { catalogue, listing };
    const { nameOf } = parts;
    if (listing === undefined) approved = new Map(given.tools.map((tool) => [tool.name, hashOf(tool)]));
    const fresh = await catalogueOf(given.tools, catalogue, {
      ...{ spec, blank, execute, tell, approved },
      ...(nameOf === undefined ? {} : { nameOf }),
    });
    catalogue = fresh;
    listing = given;
    tell(listedEvent(spec.name, given, fresh));
    tellVersion(spec, given, before.listing, tell);
    if (before.listing === undefined || before.catalogue.hash === fresh.hash) return;
    const what = differences(before.catalogue, fresh);
    tell({ type: 'changed', server: spec.name, from: before.catalogue.hash, to: fresh.hash, ...what });
    parts.changed();
  };
  const dropped = (why: string): void => tell({ type: 'dropped', server: spec.name, why });
  const connection = openConnection({ sdk, spec, env, blank, about, listed, dropped });

  return {
    spec,
    ready: connection.ready,
    tools: () => [...catalogue.tools.values()].map(({ tool }) => tool),
    catalogue: () => catalogue,
    listing: () => listing,
    close: connection.close,
  };
}

/** An agent was given a tool for what it was: one that has gone, or is described differently since, is not called. */
function stillTheSame(of: Pick<McpTool, 'name' | 'hash'>, { tools }: ServerCatalogue, server: string): McpTool {
  const now = tools.get(of.name);
  if (now === undefined)
    throw new FlyballError('TOOL_UNKNOWN', `The MCP server ${server} no longer offers this tool. Do without it.`);
  if (now.hash !== of.hash)
    throw new FlyballError(
      'DENIED',
      `The MCP server ${server} has changed this tool since it was approved. It is not called until somebody has looked at the change.`,
    );
  return now;
}

function listedEvent(server: string, { version, protocol }: Listing, { hash, seen, tools }: ServerCatalogue): McpEvent {
  const tokens = schemaTokens([...tools.values()].map(({ tool }) => tool));
  return {
    type: 'listed',
    server,
    ...(version === undefined ? {} : { version }),
    protocol,
    tools: seen,
    hash,
    tokens,
    band: bandOf(tokens),
  };
}

function tellVersion(
  { name, pin }: McpServerSpec,
  { version }: Listing,
  before: Listing | undefined,
  tell: (event: McpEvent) => void,
): void {
  const says = version === undefined ? 'tells no version' : `is version ${version}`;
  if (before === undefined && pin === undefined)
    tell({ type: 'warned', server: name, why: `it is not pinned and ${says}; pin it to allow this.` });
  if (before !== undefined && before.version !== version)
    tell({ type: 'warned', server: name, why: `it was version ${before.version ?? 'unknown'} and now ${says}.` });
}
