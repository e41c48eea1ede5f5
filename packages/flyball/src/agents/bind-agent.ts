import { ConfigError, FlyballError } from '../core/errors.js';
import type { Model } from '../core/model.js';
import { nearestNames } from '../tools/nearest-names.js';
import type { ToolRegistry } from '../tools/registry.js';
import { type Toolset, toolset } from '../tools/toolset.js';
import type { AgentSpec, Fields } from './agent-spec.js';
import { type AgentFittings, type DefinedAgent, defineAgent } from './define-agent.js';

/** What the names in a definition stand for. */
export interface Bindings<O = unknown> extends AgentFittings<O> {
  /** The model of a `provider/model` name or a role; throws, or answers nothing, where there is none. */
  readonly model: (name: string) => Model | undefined;
  /** Names of the models there are, for the message about one that is not. */
  readonly modelNames?: readonly string[];
  readonly tools?: ToolRegistry | Toolset;
  /** For an agent that names no model. */
  readonly defaultModel?: string;
}

/** Creates an agent from a definition that refers to models and tools by name. Throws if a name does not exist. */
export function bindAgent<O = Readonly<Record<string, unknown>>>(
  spec: AgentSpec,
  bindings: Bindings<O>,
): DefinedAgent<unknown, O> {
  const { model: _resolve, modelNames: _names, tools: source, defaultModel: _default, ...fittings } = bindings;
  return defineAgent<Fields, Fields, O>({
    ...spec,
    ...fittings,
    model: boundModel(spec, bindings as Bindings),
    tools: boundTools(spec, source),
  });
}

function boundModel(spec: AgentSpec, { model: resolve, modelNames = [], defaultModel }: Bindings): Model {
  const name = spec.model ?? defaultModel;
  if (name === undefined)
    throw new ConfigError(`Agent "${spec.name}" names no model. Add "model: provider/model" to its definition.`);
  const model = resolved(spec, name, resolve);
  if (model !== undefined) return model;
  throw new ConfigError(`Agent "${spec.name}": there is no model "${name}". ${hint(name, modelNames)}`);
}

function resolved(spec: AgentSpec, name: string, resolve: Bindings['model']): Model | undefined {
  try {
    return resolve(name);
  } catch (error) {
    if (!(error instanceof FlyballError)) throw error;
    throw new FlyballError(error.code, `Agent "${spec.name}", model "${name}": ${error.message}`, { cause: error });
  }
}

function boundTools(spec: AgentSpec, source: Bindings['tools'] = toolset([])): Toolset {
  const known = typeof source.names === 'function' ? source.names() : source.names;
  const tools = (spec.tools ?? []).map((name) => {
    const tool = source.get(name);
    if (tool === undefined)
      throw new ConfigError(`Agent "${spec.name}": there is no tool "${name}". ${hint(name, known)}`);
    return tool;
  });
  return toolset(tools);
}

function hint(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Known names: ${known.join(', ') || 'none'}.`;
}
