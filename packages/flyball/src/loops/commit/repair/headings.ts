export interface Heading {
  /** Counted from 1. */
  readonly line: number;
  readonly level: number;
  readonly title: string;
}

/** The headings of a Markdown text, `#` and underlined ones; what stands in a code block is none. */
export function headingsOf(lines: readonly string[]): readonly Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const [index, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && text.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) fence = mark;
    else push(headings, headingAt(lines, index));
  }
  return headings;
}

function push(headings: Heading[], heading: Heading | undefined): void {
  if (heading !== undefined) headings.push(heading);
}

function headingAt(lines: readonly string[], index: number): Heading | undefined {
  const text = lines[index] ?? '';
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(text);
  if (marks !== null)
    return { line: index + 1, level: marks[1]?.length ?? 1, title: titleIn(text.slice(marks[0].length)) };
  const underline = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(lines[index + 1] ?? '')?.[1];
  const isTitle = /^ {0,3}[^\s>|#*+-]/.test(text);
  if (underline === undefined || !isTitle) return undefined;
  return { line: index + 1, level: underline.startsWith('=') ? 1 : 2, title: text.trim() };
}

/**
 * Without the marks that may close it. By hand: an expression that looks for blanks, marks and blanks at the end tries
 * every way to divide them, and a model writes the line.
 */
function titleIn(rest: string): string {
  const text = rest.trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text;
}
