import { strip } from '../python/text.js';

/** What the docstring of a tool says, as its schema repeats it. */
export interface Docstring {
  readonly description: string;
  /** Its first line. */
  readonly summary: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A docstring without the indentation of the code around it: `inspect.cleandoc`. */
export function cleanDocstring(text: string): string {
  const [first = '', ...rest] = withoutTabs(text).split('\n');
  const margins = rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const margin = margins.length === 0 ? 0 : Math.min(...margins);
  const lines = [first.trimStart(), ...rest.map((line) => line.slice(margin))];
  while (lines.at(-1) === '') lines.pop();
  while (lines[0] === '') lines.shift();
  return lines.join('\n');
}

function withoutTabs(text: string): string {
  const spread = (line: string): string => {
    let out = '';
    for (const char of line) out += char === '\t' ? ' '.repeat(8 - (out.length % 8)) : char;
    return out;
  };
  return text.split('\n').map(spread).join('\n');
}

const SECTIONS = 'Arguments|Args|Parameters|Params|Raises|Exceptions|Except|Attributes|Example|Examples|Returns|Yields';
const PARAMETERS = /^(?:Arguments|Args|Parameters|Params)$/;

/** Reads the Google style: a first line, more text, then sections under a title with a colon. */
export function readDocstring(docstring: string): Docstring {
  const text = cleanDocstring(docstring);
  const titles = [...text.matchAll(new RegExp(`^(${SECTIONS}):[ \\t\\r\\f\\v]*$`, 'gm'))];
  const [summary = '', ...more] = text.slice(0, titles[0]?.index).split('\n');
  const long = strip(more.join('\n'));
  const parameters = new Map<string, string>();
  for (const [nth, title] of titles.entries()) {
    if (!PARAMETERS.test(title[1] ?? '')) continue;
    const section = text.slice(title.index + title[0].length, titles[nth + 1]?.index);
    for (const [name, description] of entriesIn(section)) parameters.set(name, description);
  }
  return { summary, description: long === '' ? summary : `${summary}\n\n${long}`, parameters };
}

/** `name: text` or `name (type): text`, each further in than its title; lines still further in belong to it. */
function entriesIn(section: string): readonly (readonly [string, string])[] {
  const body = section.replace(/^\n+|\n+$/g, '');
  const indent = /^\s*/.exec(body)?.[0] ?? '';
  return body.split(new RegExp(`^${indent}(?=\\S)`, 'm')).flatMap((entry) => {
    const colon = entry.indexOf(':');
    if (colon < 0) return [];
    const name = entry.slice(0, colon).replace(/\s*\([\s\S]*\)$/, '');
    return [[name, described(entry.slice(colon + 1))] as const];
  });
}

function described(text: string): string {
  const [first = '', ...rest] = text.replace(/^ /, '').split('\n');
  const whole = rest.length === 0 ? first : `${first}\n${cleanDocstring(rest.join('\n'))}`;
  return whole.replace(/^\n+|\n+$/g, '');
}
