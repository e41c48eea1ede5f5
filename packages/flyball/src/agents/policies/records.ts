export type FieldRecord = Readonly<Record<string, string>>;

const HEAD = /^Found (\d+) record\(s\)/;
const FIRST = /^\d+\. Record ID: /;
const FIELD = /^ {3}(\w+): (.*)$/;
/** A result is outside text: deeper than any record, wider than any listing, it is not looked at. */
const DEEPEST = 6;
const MOST = 1000;

/**
 * Records in the result of a lookup: objects of JSON, or a numbered listing of fields. A listing that holds more records
 * than it says, or a field twice, has a value with line breaks in it: somebody may have written a record into a field of
 * their own, so nothing of it is believed.
 */
export function recordsIn(content: string): readonly FieldRecord[] {
  const parsed = jsonIn(content);
  return parsed === undefined ? listed(content) : objectsIn(parsed, 0);
}

/**
 * The records of one table in an answer that may list several, and hold other lines. An answer that names the table
 * more than once, or lists fewer records than it says, has a value that brought lines along: nothing of it is believed.
 */
export function recordsOf(content: string, table: string): readonly FieldRecord[] {
  const quoted = `'${table}'`;
  if (content.split(quoted).length !== 2) return [];
  const lines = content.split('\n');
  const head = lines.findIndex((line) => HEAD.test(line) && line.endsWith(` in ${quoted}:`));
  if (head < 0) return [];
  const isPart = (line: string): boolean => line.trim() === '' || FIRST.test(line) || FIELD.test(line);
  const end = lines.findIndex((line, at) => at > head && !isPart(line));
  return listed(lines.slice(head, end < 0 ? undefined : end).join('\n'));
}

function jsonIn(content: string): unknown {
  if (!/^\s*[[{]/.test(content)) return undefined;
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

function objectsIn(value: unknown, depth: number): readonly FieldRecord[] {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.slice(0, MOST).flatMap((one) => objectsIn(one, depth + 1));
  const entries = Object.entries(value);
  const own = entries.filter(([, field]) => typeof field === 'string' || typeof field === 'number');
  const nested = entries.slice(0, MOST).flatMap(([, field]) => objectsIn(field, depth + 1));
  return [Object.fromEntries(own.map(([name, field]) => [name, String(field)])), ...nested];
}

function listed(content: string): readonly FieldRecord[] {
  const lines = content.split('\n');
  const said = Number(HEAD.exec(lines[0] ?? '')?.[1] ?? Number.NaN);
  const records: Map<string, string>[] = [];
  for (const line of lines.slice(1)) {
    if (FIRST.test(line)) records.push(new Map());
    const [, name, value] = FIELD.exec(line) ?? [];
    const record = records.at(-1);
    if (name === undefined || value === undefined || record === undefined) continue;
    if (record.has(name)) return [];
    record.set(name, value);
  }
  return records.length === said ? records.map((record) => Object.fromEntries(record)) : [];
}
