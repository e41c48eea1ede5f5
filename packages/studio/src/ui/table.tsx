import type { ComponentChildren } from 'preact';

export interface Column<T> {
  readonly title: string;
  readonly align?: 'right';
  cell(row: T): ComponentChildren;
}

/** A short table. It scrolls in itself on a narrow screen, never the page. */
export function Table<T>({
  columns,
  rows,
  keyOf,
  label,
}: {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  keyOf(row: T, index: number): string;
  readonly label: string;
}) {
  return (
    <div class="table-box">
      <table class="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, align }) => (
              <th key={title} scope="col" class={align ?? ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(({ title, align, cell }) => (
                <td key={title} class={align ?? ''}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
