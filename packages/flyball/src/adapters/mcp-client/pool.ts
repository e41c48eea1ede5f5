import { useFrom } from '../../core/about.js';
import { FlyballError, failureOf } from '../../core/errors.js';
import type { ToolRef } from '../../core/tool.js';
import { described } from '../../core/use.js';
import { auditTrifecta, type TrifectaAudit } from '../../tools/governance/trifecta.js';
import type { DefinedTool } from '../../tools/tool-definition.js';
import { type AdmissionOptions, admitServers, bandOf, type SchemaBand, schemaTokens } from './admission.js';
import { type McpEvent, warningOf } from './event.js';
import { openServer, type PooledServer } from './pooled-server.js';
import { loadClientSdk } from './sdk.js';
import type { Env } from './secrets.js';
import { type McpServerSpec, requireSoundSpecs } from './server-spec.js';

/** Options of `openMcpPool`. */
export interface McpPoolOptions extends AdmissionOptions {
  /** Where `tokenFrom` looks; the environment of this process where absent. */
  readonly env?: Env;
  /** Told of everything that happens. Where absent, what somebody should know becomes a process warning. */
  readonly onEvent?: (event: McpEvent) => void;
  /** Of a result, in characters: 50,000 where absent. */
  readonly maxResultChars?: number;
  /** `server__tool` where absent; whatever it answers is made safe for every provider. */
  readonly nameOf?: (server: string, tool: string) => string;
  /** How this client introduces itself to servers. */
  readonly about?: { readonly name: string; readonly version: string };
}

/** The state of a connected MCP server. */
export interface McpServerState {
  readonly name: string;
  readonly version?: string;
  readonly protocol?: string;
  /** Of everything it says about its tools. */
  readonly hash: string;
  /** Of each tool that is offered, by the server's own name: what `pins` takes. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Tools it lists. */
  readonly seen: number;
  readonly tokens: number;
  readonly band: SchemaBand;
}

/** MCP servers as tools: connected, bounded, named, and reconnected when they are lost. */
export interface McpPool {
  /** What an agent may be given now. A tool keeps working after a reconnection, unless it has become another one. */
  tools(): readonly DefinedTool[];
  servers(): readonly McpServerState[];
  /** What these tools together with others make possible. */
  audit(others?: readonly ToolRef[]): TrifectaAudit;
  close(): Promise<void>;
}

const MAX_RESULT_CHARS = 50_000;

/**
 * Uses tools over MCP: connects to all servers and reads what they offer. One that cannot be reached, or too many tools, is
 * told here.
 *
 * Model calls: none, and one for each search where tools are searched. Not for a single client of its own tools: `tool` is
 * enough.
 *
 * @pattern I3
 */
export async function openMcpPool(specs: readonly McpServerSpec[], options: McpPoolOptions = {}): Promise<McpPool> {
  requireSoundSpecs(specs);
  const sdk = await loadClientSdk();
  const tell = teller(options);
  let admitted: readonly DefinedTool[] | undefined;
  const servers: readonly PooledServer[] = specs.map((spec) =>
    openServer({
      sdk,
      spec,
      tell,
      env: options.env ?? process.env,
      about: options.about ?? { name: 'flyball', version: '0' },
      maxResultChars: options.maxResultChars ?? MAX_RESULT_CHARS,
      ...(options.nameOf === undefined ? {} : { nameOf: options.nameOf }),
      changed: () => {
        if (admitted !== undefined) admitted = readmitted(admitted);
      },
    }),
  );
  const admit = (): readonly DefinedTool[] => {
    const { tools, warnings } = admitServers(unique(servers, tell), options);
    for (const why of warnings) tell({ type: 'warned', why });
    return tools;
  };
  /** A server that suddenly offers too much must not take away what agents are working with. */
  const readmitted = (before: readonly DefinedTool[]): readonly DefinedTool[] => {
    try {
      return admit();
    } catch (error) {
      const names = new Set(before.map(({ name }) => name));
      tell({ type: 'warned', why: `No new tools are taken on. ${failureOf(error).message}` });
      return unique(servers, tell).flatMap(({ tools }) => tools.filter(({ name }) => names.has(name)));
    }
  };
  const close = async (): Promise<void> => void (await Promise.allSettled(servers.map((server) => server.close())));

  try {
    await allReady(servers);
    admitted = admit();
  } catch (error) {
    await close();
    throw error;
  }
  const current = (): readonly DefinedTool[] => admitted ?? [];
  const audit = (others: readonly ToolRef[] = []): TrifectaAudit => auditTrifecta([...current(), ...others]);
  const first = audit();
  if (first.verdict === 'block') tell({ type: 'warned', why: first.why });
  const use = useFrom({
    id: 'I3',
    name: 'openMcpPool',
    params: { servers: specs.map(({ name }) => name) },
    parts: {},
    calls: 0,
    provides: ['V13'],
  });
  return described({ tools: current, servers: () => servers.map(stateOf), audit, close }, use);
}

/** All of them are waited for, so that a failure names every server that is not there. */
async function allReady(servers: readonly PooledServer[]): Promise<void> {
  const settled = await Promise.allSettled(servers.map((server) => server.ready()));
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const [first] = failures;
  if (failures.length <= 1) {
    if (first !== undefined) throw first;
    return;
  }
  const { code, retryable } = failureOf(first);
  throw new FlyballError(code, failures.map((error) => failureOf(error).message).join('\n'), { retryable });
}

/** Own names that come out the same for two servers: a model could not tell the tools apart. */
function unique(servers: readonly PooledServer[], tell: (event: McpEvent) => void) {
  const taken = new Set<string>();
  return servers.map(({ spec, tools }) => ({
    server: spec.name,
    tools: tools().filter(({ name }) => {
      const isTaken = taken.has(name);
      if (isTaken) tell({ type: 'left-out', server: spec.name, tool: name, why: 'another server has that name.' });
      taken.add(name);
      return !isTaken;
    }),
  }));
}

function stateOf({ spec, tools, catalogue, listing }: PooledServer): McpServerState {
  const tokens = schemaTokens(tools());
  const { hash, seen, tools: offered } = catalogue();
  const { version, protocol } = listing() ?? {};
  return {
    name: spec.name,
    ...(version === undefined ? {} : { version }),
    ...(protocol === undefined ? {} : { protocol }),
    hash,
    hashes: Object.fromEntries([...offered.values()].map((each) => [each.name, each.hash])),
    seen,
    tokens,
    band: bandOf(tokens),
  };
}

function teller({ onEvent }: McpPoolOptions): (event: McpEvent) => void {
  if (onEvent !== undefined) return onEvent;
  return (event) => {
    const warning = warningOf(event);
    if (warning !== undefined) process.emitWarning(warning);
  };
}
