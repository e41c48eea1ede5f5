import type { ModelRequest, ToolSpec } from './model.js';
import { messagesOf, type Prompt } from './prompt.js';
import { jsonSchemaOf, type StandardSchema } from './schema.js';
import type { Session } from './session.js';
import type { ToolRef } from './tool.js';

/** Long enough for an answer, a plan or a file; a session that needs more says so in `sampling.maxOutputTokens`. */
export const DEFAULT_OUTPUT_TOKENS = 8_192;

/** The most a session lets its model write in one call, as long as its budget has room for it. */
export function outputLimitOf({ sampling, model }: Pick<Session<unknown>, 'sampling' | 'model'>): number {
  return sampling?.maxOutputTokens ?? Math.min(model.capabilities.maxOutputTokens, DEFAULT_OUTPUT_TOKENS);
}

/** What is sent to the model for a session and a prompt: the one place that makes it, so that counts and calls agree. */
export function requestOf(session: Session<unknown>, prompt: Prompt, tools: readonly ToolRef[]): ModelRequest {
  const output =
    session.outputJsonSchema ??
    (session.output === undefined ? undefined : jsonSchemaOf(session.output as StandardSchema));
  return {
    session: session.name,
    model: session.model.id,
    messages: messagesOf(prompt),
    tools: tools.map(specOf),
    toolChoice: session.toolChoice ?? 'auto',
    ...(output === undefined ? {} : { output }),
    sampling: { ...session.sampling, maxOutputTokens: outputLimitOf(session) },
  };
}

/** How a model sees a tool. */
export function specOf(tool: ToolRef): ToolSpec {
  const known = specs.get(tool);
  if (known !== undefined) return known;
  const spec = { name: tool.name, description: tool.description, input: tool.inputJsonSchema ?? inputSchemaOf(tool) };
  specs.set(tool, spec);
  return spec;
}

/** Tools are immutable, so each is described once. */
const specs = new WeakMap<object, ToolSpec>();

function inputSchemaOf(tool: ToolRef): Record<string, unknown> {
  return (
    (tool.input === undefined ? undefined : jsonSchemaOf(tool.input as unknown as StandardSchema)) ?? { type: 'object' }
  );
}
