/**
 * Notes are written by agents and read back from a journal, so nothing about their shape is certain. These read one
 * field each, and answer what is missing or of another type with nothing instead of with an error.
 */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

export function textsIn(fields: Fields, name: string): readonly string[] {
  return listIn(fields, name).filter((each) => typeof each === 'string');
}

/** `{ name: value }` where there is a value, else nothing: optional fields stay absent instead of being undefined. */
export function given<K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: V };
}
