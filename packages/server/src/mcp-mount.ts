import type { ToolRef } from 'flyball';
import { fitJson } from './access/body-reader.js';
import { holds, type Principal } from './access/principal.js';
import { startNamed, startRun } from './agents/admission.js';
import { toolRunName } from './agents/run-agents.js';
import type { ServedAgent } from './agents/served-agent.js';
import type { Mount } from './app.js';
import { StreamSlots } from './feed/stream-slots.js';
import type { Gate } from './gate.js';
import { type McpHttpEndpoint, mcpHttpEndpoint } from './mcp/http.js';
import type { McpOffer } from './mcp/offer.js';
import { type McpAgent, offeredAgent, offeredTool } from './mcp/offered.js';
import { type McpRunner, runtimeOffer } from './mcp/runtime-offer.js';
import { TOOL_CALL } from './mcp/tool-call-agent.js';
import type { Parts } from './parts.js';
import { Problem } from './problem.js';
import { type FoundTool, ONE_CALL, toolsOf } from './routes/tools.js';
import { inertAnswer } from './wire-json.js';

/** Agents and tools for MCP clients, over streamable HTTP and under the same credentials, bounds and limits as all else. */
export function mcpMount(parts: Parts, gate: Gate): Mount {
  const slots = new StreamSlots(parts.settings.maxStreams); // a call may take minutes: nobody takes the room of all
  let endpoint: Promise<McpHttpEndpoint<Principal>> | undefined;
  const opened = (): Promise<McpHttpEndpoint<Principal>> => {
    endpoint ??= mcpHttpEndpoint(offerOf(parts), {
      name: 'flyball',
      version: parts.settings.version,
      maxBodyBytes: parts.settings.maxBodyBytes,
      onProblem: (error, doing) => parts.log.error(doing, error),
    });
    endpoint.catch(() => {
      endpoint = undefined; // the package may be installed meanwhile
    });
    return endpoint;
  };
  parts.phases.ending.addEventListener(
    'abort',
    () => void endpoint?.then((open) => open.close()).catch(() => undefined),
    {
      once: true,
    },
  );
  return {
    name: 'mcp',
    path: '/mcp',
    methods: ['GET', 'POST', 'DELETE'],
    handle: async ({ request, remote, onClosed }, { headers }) => {
      const principal = await gate.who(request.headers, remote);
      const within = (count: number): void => {
        for (const [name, value] of Object.entries(gate.within(principal, count))) headers.set(name, value);
      };
      const takeSlots = (count: number): void => {
        const held: (() => void)[] = [];
        try {
          for (let n = 0; n < count; n++) held.push(slots.take(JSON.stringify([principal.tenant, principal.id])));
        } finally {
          onClosed(() => held.forEach((giveBack) => giveBack())); // after they are taken: it may be closed by now
        }
      };
      within(1);
      if (!mayUse(principal)) throw forbidden();
      takeSlots(1);
      const open = await opened().catch((cause: unknown) => Promise.reject(notInstalled(cause)));
      if (request.method !== 'POST') return inertAnswer(await open.handle(request, principal));
      const { raw } = await gate.body(request, 'raw');
      const json = fitJson(raw); // the protocol answers the rest by its own rules
      const more = Array.isArray(json) ? json.length - 1 : 0; // those of a batch are as many requests
      if (more > 0) within(more);
      if (more > 0) takeSlots(more);
      const body = raw.byteLength === 0 ? {} : { body: new Uint8Array(raw) };
      return inertAnswer(
        await open.handle(
          new Request(request.url, { method: 'POST', headers: request.headers, signal: request.signal, ...body }),
          principal,
        ),
      );
    },
  };
}

function mayUse({ scopes }: Principal): boolean {
  return holds(scopes, 'agents:invoke') || holds(scopes, 'tools:execute');
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
  return {
    start: async (name, input) => {
      if (name === TOOL_CALL) {
        const { tool } = input as { readonly tool: string };
        const group = tools().find(({ entry }) => entry.tool.name === tool)?.group ?? 0;
        return startNamed(parts, request, { name: toolRunName(group), input, budget: ONE_CALL });
      }
      const agent = parts.directory.get(name);
      if (agent === undefined) throw new Problem(404, 'AGENT_UNKNOWN', 'There is no such agent.');
      return startRun(parts, request, { agent, input });
    },
    cancel: (runId, options) => parts.fleet.cancel(runId, options),
    subscribe: (listener) => parts.fleet.subscribe(listener),
  };
}
