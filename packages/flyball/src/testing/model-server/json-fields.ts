/** Values that arrived as JSON, read without believing their shape: what does not fit reads as absent. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Text in either of the two forms that vendors take: a string, or a list of parts that hold some. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(part['text']))
    .join('');
}

/** Any part, or the message itself, carries an Anthropic-style cache marker. */
export function isMarked(message: Fields): boolean {
  const parts = listOf(message['content']);
  return [message, ...parts].some((part) => part['cache_control'] !== undefined);
}

/** The argument text of a call whose arguments come as an object on this wire. */
export function argumentText(given: unknown): string {
  return typeof given === 'string' ? given : JSON.stringify(given ?? {});
}

/** For wires that carry arguments as an object; what is no JSON stays the text it is. */
export function argumentValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a scripted reply with broken arguments: the client gets something that is no object
  }
}

/** Leaves out what is undefined, so that a normalised request compares equal to one written by hand. */
export function present<T extends Fields>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
