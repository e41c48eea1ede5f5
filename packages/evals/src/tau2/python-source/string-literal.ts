const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g;

/** What a string literal means. Undefined for bytes, and for those that are put together when the program runs. */
export function stringValue(literal: string): string | undefined {
  const prefix = (/^[a-zA-Z]*/.exec(literal)?.[0] ?? '').toLowerCase();
  if (/[bf]/.test(prefix)) return undefined;
  const quoted = literal.slice(prefix.length);
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const inside = quoted.slice(width, -width).replaceAll('\r\n', '\n');
  return prefix.includes('r') ? inside : inside.replace(ESCAPE, unescaped);
}

/** An escape that Python does not know stays as it is written. */
function unescaped(all: string, ...parts: readonly (string | undefined)[]): string {
  const [hex, short, long, octal, other = ''] = parts;
  const code = hex ?? short ?? long;
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
  return SIMPLE[other] ?? all;
}
