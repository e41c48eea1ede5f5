import type { Outcome, RunHandle, ToolRef } from 'flyball';
import { fitJson } from './access/body-reader.js';
import { holds, type Principal } from './access/principal.js';
import { startNamed, startRun } from './agents/admission.js';
import { toolRunName } from './agents/run-agents.js';
import type { ServedAgent } from './agents/served-agent.js';
import { StreamSlots } from './feed/stream-slots.js';
import type { Gate } from './gate.js';
import { type McpHttpEndpoint, mcpHttpEndpoint } from './mcp/http.js';
import type { McpOffer } from './mcp/offer.js';
import { type McpAgent, offeredAgent, offeredTool } from './mcp/offered.js';
import { type McpRunner, runtimeOffer } from './mcp/runtime-offer.js';
import { TOOL_CALL } from './mcp/tool-call-agent.js';
import type { Parts } from './parts.js';
import type { Mount, Mounted } from './pipeline.js';
import { Problem } from './problem.js';
import { type FoundTool, ONE_CALL, toolsOf } from './routes/tools.js';

/** Of a tenant, at the same time. A call that its client has left counts until it has ended. */
const MOST_CALLS = 512;

/** Agents and tools for MCP clients, over streamable HTTP and under the same credentials, bounds and limits as all else. */
export function mcpMount(parts: Parts, gate: Gate): Mount {
  const each = parts.settings.maxStreams;
  const slots = new StreamSlots({ each }); // a call may take minutes: nobody takes the room of all
  const calls = new StreamSlots({ each, tenant: MOST_CALLS, what: 'calls under way' });
  const opened = openedOnce(parts, calls);
  const takeSlots = (principal: Principal, count: number, onClosed: Mounted['onClosed']): void => {
    const held: (() => void)[] = [];
    try {
      for (let n = 0; n < count; n++) held.push(slots.take(principal, 0));
    } finally {
      onClosed(() => held.forEach((giveBack) => giveBack())); // after they are taken: it may be closed by now
    }
  };
  return {
    name: 'mcp',
    path: '/mcp',
    methods: ['GET', 'POST', 'DELETE'],
    admit: requireUse,
    handle: async ({ request: { url, method, headers: given }, request, principal, signal, onClosed }, { headers }) => {
      takeSlots(principal, 1, onClosed);
      const open = await opened().catch((cause: unknown) => Promise.reject(notInstalled(cause)));
      if (method !== 'POST') return open.handle(new Request(url, { method, headers: given, signal }), principal);
      const { raw } = await gate.body(request, 'raw');
      const json = fitJson(raw); // the protocol answers the rest by its own rules
      const more = Array.isArray(json) ? json.length - 1 : 0; // those of a batch are as many requests
      if (more > 0) for (const [name, value] of Object.entries(gate.within(principal, more))) headers.set(name, value);
      if (more > 0) takeSlots(principal, more, onClosed);
      const body = raw.byteLength === 0 ? {} : { body: new Uint8Array(raw) };
      return open.handle(new Request(url, { method, headers: given, signal, ...body }), principal);
    },
  };
}

/** Opened with the first request, and closed with the server. */
function openedOnce(parts: Parts, calls: StreamSlots): () => Promise<McpHttpEndpoint<Principal>> {
  let endpoint: Promise<McpHttpEndpoint<Principal>> | undefined;
  const end = (): void => void endpoint?.then((open) => open.close()).catch(() => undefined);
  parts.phases.ending.addEventListener('abort', end, { once: true });
  return () => {
    endpoint ??= mcpHttpEndpoint(offerOf(parts), {
      name: 'flyball',
      version: parts.settings.version,
      maxBodyBytes: parts.settings.maxBodyBytes,
      takeRoom: (principal) => roomIn(calls, principal),
      onProblem: (error, doing) => parts.log.error(doing, error),
    });
    endpoint.catch(() => {
      endpoint = undefined; // the package may be installed meanwhile
    });
    return endpoint;
  };
}

