/** Deep enough for `error.message`; below that the text as it stands is what a reader wants. */
const MAX_DEPTH = 2;

/**
 * The part of YAML that test runners put under a test point: scalars, quoted strings, block scalars, and maps, whose
 * text is kept. `error:` with `message:` below it is found under `error.message`.
 */
export function readDiagnostic(lines: readonly string[], depth = 0): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (let at = 0; at < lines.length; ) {
    const [, key, value = ''] = /^([A-Za-z_][\w-]{0,100}):(?: (.*))?$/.exec(lines[at] ?? '') ?? [];
    at++;
    if (key === undefined) continue;
    const read = valueAt(lines, at, value.trim());
    at = read.next;
    set(fields, key, read.text);
    if (read.nested !== undefined && depth < MAX_DEPTH)
      for (const [inner, text] of Object.entries(readDiagnostic(read.nested, depth + 1)))
        set(fields, `${key}.${inner}`, text);
  }
  return fields;
}

/** A key such as `__proto__` is data here. */
function set(fields: Record<string, string>, key: string, value: string): void {
  Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
}

interface ReadValue {
  readonly text: string;
  readonly next: number;
  readonly nested?: readonly string[];
}

function valueAt(lines: readonly string[], next: number, value: string): ReadValue {
  const [first = ''] = value;
  if (first === '|' || first === '>') {
    const body = indented(lines, next);
    return { text: dedented(body).join('\n').trimEnd(), next: next + body.length };
  }
  if (value === '') {
    const body = indented(lines, next);
    const nested = dedented(body);
    return { text: nested.join('\n').trimEnd(), next: next + body.length, nested };
  }
  return first === '"' || first === "'" || first === '`' ? quoted(lines, next, value) : { text: value, next };
}

/** The lines that belong to the key above them. */
function indented(lines: readonly string[], from: number): readonly string[] {
  let end = from;
  while (end < lines.length && (/^\s/.test(lines[end] ?? '') || lines[end] === '')) end++;
  return lines.slice(from, end);
}

function dedented(lines: readonly string[]): readonly string[] {
  const margin = lines.reduce(
    (least, line) => (line.trim() === '' ? least : Math.min(least, line.length - line.trimStart().length)),
    Number.POSITIVE_INFINITY,
  );
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(margin)));
}

/** Goes over line ends: values of several lines are quoted as they are. */
function quoted(lines: readonly string[], next: number, value: string): ReadValue {
  const quote = value.charAt(0);
  const parts: string[] = [];
  let line = value.slice(1);
  for (let at = next; ; at++) {
    const end = closing(line, quote);
    if (end >= 0) return { text: unquoted([...parts, line.slice(0, end)].join('\n'), quote), next: at };
    parts.push(line);
    if (at >= lines.length) return { text: value.slice(1), next }; // never closed: only its own line is believed
    line = lines[at] ?? '';
  }
}

function closing(line: string, quote: string): number {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === quote) {
      if (quote === "'" && line[at + 1] === "'") at++;
      else return at;
    }
  }
  return -1;
}

/** node:test writes JavaScript literals where YAML would double the quote, so both are understood. */
function unquoted(text: string, quote: string): string {
  if (quote !== '"') return text.replaceAll("''", "'").replace(/\\(['"`\\])/g, '$1');
  return text.replace(/\\(n|t|r|"|\\|\/)/g, (_all, letter: string) => ESCAPES[letter] ?? letter);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
