/**
 * Lines of matching `{` and `}`, in the order in which they close. Brackets in strings and comments do not count. This
 * is no parser: a quoted string ends with its line, so that what it takes for one by mistake costs that line only. A text
 * whose brackets do not match gives the pairs that do.
 */
export function bracePairs(lines: readonly string[]): readonly (readonly [open: number, close: number])[] {
  const pairs: (readonly [number, number])[] = [];
  const open: number[] = [];
  let inside: Inside;
  for (const [index, text] of lines.entries()) {
    for (const { sign, state } of signsIn(text, inside)) {
      inside = state;
      if (sign === '{') open.push(index + 1);
      const from = sign === '}' ? open.pop() : undefined;
      if (from !== undefined) pairs.push([from, index + 1]);
    }
    if (inside === '"' || inside === "'") inside = undefined;
  }
  return pairs;
}

/** What the scan is in the middle of: a string by its quote, or a comment. */
type Inside = '"' | "'" | '`' | '*' | undefined;

/** Signs that count, each with what the scan is in after it, and the state at the end of the line. */
function* signsIn(
  text: string,
  before: Inside,
): Generator<{ readonly sign: string | undefined; readonly state: Inside }> {
  let state = before;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    const two = text.slice(at, at + 2);
    if (state === '*') {
      if (two === '*/') [state, at] = [undefined, at + 1];
    } else if (state !== undefined) {
      if (sign === '\\') at++;
      else if (sign === state) state = undefined;
    } else if (two === '//') break;
    else if (two === '/*') [state, at] = ['*', at + 1];
    else if (sign === '"' || sign === "'" || sign === '`') state = sign;
    else yield { sign, state };
  }
  yield { sign: undefined, state };
}
