/**
 * What an archive may hold beside its bytes. A file of 500 KB unpacks to hundreds of megabytes, and each byte of that can
 * become an object that takes many times as much: lines become entries, and what is in them becomes values.
 */
export const MOST_ARCHIVE_LINES = 1_000_000;
/** Each value after the first follows a comma or a bracket. Those in texts count too: to tell them apart, one has to parse. */
export const MOST_ARCHIVE_VALUES = 10_000_000;

const NEWLINE = 0x0a;
const BEFORE_VALUES: ReadonlySet<number> = new Set([...',[{'].map((sign) => sign.charCodeAt(0)));

/** How many lines there are, or what there is too much of, as the end of a sentence. Makes nothing of the bytes. */
export function linesIn(content: Uint8Array): number | { readonly tooMuch: string } {
  let [lines, values] = [0, 0];
  for (const byte of content) {
    if (byte === NEWLINE) lines += 1;
    else if (BEFORE_VALUES.has(byte)) values += 1;
  }
  if (lines > MOST_ARCHIVE_LINES) return { tooMuch: `it has more than ${MOST_ARCHIVE_LINES} lines` };
  return values > MOST_ARCHIVE_VALUES ? { tooMuch: `it has more than ${MOST_ARCHIVE_VALUES} values` } : lines;
}

/** One line after the other, without its end: all of them together would take several times the memory of the file. */
export function* eachLine(content: Buffer): Generator<string> {
  for (let from = 0; from < content.length; ) {
    const end = content.indexOf(NEWLINE, from);
    const to = end === -1 ? content.length : end;
    yield content.toString('utf8', from, to);
    from = to + 1;
  }
}
