interface Node {
  readonly formatMinimum?: unknown;
  readonly formatMaximum?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

/**
 * `formatMinimum` and `formatMaximum`, which ajv knows and the validator does not: the first and the last day of a
 * question about a date. Dates as JSON Schema writes them sort as text.
 */
export function outsideFormat(schema: object, value: unknown, place: string): string | undefined {
  const { formatMinimum, formatMaximum, properties = {}, items } = schema as Node;
  if (typeof value === 'string') {
    if (typeof formatMinimum === 'string' && value < formatMinimum)
      return `${place}: must be ${formatMinimum} or later`;
    if (typeof formatMaximum === 'string' && value > formatMaximum)
      return `${place}: must be ${formatMaximum} or earlier`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const parts: readonly (readonly [string, Node | undefined, unknown])[] = Array.isArray(value)
    ? value.map((one, index) => [String(index), items, one] as const)
    : Object.entries(value).map(
        ([name, one]) => [name, Object.hasOwn(properties, name) ? properties[name] : undefined, one] as const,
      );
  for (const [name, node, one] of parts) {
    const problem =
      typeof node === 'object' && node !== null ? outsideFormat(node, one, `${place}/${name}`) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
