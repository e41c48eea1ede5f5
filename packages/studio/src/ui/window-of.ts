export interface Window {
  /** First row that is drawn, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** Rows that can be seen, and a few around them so that scrolling shows no gap. */
export function windowOf(rows: number, rowHeight: number, scrollTop: number, height: number, around = 8): Window {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const visible = Math.ceil(height / rowHeight);
  const from = Math.max(0, Math.min(first, rows - visible) - around);
  return { from, to: Math.min(rows, Math.max(first, 0) + visible + around) };
}

/** Where to scroll so that a row is seen; undefined when it is. */
export function scrollToShow(row: number, rowHeight: number, scrollTop: number, height: number): number | undefined {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : undefined;
}
