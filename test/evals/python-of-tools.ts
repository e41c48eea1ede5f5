import { dumpJson } from '../../packages/evals/src/tau2/python/json.js';
import { repr } from '../../packages/evals/src/tau2/python/text.js';
import type { PyDict, PyValue } from '../../packages/evals/src/tau2/python/value.js';

/**
 * Python files that have the tools which a `tools.json` describes: what the reader of the fetched sources must make the
 * same file of. Everything about them is in the data; nothing is known here.
 */
export function pythonOfTools(tools: PyDict): ReadonlyMap<string, string> {
  const kits = [...dict(tools.get('agent_toolkits'))].map(([name, kit]) => [name, dict(kit)] as const);
  const [plain] = kits;
  const base = plain?.[1] ?? new Map();
  const own = classOf('KnowledgeTools(ToolKitBase)', [
    ...offered(base),
    ...hidden(dict(tools.get('agent_discoverable'))),
  ]);
  const user = classOf('KnowledgeUserTools(ToolKitBase)', [
    ...hidden(dict(tools.get('user_discoverable'))),
    ...offered(dict(tools.get('user_tools'))),
  ]);
  const mixins = new Map<string, string>();
  const heirs = kits.map(([name, kit]) => {
    const extra = (kit.get('tool_order') as string[]).filter(
      (tool) => !(base.get('tool_order') as string[]).includes(tool),
    );
    for (const tool of extra) mixins.set(tool, classOf(`Has_${tool}(metaclass=ToolKitType)`, offered(kit, [tool])));
    return classOf(`${name}(${[...extra.map((tool) => `Has_${tool}`), 'KnowledgeTools'].join(', ')})`, []);
  });
  return new Map([
    ['tools.py', `"""Tools."""\nimport json\n\nReasons = ${reasons(base)}\n\n\n${own}\n\n${user}`],
    ['retrieval_mixins.py', [...mixins.values()].join('\n\n')],
    ['retrieval_toolkits.py', heirs.join('\n\n')],
  ]);
}

/** The same for a domain whose file lists only the schemas. */
export function pythonOfSchemas(tools: PyDict): ReadonlyMap<string, string> {
  const side = (name: string, field: string): string =>
    classOf(
      `${name}(ToolKitBase)`,
      (tools.get(field) as PyValue[]).map((schema) => method(dict(schema), 'WRITE')),
    );
  return new Map([
    ['tools.py', side('MockTools', 'assistant')],
    ['user_tools.py', side('MockUserTools', 'user')],
  ]);
}

function classOf(head: string, methods: readonly string[]): string {
  const body = methods.length === 0 ? ['    pass  # inherits everything\n'] : methods;
  return [`class ${head}:`, '    """A toolkit.\n\n    Args:\n        nothing: here\n    """\n', ...body].join('\n');
}

function offered(kit: PyDict, only?: readonly string[]): readonly string[] {
  const types = dict(kit.get('tool_types'));
  const mutates = dict(kit.get('mutates_state'));
  return (kit.get('schemas') as PyValue[]).flatMap((value) => {
    const name = String(dict(dict(value).get('function')).get('name'));
    if (only !== undefined && !only.includes(name)) return [];
    const type = String(types.get(name)).toUpperCase();
    const isTold = (type === 'WRITE') !== mutates.get(name);
    return [method(dict(value), isTold ? `${type}, mutates_state=${repr(mutates.get(name) ?? null)}` : type)];
  });
}

const TYPES: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };

function method(schema: PyDict, type: string): string {
  const made = dict(schema.get('function'));
  const properties = [...dict(dict(made.get('parameters')).get('properties'))];
  const parameters = properties.map(([name, value]) => {
    const property = dict(value);
    const choices = property.get('enum') as string[] | undefined;
    const literal = choices === undefined ? undefined : `Literal[${choices.map((one) => dumpJson(one)).join(', ')}]`;
    const kind = name === 'reason' ? 'Reasons' : (literal ?? TYPES[String(property.get('type'))]);
    return `${name}: ${kind}${property.has('default') ? ` = ${repr(property.get('default') ?? null)}` : ''}`;
  });
  const listed = properties.map(([name, value]) => `${name}: ${String(dict(value).get('description'))}`);
  const sections = [...section('Args', listed), ...section('Returns', ['Some text: it is not in the schema'])];
  return definition(`@is_tool(ToolType.${type})`, made, parameters, [String(made.get('description')), ...sections]);
}

function hidden(tools: PyDict): readonly string[] {
  return [...tools.values()].map((value) => {
    const tool = dict(value);
    const info = dict(tool.get('info'));
    const parameters = (tool.get('signature') as PyValue[]).map((one) => {
      const { name, annotation, default: standard } = Object.fromEntries(dict(one)) as Record<string, PyValue>;
      const type = annotation === 'Optional' ? 'Optional[float]' : String(annotation);
      return `${String(name)}: ${type}${standard === '<required>' ? '' : ` = ${repr(standard ?? null)}`}`;
    });
    const listed = [...dict(info.get('parameters'))].map(([name, parameter]) => {
      const { type, required, description } = Object.fromEntries(dict(parameter)) as Record<string, PyValue>;
      return `${name} (${String(type)}${required === true ? '' : ', optional'}): ${String(description)}`;
    });
    const told = listed.length === 0 ? [] : section('Returns', [String(info.get('success_message')), 'And more.']);
    const type = String(tool.get('tool_type')).toUpperCase();
    const doc = [String(info.get('description')), ...section('Args', listed), ...told];
    return definition(`@is_discoverable_tool(ToolType.${type})`, info, parameters, doc);
  });
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0
    ? []
    : [`${title}:\n${lines.map((line) => `    ${line.replaceAll('\n', '\n            ')}`).join('\n')}`];
}

function definition(mark: string, made: PyDict, parameters: readonly string[], doc: readonly string[]): string {
  const text = doc
    .join('\n\n')
    .replaceAll('\\', '\\\\')
    .replaceAll(/^(?=.)/gm, '        ')
    .trimStart();
  return [
    `    ${mark}`,
    `    def ${String(made.get('name'))}(`,
    ...['self', ...parameters].map((parameter) => `        ${parameter},  # given`),
    '    ) -> str:',
    `        """${text}\n        """`,
    "        # a comment with an apostrophe: don't read (this",
    '        return f"{json.dumps({\'a\': 1})} [" + "]"',
    '',
  ].join('\n');
}

function reasons(base: PyDict): string {
  for (const schema of (base.get('schemas') ?? []) as PyValue[]) {
    const properties = dict(dict(dict(dict(schema).get('function')).get('parameters')).get('properties'));
    const reason = properties.get('reason');
    if (reason instanceof Map)
      return `Literal[\n${(reason.get('enum') as string[]).map((one) => `    ${dumpJson(one)},  # why\n`).join('')}]`;
  }
  return 'str';
}

function dict(value: PyValue | undefined): PyDict {
  if (value instanceof Map) return value;
  throw new Error(`not an object: ${String(value)}`);
}
