/** Marks that reorder the text around them, and line breaks that only some terminals take for one: what is read would not be what is there. */
const MISLEADING = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text from a model, a tool or a person as a part of one line. A control character is shown and not obeyed: a reply that
 * could move the cursor could paint over the question whether to let it act, and one that could begin a line could write
 * one that looks like ours.
 */
export function printable(text: string): string {
  return printableLines(text).replaceAll('\n', '␊');
}

/** Text that may have lines of its own. Each line but the first begins with `indent`, which no line of ours begins with. */
export function printableLines(text: string, indent = ''): string {
  return inert(text.replaceAll('\r', '')).replaceAll(MISLEADING, '\ufffd').replaceAll('\n', `\n${indent}`);
}

/** Control characters as pictures; line breaks and tabs stay. */
function inert(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (mark) => (mark === '\n' || mark === '\t' ? mark : pictureOf(mark)));
}

/** `␛` for an escape; those beyond ASCII have no picture. */
function pictureOf(mark: string): string {
  const code = mark.charCodeAt(0);
  if (code === 0x7f) return '\u2421';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}