function roomIn(calls: StreamSlots, principal: Principal): (() => void) | { readonly because: string } {
  try {
    return calls.take(principal, 0);
  } catch (error) {
    if (error instanceof Problem) return { because: `${error.message} Try again when one of them has ended.` };
    throw error;
  }
}

function requireUse({ scopes }: Principal): void {
  if (!(holds(scopes, 'agents:invoke') || holds(scopes, 'tools:execute'))) throw forbidden();
}

function forbidden(): Problem {
  return new Problem(
    403,
    'FORBIDDEN',
    'This requires the scope agents:invoke or tools:execute, and the credential has neither.',
    {
      next: 'Use a key with one of them: flyball keys create --scope agents:invoke',
    },
  );
}

function notInstalled(cause: unknown): Problem {
  return new Problem(503, 'BUSY', 'MCP is not available here.', {
    next: 'The server log says what to install.',
    cause,
  });
}

/** What somebody may call is what somebody is shown. */
function offerOf(parts: Parts): McpOffer<Principal> {
  const tools = toolsOf(parts);
  const agentsFor = ({ scopes }: Principal): readonly ServedAgent[] =>
    holds(scopes, 'agents:invoke') ? parts.directory.list() : [];
  const toolsFor = ({ scopes }: Principal): readonly FoundTool[] => (holds(scopes, 'tools:execute') ? tools() : []);
  return {
    tools: (who) => [
      ...agentsFor(who).map((agent) => offeredAgent(offered(agent))),
      ...toolsFor(who).map(({ entry }) => offeredTool(entry.tool)),
    ],
    call: (name, args, ctx) =>
      runtimeOffer<Principal>({
        runtime: runnerFor(parts, ctx.who, tools),
        agents: agentsFor(ctx.who).map(offered),
        tools: toolsFor(ctx.who).map(({ entry }) => entry.tool as ToolRef),
        startedBy: ({ subject, tenant }) => ({ subject, tenant }),
      }).call(name, args, ctx),
  };
}

function offered({ name, description, inputs, budget }: ServedAgent): McpAgent {
  return {
    name,
    description: description === '' ? `The agent ${name}.` : description,
    budget,
    ...(inputs === undefined ? {} : { inputSchema: inputs }),
  };
}

/** Starts runs through the one door, whoever asks by whatever protocol. */
function runnerFor(parts: Parts, principal: Principal, tools: () => readonly FoundTool[]): McpRunner {
  const request = { principal, once: undefined };
  const started = async (name: string, input: unknown): Promise<RunHandle> => {
    if (name === TOOL_CALL) {
      const { tool } = input as { readonly tool: string };
      const group = tools().find(({ entry }) => entry.tool.name === tool)?.group ?? 0;
      return startNamed(parts, request, { name: toolRunName(group), input, budget: ONE_CALL });
    }
    const agent = parts.directory.get(name);
    if (agent === undefined) throw new Problem(404, 'AGENT_UNKNOWN', 'There is no such agent.');
    return startRun(parts, request, { agent, input });
  };
  return {
    start: async (name, input) => {
      const handle = await started(name, input);
      return { id: handle.id, outcome: async () => withoutPrivate(parts, handle.id, await handle.outcome()) };
    },
    cancel: (runId, options) => parts.fleet.cancel(runId, options),
    subscribe: (listener) => parts.fleet.subscribe(listener),
  };
}

/** What a run asks of others is told, unless it is private. Its end is for whoever called it. */
async function withoutPrivate(parts: Parts, runId: string, outcome: Outcome<unknown>): Promise<Outcome<unknown>> {
  if (outcome.stop !== 'suspended') return outcome;
  const { privacy, position } = await parts.feed.fold(runId);
  if (privacy.isEmpty) return outcome;
  const waiting = outcome.waiting.map(({ request, ...wait }) =>
    privacy.hidesEffect(position?.generation ?? 0, wait.effect) ? wait : { ...wait, request },
  );
  return { ...outcome, waiting };
}
