import type { Outcome, ToolResult } from 'flyball';
import { budget } from 'flyball';
import { effectKind, type ToolEntry } from 'flyball/internal';
import type { Principal } from '../access/principal.js';
import { startNamed } from '../agents/admission.js';
import { toolRunName } from '../agents/run-agents.js';
import { exampleFor } from '../contract/example-for.js';
import { type Route, route } from '../contract/route.js';
import { s, type TypeOf } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';
import { becauseOf, failureWords } from './failure-words.js';
import { untilRest } from './until-rest.js';

const toolSchema = s.named(
  'Tool',
  s.object({
    name: s.string(),
    description: s.string(),
    class: s.enumOf(['pure', 'idempotent', 'undoable', 'irreversible'], {
      description: 'The effect class: whether it can be repeated or undone.',
    }),
    tags: s.list(s.string()),
    agents: s.list(s.string(), { description: 'Agents that use it.' }),
    inputSchema: s.optional(s.any()),
  }),
);

const executedSchema = s.named(
  'ToolResult',
  s.object({
    ok: s.boolean(),
    runId: s.string(),
    value: s.optional(s.any()),
    text: s.optional(s.string()),
    code: s.optional(s.string()),
    because: s.optional(s.string({ description: 'Why there is no result.' })),
    status: s.optional(s.string({ description: 'Present while the call waits for somebody.' })),
  }),
);

const params = s.object({ name: s.string({ maxLength: 200 }) });
/** One call and what a person may be asked about it. */
export const ONE_CALL = budget({ modelCalls: 0, toolCalls: 2, iterations: 1, costUsd: 1 });

export function toolRoutes(parts: Parts): readonly Route[] {
  const found = toolsOf(parts);
  const first = found()[0];
  const plain = found().find(({ entry }) => effectKind(entry.tool) === 'pure');
  return [
    route({
      id: 'listTools',
      method: 'get',
      path: '/v1/tools',
      tag: 'tools',
      summary: 'List the tools of all agents',
      scope: 'agents:read',
      answers: { 200: { about: 'The tools', schema: s.object({ tools: s.list(toolSchema) }) } },
      examples: [{ title: 'All tools', status: 200 }],
      handle: () => ({ status: 200, body: { tools: found().map((tool) => shown(parts, tool)) } }),
    }),
    route({
      id: 'describeTool',
      method: 'get',
      path: '/v1/tools/{name}',
      tag: 'tools',
      summary: 'Describe a tool',
      scope: 'agents:read',
      params,
      answers: { 200: { about: 'The tool', schema: toolSchema } },
      examples: [
        ...(first === undefined ? [] : [{ title: 'One tool', params: { name: first.entry.tool.name }, status: 200 }]),
        { title: 'An unknown tool', params: { name: 'nothing' }, status: 404 },
      ],
      handle: ({ params: { name } }) => ({ status: 200, body: shown(parts, toolNamed(found(), name)) }),
    }),
    route({
      id: 'executeTool',
      method: 'post',
      path: '/v1/tools/{name}/execute',
      tag: 'tools',
      summary: 'Call a tool directly',
      about:
        'Starts a run with a single call, governed and journaled like any other. A call that needs approval waits in the inbox.',
      scope: 'tools:execute',
      params,
      body: s.object({ args: s.any({ description: 'Must match the input schema of the tool.' }) }),
      answers: {
        200: { about: 'The result; `ok` is false if the call was refused or failed', schema: executedSchema },
        202: { about: 'It waits for somebody, or takes longer than the server timeout', schema: executedSchema },
      },
      examples: [
        ...(plain === undefined
          ? []
          : [
              {
                title: 'A call',
                params: { name: plain.entry.tool.name },
                body: { args: exampleFor(plain.entry.tool.inputJsonSchema) },
                status: 200,
              },
            ]),
        { title: 'An unknown tool', params: { name: 'nothing' }, body: { args: {} }, status: 404 },
      ],
      handle: async (request) => {
        const { entry, group } = toolNamed(found(), request.params.name);
        const handle = await startNamed(parts, request, {
          name: toolRunName(group),
          input: { tool: entry.tool.name, args: request.body.args ?? {} },
          budget: ONE_CALL,
        });
        const within = { clock: parts.clock, ms: parts.settings.requestTimeoutMs, signal: request.signal };
        const outcome = await untilRest(handle, within);
        return executed(request.principal, handle.id, outcome);
      },
    }),
  ];
}

export interface FoundTool {
  readonly entry: ToolEntry;
  /** Index of its group: who executes it. */
  readonly group: number;
}

/** A tool that several groups have is the first one's: they are told apart by whoever starts an agent, not here. */
export function toolsOf({ directory }: Parts): () => readonly FoundTool[] {
  return () => {
    const seen = new Map<string, FoundTool>();
    directory.groups.forEach(({ tools }, group) => {
      for (const entry of tools?.entries() ?? [])
        if (!seen.has(entry.tool.name)) seen.set(entry.tool.name, { entry, group });
    });
    return [...seen.values()];
  };
}

function toolNamed(tools: readonly FoundTool[], name: string): FoundTool {
  const found = tools.find(({ entry }) => entry.tool.name === name);
  if (found === undefined) throw notFound('tool', name);
  return found;
}

function shown({ directory }: Parts, { entry: { tool, tags } }: FoundTool): unknown {
  const agents = directory.list().filter(({ tools }) => (tools ?? []).includes(tool.name));
  return {
    name: tool.name,
    description: tool.description,
    class: effectKind(tool),
    tags,
    agents: agents.map(({ name }) => name),
    ...(tool.inputJsonSchema === undefined ? {} : { inputSchema: tool.inputJsonSchema }),
  };
}

function executed(
  principal: Principal,
  runId: string,
  outcome: Outcome<unknown> | undefined,
): { readonly status: number; readonly body: TypeOf<typeof executedSchema> } {
  if (outcome === undefined || outcome.stop === 'suspended')
    return { status: 202, body: { ok: false, runId, status: outcome?.stop ?? 'running' } };
  if (outcome.stop !== 'done') {
    const { stop } = outcome;
    const { because } = failureWords(principal, { stop, because: becauseOf(outcome) });
    return { status: 200, body: { ok: false, runId, code: stop.toUpperCase(), because: because ?? `it was ${stop}` } };
  }
  const result = outcome.value as ToolResult<unknown>;
  if (!result.ok) {
    const { code, message } = result.failure;
    return { status: 200, body: { ok: false, runId, code, because: message, text: result.content } };
  }
  return { status: 200, body: { ok: true, runId, value: result.value, text: result.content } };
}
