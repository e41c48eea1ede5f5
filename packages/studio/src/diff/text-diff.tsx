import { useMemo, useState } from 'preact/hooks';
import { VirtualList } from '../ui/virtual-list.js';
import { type DiffRow, rowsOf } from './diff-rows.js';
import { type DiffLine, diffLines } from './line-diff.js';

const ROW = 20;
/** With more rows only those in sight are in the page, each one line high. */
const MOST_WHOLE = 400;

/** The difference of two texts, side by side or as one. */
export function TextDiff({
  title,
  names,
  before,
  after,
}: {
  readonly title: string;
  readonly names: readonly [string, string];
  readonly before: string;
  readonly after: string;
}) {
  const [paired, setPaired] = useState(() => matchMedia('(min-width: 900px)').matches);
  const [folded, setFolded] = useState(true);
  const diff = useMemo(() => diffLines(before, after), [before, after]);
  const rows = rowsOf(diff, { paired, folded });
  const summary =
    diff.gone + diff.added === 0 ? 'no difference' : `${diff.added} lines added, ${diff.gone} lines removed`;
  return (
    <figure class="diff">
      <figcaption class="diff-head">
        <strong class="mono">{title}</strong> <span class="quiet">{summary}</span>
        {diff.coarse ? <span class="quiet">too different for a line-by-line comparison</span> : null}
        <span class="diff-tools">
          <button type="button" class="button small" aria-pressed={paired} onClick={() => setPaired(!paired)}>
            Side by side
          </button>
          <button type="button" class="button small" aria-pressed={folded} onClick={() => setFolded(!folded)}>
            Hide unchanged lines
          </button>
        </span>
      </figcaption>
      {paired ? (
        <div class="diff-names" aria-hidden="true">
          <span>{names[0]}</span>
          <span>{names[1]}</span>
        </div>
      ) : null}
      {rows.length > MOST_WHOLE ? (
        <VirtualList
          class="diff-rows diff-long"
          items={rows}
          rowHeight={ROW}
          label={`Difference of ${title}`}
          keyOf={(_row, index) => String(index)}
          row={(row) => <Row row={row} paired={paired} />}
        />
      ) : (
        <div class="diff-rows">
          {rows.map((row, index) => (
            <Row key={index} row={row} paired={paired} />
          ))}
        </div>
      )}
    </figure>
  );
}

function Row({ row, paired }: { readonly row: DiffRow; readonly paired: boolean }) {
  if (row.kind === 'folded') return <div class="diff-row diff-fold">⋯ {row.lines} unchanged lines</div>;
  const { before, after } = row;
  if (paired)
    return (
      <div class="diff-row diff-pair">
        <Side line={before} number={numberOf(before, 'before')} />
        <Side line={after} number={numberOf(after, 'after')} />
      </div>
    );
  const line = after ?? before;
  return (
    <div class="diff-row">
      <span class="diff-number" aria-hidden="true">
        {numberOf(before, 'before') ?? ''}
      </span>
      <Side line={line} number={numberOf(after, 'after')} />
    </div>
  );
}

const SIGNS = { same: ' ', gone: '−', new: '+' } as const;
const WORDS = { same: '', gone: 'Removed: ', new: 'Added: ' } as const;

function Side({ line, number }: { readonly line: DiffLine | undefined; readonly number: number | undefined }) {
  if (line === undefined) return <span class="diff-side diff-none" />;
  return (
    <span class={`diff-side diff-${line.kind}`} data-diff={line.kind}>
      <span class="diff-number" aria-hidden="true">
        {number ?? ''}
      </span>
      <span class="diff-sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <span class="visually-hidden">{WORDS[line.kind]}</span>
      <span class="diff-text">{line.text}</span>
    </span>
  );
}

function numberOf(line: DiffLine | undefined, side: 'before' | 'after'): number | undefined {
  if (line === undefined) return undefined;
  if (side === 'before') return 'before' in line ? line.before : undefined;
  return 'after' in line ? line.after : undefined;
}
