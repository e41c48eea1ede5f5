/** Marks that reorder the text around them: what is read would not be what is there. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text from a model or a tool as a terminal may be given it. A control character is shown and not obeyed: a reply that
 * could move the cursor could paint over the question whether to let it act.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(/\p{Cc}/gu, (mark) => (mark === '\n' || mark === '\t' ? mark : pictureOf(mark)))
    .replaceAll(REORDERING, '\ufffd');
}

/** `␛` for an escape; those beyond ASCII have no picture. */
function pictureOf(mark: string): string {
  const code = mark.charCodeAt(0);
  if (code === 0x7f) return '\u2421';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}
