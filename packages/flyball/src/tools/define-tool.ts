import { type About, useFrom } from '../core/about.js';
import type { JsonSchema } from '../core/schema.js';
import type { Tool } from '../core/tool.js';
import { described } from '../core/use.js';
import { requireSoundParts } from './definition-checks.js';
import { effectOf } from './effect-of-definition.js';
import { inputOf } from './input-schema.js';
import type { ArgsOf, DefinedTool, GivenOf, LooseDefinition, ToolDefinition, ToolInput } from './tool-definition.js';

const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** Tools that were made here: sound, frozen, and plain data but for their methods. */
const made = new WeakSet<object>();

/**
 * Makes a typed function a model may call. Throws if the definition is invalid: for example a name that providers reject,
 * or a missing compensation.
 *
 * Model calls: none. Not for a call that code has decided on already: `directCall` needs no model.
 *
 * @pattern I2
 */
export function tool<T, const S extends ToolInput = Readonly<Record<string, never>>>(
  definition: ToolDefinition<S, T>,
): DefinedTool<ArgsOf<S>, T, GivenOf<S>> {
  return toolFrom(definition) as DefinedTool<ArgsOf<S>, T, GivenOf<S>>;
}

/** Like `tool`, for a definition without types, such as a module's export or a YAML entry. */
export function toolFrom(
  given: unknown,
  inputWhereNone: JsonSchema = NO_ARGUMENTS,
  as: Pick<About, 'id' | 'name' | 'provides'> = { id: 'I2', name: 'tool' },
): DefinedTool {
  const definition = (given ?? {}) as LooseDefinition;
  if (made.has(definition)) return definition as DefinedTool;
  const name = requireSoundParts(definition);
  const use = useFrom({ ...as, params: { tool: name }, parts: {}, calls: 0 });
  const parts = {
    name,
    description: definition.description,
    effect: effectOf(name, definition),
    ...inputOf(name, definition, inputWhereNone),
    ...stated(definition, 'legs', 'polls', 'scopes', 'timeoutMs', 'retry', 'hash', 'approval', 'tags', 'surface'),
    ...bound(definition, 'reserve', 'touches', 'asks', 'delegates', 'transfers', 'review', 'present', 'execute'),
  } as unknown as DefinedTool;
  const ready = Object.freeze(described(parts, use));
  made.add(ready);
  return ready;
}

function stated(definition: LooseDefinition, ...keys: readonly (keyof LooseDefinition)[]): object {
  return Object.fromEntries(keys.filter((key) => definition[key] !== undefined).map((key) => [key, definition[key]]));
}

/** Bound, because a definition may be an instance of a class. */
function bound<K extends 'reserve' | 'touches' | 'asks' | 'delegates' | 'transfers' | 'review' | 'present' | 'execute'>(
  definition: LooseDefinition,
  ...keys: readonly K[]
): Partial<Pick<Tool, K>> {
  const methods = keys.map((key) => [key, definition[key]?.bind(definition)] as const);
  return Object.fromEntries(methods.filter(([, method]) => method !== undefined)) as Partial<Pick<Tool, K>>;
}
