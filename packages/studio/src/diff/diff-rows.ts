import type { DiffLine, LineDiff } from './line-diff.js';

/** What stands side by side in one row; a row of its own says how many equal lines are folded away. */
export type DiffRow =
  | { readonly kind: 'pair'; readonly before?: DiffLine; readonly after?: DiffLine }
  | { readonly kind: 'folded'; readonly lines: number; readonly from: number };

/** Equal lines that are shown around a change. */
const CONTEXT = 3;

/** Lines in order with long equal stretches folded: what changed stands among enough to know where it is. */
export function rowsOf(
  { lines }: LineDiff,
  how: { readonly paired: boolean; readonly folded: boolean },
): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (let index = 0; index < lines.length; ) {
    const start = index;
    const isSame = lines[index]?.kind === 'same';
    while (index < lines.length && (lines[index]?.kind === 'same') === isSame) index++;
    const run = lines.slice(start, index);
    if (!isSame) rows.push(...(how.paired ? paired(run) : run.map(alone)));
    else rows.push(...(how.folded ? folded(run, start === 0, index === lines.length) : run.map(alone)));
  }
  return rows;
}

function alone(line: DiffLine): DiffRow {
  switch (line.kind) {
    case 'same':
      return { kind: 'pair', before: line, after: line };
    case 'gone':
      return { kind: 'pair', before: line };
    case 'new':
      return { kind: 'pair', after: line };
  }
}

/** What went and what came in the same place, next to each other. */
function paired(run: readonly DiffLine[]): readonly DiffRow[] {
  const gone = run.filter(({ kind }) => kind === 'gone');
  const added = run.filter(({ kind }) => kind === 'new');
  return Array.from({ length: Math.max(gone.length, added.length) }, (_, index): DiffRow => {
    const [before, after] = [gone[index], added[index]];
    return { kind: 'pair', ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  });
}

function folded(run: readonly DiffLine[], isFirst: boolean, isLast: boolean): readonly DiffRow[] {
  const head = isFirst ? 0 : CONTEXT;
  const tail = isLast ? 0 : CONTEXT;
  const hidden = run.length - head - tail;
  if (hidden < 2) return run.map(alone);
  const first = run[head];
  const from = first?.kind === 'same' ? first.before : 0;
  return [
    ...run.slice(0, head).map(alone),
    { kind: 'folded', lines: hidden, from },
    ...run.slice(run.length - tail).map(alone),
  ];
}
