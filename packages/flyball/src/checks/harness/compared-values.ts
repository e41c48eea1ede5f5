export interface Compared {
  readonly expected?: string;
  readonly actual?: string;
}

/** Messages are read up to here: a comparison stands at their beginning. */
const MAX_LINES = 400;

const READERS: readonly ((lines: readonly string[]) => Compared | undefined)[] = [
  labelled,
  inspected,
  difference,
  notEqual,
  sentence,
  assertion,
];

/** What was expected and what came, from the ways in which assertion libraries say it. */
export function comparedIn(text: string): Compared {
  const lines = text.split('\n').slice(0, MAX_LINES);
  for (const read of READERS) {
    const found = read(lines);
    if (found !== undefined) return found;
  }
  return {};
}

/** Jest: `Expected: 7` and `Received: 6`. */
function labelled(lines: readonly string[]): Compared | undefined {
  const after = (label: RegExp) => {
    const line = lines.find((one) => label.test(one));
    return line?.slice(line.indexOf(':') + 1).trim();
  };
  const expected = after(/^\s*Expected(?: [a-z ]{1,60})?: \S/);
  const actual = after(/^\s*Received(?: [a-z ]{1,60})?: \S/);
  return expected === undefined || actual === undefined ? undefined : { expected, actual };
}

/** Node prints an AssertionError with its properties; what goes over several lines is in the difference above them. */
function inspected(lines: readonly string[]): Compared | undefined {
  const value = (name: string) => {
    const line = lines.find((one) => one.trimStart().startsWith(`${name}: `));
    const text = line?.slice(line.indexOf(': ') + 2).replace(/,$/, '');
    return text === undefined || /[[{(]$|\[(?:Array|Object)\]/.test(text) ? undefined : text;
  };
  if (!lines.some((line) => line.includes('generatedMessage:'))) return undefined;
  const [expected, actual] = [value('expected'), value('actual')];
  return expected === undefined || actual === undefined ? undefined : { expected, actual };
}

/** Lines marked with - and +, under a header that says which is which. */
function difference(lines: readonly string[]): Compared | undefined {
  const node = lines.findIndex((line) => line.trim() === '+ actual - expected');
  const other = lines.findIndex((line) => /^\s*- Expected\b/.test(line));
  const header = node >= 0 ? node : other;
  if (header < 0) return undefined;
  const margin = indentOf(lines[header] ?? '');
  const body = lines.slice(header + 1).map((line) => line.slice(Math.min(margin, indentOf(line))));
  const from = body.findIndex((line) => line.trim() !== '' && !/^\+ Received\b/.test(line));
  if (from < 0) return undefined;
  const rest = body.slice(from);
  const blank = rest.findIndex((line) => line.trim() === '' || /^\s*(?:at |❯ )/.test(line));
  const shown = blank < 0 ? rest : rest.slice(0, blank);
  const side = (mark: '-' | '+') =>
    shown
      .filter((line) => line.startsWith(mark) || !/^[-+]/.test(line))
      .map((line) => line.slice(2))
      .join('\n')
      .trim();
  return { expected: side('-'), actual: side('+') };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Node's shortest form, `6 !== 7`: what came stands first. */
function notEqual(lines: readonly string[]): Compared | undefined {
  if (!lines.some((line) => /^\s*Expected values to be (?:strictly |loosely )?(?:deep-)?equal/.test(line)))
    return splitBy(lines.length === 1 ? lines[0] : undefined, [' !== ']);
  return splitBy(
    lines.find((line) => line.includes(' !== ') || line.includes(' != ')),
    [' !== ', ' != '],
  );
}

const VERBS = [
  ' to strictly equal ',
  ' to deeply equal ',
  ' to loosely deeply equal ',
  ' to deep equal ',
  ' to equal ',
  ' to match object ',
  ' to match ',
  ' to include ',
  ' to contain ',
  ' to have property ',
  ' to have a length of ',
  ' to be an instance of ',
  ' to be ',
] as const;

/** Chai and vitest: `expected 6 to be 7 // Object.is equality`. */
function sentence(lines: readonly string[]): Compared | undefined {
  const line = lines.find((one) => one.startsWith('expected ') || one.includes(': expected '));
  if (line === undefined) return undefined;
  const said = line.slice(line.startsWith('expected ') ? 9 : line.indexOf(': expected ') + 11);
  const verbs = VERBS.map((verb) => ({ verb, at: said.indexOf(verb) })).filter(({ at }) => at > 0);
  const first = verbs.reduce<{ verb: string; at: number } | undefined>(
    (best, one) => (best === undefined || one.at < best.at ? one : best),
    undefined,
  );
  if (first === undefined) return undefined;
  const note = said.lastIndexOf(' // ');
  const end = note > first.at ? note : said.length;
  return { actual: said.slice(0, first.at), expected: said.slice(first.at + first.verb.length, end) };
}

/** Python: `assert 6 == 7`. Only where it is plain which side is which. */
function assertion(lines: readonly string[]): Compared | undefined {
  const line = lines.find((one) => /^\s*(?:\w+: )?assert .* == /.test(one));
  return splitBy(line?.slice(line.indexOf('assert ') + 7), [' == ']);
}

function splitBy(line: string | undefined, marks: readonly string[]): Compared | undefined {
  for (const mark of marks) {
    const parts = line?.split(mark) ?? [];
    const [actual, expected] = parts;
    if (parts.length === 2 && actual !== undefined && expected !== undefined)
      return { actual: actual.trim(), expected: expected.trim() };
  }
  return undefined;
}
