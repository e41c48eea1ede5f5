/**
 * What was asked of a run, as one line for people: the text that went in, then what else was given. Undefined where
 * nothing went in.
 */
export function askedIn(input: unknown, most = LENGTH): string | undefined {
  const line = lineOf(input, most);
  return line === undefined || line === '' ? undefined : cut(line, most);
}

const LENGTH = 160;

function lineOf(input: unknown, most: number): string | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input === 'string') return oneLine(input, most);
  if (typeof input !== 'object') return String(input);
  if (Array.isArray(input)) return input.length === 0 ? undefined : listText(input, most);
  const fields = Object.entries(input).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const texts = fields.filter(([, value]) => typeof value === 'string');
  // the one text is what was asked, whatever its field is called
  const [sole] = texts.length === 1 ? texts : [];
  const others = fields.filter((field) => field !== sole).map(([name, value]) => `${name}: ${valueText(value, most)}`);
  return [...(sole === undefined ? [] : [oneLine(String(sole[1]), most)]), ...others].join(' · ');
}

/** Of a message in parts, its words. */
function listText(list: readonly unknown[], most: number): string {
  const isMessage = list.every((part) => partText(part) !== undefined);
  return isMessage ? oneLine(list.map((part) => partText(part)).join(' '), most) : valueText(list, most);
}

function partText(part: unknown): string | undefined {
  const { type, text, data, name } = Object(part) as Readonly<Record<string, unknown>>;
  if (type === 'text' && typeof text === 'string') return text;
  const isMedia = (type === 'image' || type === 'audio' || type === 'file') && typeof data === 'string';
  return isMedia ? `[${type}${typeof name === 'string' ? ` ${name}` : ''}]` : undefined;
}

function valueText(value: unknown, most: number): string {
  if (typeof value === 'string') return oneLine(value, most);
  return oneLine(partText(value) ?? JSON.stringify(value, (_key, part) => partText(part) ?? part) ?? '', most);
}

/** Cut before it is made one line: an input may be a megabyte. */
function oneLine(text: string, most: number): string {
  return text
    .slice(0, 4 * most)
    .trim()
    .replace(/\s+/g, ' ');
}

function cut(line: string, most: number): string {
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
