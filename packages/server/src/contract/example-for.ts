import type { JsonSchema } from 'flyball';

/** Something small that fits the schema: for examples in the document and forms. */
export function exampleFor(schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return {};
  const {
    default: preset,
    examples,
    enum: values,
    const: fixed,
  } = schema as {
    readonly default?: unknown;
    readonly examples?: readonly unknown[];
    readonly enum?: readonly unknown[];
    readonly const?: unknown;
  };
  const given = preset ?? fixed ?? examples?.[0] ?? values?.[0];
  return given ?? byType(schema);
}

function byType(schema: JsonSchema): unknown {
  switch (schema['type']) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return (schema['minimum'] as number | undefined) ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
      const required = (schema['required'] ?? []) as readonly string[];
      return Object.fromEntries(required.map((name) => [name, exampleFor(properties[name])]));
    }
    default:
      return 'text';
  }
}
