/** What a stretch of text says once it is decoded. */
export interface UnpackedText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Packing {
  /** What it looks like. Linear: no two neighboring parts of a pattern match the same text. */
  readonly pattern: RegExp;
  readonly decode: (found: string) => string;
}

const number = (digits: string, base: number): string => {
  const code = Number.parseInt(digits, base);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
};
const bytes = (text: string, form: 'hex' | 'base64'): string => Buffer.from(text, form).toString('utf8');
const escapes = (text: string): string =>
  text.replace(/\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (_, long, four, two) =>
    number(String(long ?? four ?? two), 16),
  );
const entities = (text: string): string =>
  text.replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (_, hex, decimal) =>
    hex === undefined ? number(String(decimal), 10) : number(String(hex), 16),
  );
const percents = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => bytes(run.replaceAll('%', ''), 'hex'));

const PACKINGS: readonly Packing[] = [
  { pattern: /[A-Za-z0-9+/_-]{24,}={0,2}/g, decode: (found) => bytes(found, 'base64') }, // the form for addresses too
  {
    pattern: /(?:0x)?(?:[0-9a-fA-F]{2}[ :,]?){12,}/g,
    decode: (found) => bytes(found.replace(/^0x|[ :,]/g, ''), 'hex'),
  },
];

/** Escapes may stand for single letters between plain ones, so the whole line around them is read. */
const ESCAPES: readonly Packing[] = [
  { pattern: /\\[ux]/, decode: escapes },
  { pattern: /&#/, decode: entities },
  { pattern: /%[0-9a-fA-F]{2}/, decode: percents },
];

/** Every stretch that is text once it is decoded, and different text than it was. */
export function unpacked(original: string): readonly UnpackedText[] {
  return [...packedStretches(original), ...escapedLines(original)].filter(
    ({ start, end, text }) => text !== original.slice(start, end) && isReadable(text),
  );
}

function packedStretches(original: string): readonly UnpackedText[] {
  return PACKINGS.flatMap(({ pattern, decode }) =>
    Array.from(original.matchAll(pattern), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      text: decode(found),
    })),
  );
}

function escapedLines(original: string): readonly UnpackedText[] {
  const used = ESCAPES.filter(({ pattern }) => pattern.test(original));
  if (used.length === 0) return [];
  const found: UnpackedText[] = [];
  for (let start = 0, end = 0; start < original.length; start = end + 1) {
    const next = original.indexOf('\n', start);
    end = next === -1 ? original.length : next;
    const line = original.slice(start, end);
    for (const { pattern, decode } of used) if (pattern.test(line)) found.push({ start, end, text: decode(line) });
  }
  return found;
}

function isReadable(text: string): boolean {
  const odd = text.match(/[\ufffd\p{Cc}]/gu)?.length ?? 0;
  return text.length > 0 && odd <= text.length / 20;
}
