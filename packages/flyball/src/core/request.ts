import { FlyballError } from './errors.js';
import type { ModelRequest, ToolSpec } from './model.js';
import { append, linksOf, messagesOf, type Prompt } from './prompt.js';
import { jsonSchemaOf, type StandardSchema } from './schema.js';
import type { Input, Session } from './session.js';
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

const setups = new WeakMap<object, Prompt>();

/** Chains already put under a setup, by the chain they came from: a growing conversation is hashed once per link. */
const rebased = new WeakMap<Prompt, Map<string, Prompt>>();

/** The prompt as it is sent: a conversation under its setup, with what the session says last behind it. */
export function closed({ closing = [] }: Pick<Session<unknown>, 'closing'>, prompt: Prompt): Prompt {
  return closing.reduce<Prompt>((tip, part) => append(tip, { ...part, role: 'user', band: 'tail' }), prompt);
}

/**
 * A conversation as the session has it: its setup first, then the input. A chain that already stands on this setup is
 * used as it is; one that stands on another session's setup is moved onto this one.
 */
export function underSetup(session: Pick<Session<unknown>, 'name' | 'setup'>, input: Input): Prompt {
  if (typeof input !== 'string' && (typeof input !== 'object' || input === null))
    throw new FlyballError(
      'INPUT_INVALID',
      `${session.name} is asked with text, a list of parts or a prompt, not with ${input === null ? 'null' : typeof input}.`,
    );
  const setup = setupOf(session);
  if (!isPrompt(input)) return append(setup, { role: 'user', content: input });
  if (input.root === setup.id) return input;
  let tip = setup;
  for (const link of linksOf(input)) {
    if (link.segment.band === 'setup' && link.parent === undefined) continue;
    const known = rebased.get(link)?.get(setup.id);
    tip = known ?? append(tip, link.segment);
    if (known === undefined) remember(link, setup.id, tip);
  }
  return tip;
}

export function isPrompt(input: Input): input is Prompt {
  return typeof input !== 'string' && 'segment' in input;
}

/** Sessions are immutable, so each one's setup is hashed once. */
function setupOf(session: Pick<Session<unknown>, 'name' | 'setup'>): Prompt {
  const known = setups.get(session);
  if (known !== undefined) return known;
  const setup = append(undefined, { role: 'system', content: session.setup, owner: session.name, protect: true });
  setups.set(session, setup);
  return setup;
}

function remember(link: Prompt, setupId: string, moved: Prompt): void {
  const bySetup = rebased.get(link) ?? new Map<string, Prompt>();
  bySetup.set(setupId, moved);
  rebased.set(link, bySetup);
}
