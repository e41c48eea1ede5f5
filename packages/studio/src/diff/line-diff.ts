/** One line of a difference: on both sides, only before, or only after. Numbers count from 1. */
export type DiffLine =
  | { readonly kind: 'same'; readonly text: string; readonly before: number; readonly after: number }
  | { readonly kind: 'gone'; readonly text: string; readonly before: number }
  | { readonly kind: 'new'; readonly text: string; readonly after: number };

export interface LineDiff {
  readonly lines: readonly DiffLine[];
  readonly gone: number;
  readonly added: number;
  /** It was too different to look for the shortest way: what lies between the equal ends is shown as replaced. */
  readonly coarse: boolean;
}

/** Edits that are looked for: the trace of the search grows with their square, about 8 MB here. */
const MOST_EDITS = 1_000;

/** The shortest edit script of two texts by lines (Myers, 1986), bounded in time and memory. */
export function diffLines(before: string, after: string): LineDiff {
  const [a, b] = [linesOf(before), linesOf(after)];
  const head = sharedHead(a, b);
  const tail = sharedTail(a, b, head);
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const found = shortest(left, right);
  const lines: DiffLine[] = [
    ...a.slice(0, head).map((text, index): DiffLine => ({ kind: 'same', text, before: index + 1, after: index + 1 })),
    ...(found ?? replaced(left, right)).map((line) => moved(line, head)),
    ...a.slice(a.length - tail).map((text, index): DiffLine => {
      const [from, to] = [a.length - tail + index + 1, b.length - tail + index + 1];
      return { kind: 'same', text, before: from, after: to };
    }),
  ];
  return {
    lines,
    gone: lines.filter(({ kind }) => kind === 'gone').length,
    added: lines.filter(({ kind }) => kind === 'new').length,
    coarse: found === undefined,
  };
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/\r\n|\n|\r/);
}

function sharedHead(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count++;
  return count;
}

function sharedTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

/** Furthest place on each diagonal after d edits, for every d; undefined where it takes too many edits. */
function shortest(a: readonly string[], b: readonly string[]): readonly DiffLine[] | undefined {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const trace: Int32Array[] = [];
  let reached = new Int32Array(3);
  for (let d = 0; d <= most; d++) {
    const next = new Int32Array(2 * d + 3);
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : startOn(reached, k, d);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next[k + d + 1] = x;
      if (x >= a.length && x - k >= b.length) return walkBack([...trace, next], a, b);
    }
    trace.push(next);
    reached = next;
  }
  return undefined;
}

/** Where an edit leads onto diagonal k: down (a new line) from k + 1, or right (a line gone) from k - 1. */
function startOn(before: Int32Array, k: number, d: number): number {
  return isDown(before, k, d) ? at(before, k + 1, d - 1) : at(before, k - 1, d - 1) + 1;
}

function isDown(before: Int32Array, k: number, d: number): boolean {
  return k === -d || (k !== d && at(before, k - 1, d - 1) < at(before, k + 1, d - 1));
}

function at(row: Int32Array, k: number, d: number): number {
  return row[k + d + 1] ?? 0;
}

function walkBack(trace: readonly Int32Array[], a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const before = trace[d - 1];
    const k = x - y;
    const from = before === undefined ? 0 : startOn(before, k, d);
    for (; x > from; x--, y--) lines.push({ kind: 'same', text: a[x - 1] ?? '', before: x, after: y });
    if (before === undefined) break;
    if (isDown(before, k, d)) lines.push({ kind: 'new', text: b[y - 1] ?? '', after: y-- });
    else lines.push({ kind: 'gone', text: a[x - 1] ?? '', before: x-- });
  }
  return lines.reverse();
}

function replaced(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  return [
    ...a.map((text, index): DiffLine => ({ kind: 'gone', text, before: index + 1 })),
    ...b.map((text, index): DiffLine => ({ kind: 'new', text, after: index + 1 })),
  ];
}

function moved(line: DiffLine, by: number): DiffLine {
  switch (line.kind) {
    case 'same':
      return { ...line, before: line.before + by, after: line.after + by };
    case 'gone':
      return { ...line, before: line.before + by };
    case 'new':
      return { ...line, after: line.after + by };
  }
}
