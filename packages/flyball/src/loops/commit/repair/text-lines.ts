/** A line and what ends it: `\n`, `\r\n`, or nothing at the end of the text. */
export interface TextLine {
  readonly text: string;
  readonly ending: string;
}

const BOM = '\ufeff';

/**
 * A text as its mark, its lines and their endings: joined again they are the text, byte for byte. A last line break ends
 * a line and starts none. A `\r` that is the very last character is an ending that was cut in two.
 */
export function readLines(text: string): { readonly mark: string; readonly lines: readonly TextLine[] } {
  const mark = text.startsWith(BOM) ? BOM : '';
  const raw = text.slice(mark.length).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const lines = raw.map((line): TextLine => {
    const ending = /(?:\r?\n|\r)$/.exec(line)?.[0] ?? '';
    return { text: line.slice(0, line.length - ending.length), ending };
  });
  return { mark, lines };
}

export function joinLines(lines: readonly TextLine[]): string {
  return lines.map(({ text, ending }) => text + ending).join('');
}

/** The ending that most of these lines have; `\n` where none has one. */
export function usualEnding(lines: readonly TextLine[]): string {
  const crlf = lines.filter(({ ending }) => ending === '\r\n').length;
  const lf = lines.filter(({ ending }) => ending === '\n').length;
  return crlf > lf ? '\r\n' : '\n';
}
