import { RecordFields } from '../../tau2/python/record-fields.js';
import type { Parameter } from '../../tau2/python/signature.js';
import type { PyValue } from '../../tau2/python/value.js';
import type { ToolSchema, ToolType } from '../../world/environment.js';
import { readParameters, readToolSchema } from '../../world/tool-schema.js';

/** What the data say about one tool. */
export interface ToolSpec {
  readonly name: string;
  readonly type: ToolType;
  readonly mutates: boolean;
  readonly parameters: readonly Parameter[];
  readonly description: string;
  /** Name, description and parameters as the agent gets to read them on unlocking; empty for tools it need not unlock. */
  readonly formatted: string;
  /** The result as it is described beforehand. */
  readonly announced: string;
}

/** Tools in the order in which a model is shown them. */
export interface ToolList {
  readonly schemas: readonly ToolSchema[];
  readonly specs: readonly ToolSpec[];
}

/** The whole of `tools.json`. */
export interface ToolData {
  /** By the name of the retrieval toolkit whose tools stand first. */
  readonly agent: ReadonlyMap<string, ToolList>;
  readonly user: ToolList;
  readonly agentDiscoverable: readonly ToolSpec[];
  readonly userDiscoverable: readonly ToolSpec[];
}

const TYPES: readonly ToolType[] = ['read', 'write', 'think', 'generic'];

export function readToolData(content: PyValue, place: string): ToolData {
  const root = new RecordFields(content, place);
  const toolkits = root.fields('agent_toolkits');
  return {
    agent: new Map([...toolkits.dict.keys()].map((name) => [name, toolList(toolkits.fields(name))])),
    user: toolList(root.fields('user_tools')),
    agentDiscoverable: discoverable(root.fields('agent_discoverable')),
    userDiscoverable: discoverable(root.fields('user_discoverable')),
  };
}

function toolList(list: RecordFields): ToolList {
  return {
    schemas: list.each('schemas', readToolSchema),
    specs: list.each('schemas', (value, path) => offered(value, path, list)),
  };
}

/** A tool that models are shown: its parameters are those of its schema. */
function offered(value: PyValue, path: string, list: RecordFields): ToolSpec {
  const { name, description } = readToolSchema(value, path);
  return {
    name,
    type: list.fields('tool_types').oneOf(name, TYPES),
    mutates: list.fields('mutates_state').boolean(name),
    parameters: readParameters(value, path),
    description,
    formatted: '',
    announced: '',
  };
}

function discoverable(tools: RecordFields): readonly ToolSpec[] {
  return [...tools.dict.keys()].map((name) => {
    const tool = tools.fields(name);
    const info = tool.fields('info');
    return {
      name,
      type: tool.oneOf('tool_type', TYPES),
      mutates: tool.boolean('mutates_state'),
      parameters: tool.each('signature', parameter),
      description: info.text('description'),
      formatted: tool.textOrNull('formatted') ?? '',
      announced: announced(info),
    };
  });
}

function parameter(value: PyValue, path: string): Parameter {
  const one = new RecordFields(value, path);
  const standard = one.value('default');
  const name = one.text('name');
  return standard === '<required>' ? { name, required: true } : { name, required: false, default: standard };
}

/** A tool without parameters has its result at the end of its description: the reference reads no further section there. */
function announced(info: RecordFields): string {
  const [, returned] = info.text('description').split(/\n\s*Returns:\s*\n/);
  return (returned ?? info.text('success_message')).trim();
}
