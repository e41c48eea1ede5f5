import type { Budget, JsonSchema, ToolRef } from 'flyball';
import { toolSpecOf } from 'flyball/internal';
import type { McpAnnotations, McpOfferedTool } from './offer.js';
import { type Present, RUN_ANSWER_SCHEMA } from './run-answer.js';

/** An agent that is offered as an MCP tool. */
export interface McpAgent {
  /** As the runtime knows it. */
  readonly name: string;
  readonly description: string;
  /** Of its input, which the arguments are then. Without one, the arguments are `{ input }` and anything may stand there. */
  readonly inputSchema?: JsonSchema;
  readonly budget?: Partial<Budget>;
  /** What of its value clients get. Its answer where absent, or all of it where it is no agent with a definition. */
  readonly present?: Present;
}

const ANY_INPUT: JsonSchema = {
  type: 'object',
  properties: { input: { description: 'What the agent is given; any JSON.' } },
  additionalProperties: false,
};

/** A tool as MCP clients see it. */
export function offeredTool(tool: ToolRef): McpOfferedTool {
  const { name, description, input } = toolSpecOf(tool);
  return { name, description, inputSchema: input, annotations: annotationsOf(tool) };
}

/** An agent as a tool: calling it starts a run. */
export function offeredAgent({ name, description, inputSchema = ANY_INPUT }: McpAgent): McpOfferedTool {
  return {
    name: agentToolName(name),
    title: name,
    description,
    inputSchema,
    outputSchema: RUN_ANSWER_SCHEMA,
    annotations: { readOnlyHint: false, openWorldHint: true },
  };
}

/** The name of the MCP tool for an agent. */
export function agentToolName(agent: string): string {
  return `agent__${agent.replace(/[^a-zA-Z0-9_-]/g, '_')}`.slice(0, 64);
}

/** What a client may know about repeating and undoing. */
function annotationsOf({ effect, legs }: ToolRef): McpAnnotations {
  const kind = typeof effect === 'string' ? effect : effect.class;
  const isOpen = legs?.some((leg) => leg === 'outbound' || leg === 'untrusted-content');
  const world = isOpen === undefined ? {} : { openWorldHint: isOpen };
  switch (kind) {
    case 'pure':
      return { readOnlyHint: true, ...world };
    case 'idempotent':
      return { readOnlyHint: false, idempotentHint: true, ...world };
    case 'undoable':
      return { readOnlyHint: false, destructiveHint: false, ...world };
    case 'irreversible':
      return { readOnlyHint: false, destructiveHint: true, ...world };
  }
}
