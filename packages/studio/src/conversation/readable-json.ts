const WIDTH = 80;

/** JSON as a person would write it: what fits on a line stands on one. A text stays as it is. */
export function readableJson(value: unknown): string {
  return typeof value === 'string' ? value : written(value, 0);
}

function written(value: unknown, depth: number): string {
  const line = JSON.stringify(value, undefined, ' ')?.replaceAll(/\n\s*/g, ' ') ?? 'undefined';
  if (typeof value !== 'object' || value === null || line.length + depth * 2 <= WIDTH) return line;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const inner = '  '.repeat(depth + 1);
  const members = Array.isArray(value)
    ? value.map((each: unknown) => `${inner}${written(each, depth + 1)}`)
    : Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${written(each, depth + 1)}`);
  return `${open}\n${members.join(',\n')}\n${'  '.repeat(depth)}${close}`;
}
