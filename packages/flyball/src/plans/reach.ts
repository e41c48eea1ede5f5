/**
 * Who comes before whom, in numbers. What is asked a million times over a plan must look nothing up by name: a planner
 * may write a plan in which everything hangs together.
 */
export type Rows = readonly Uint8Array[];

/** Each number after all that it waits for, otherwise the smallest first; those on or behind a cycle are missing. */
export function topological(waitsFor: readonly (readonly number[])[]): readonly number[] {
  const left = waitsFor.map((before) => before.length);
  const behind = waitsFor.map((): number[] => []);
  for (const [at, before] of waitsFor.entries()) for (const other of before) behind[other]?.push(at);
  const order: number[] = [];
  for (let next = left.indexOf(0); next !== -1; next = left.indexOf(0)) {
    left[next] = -1; // taken
    order.push(next);
    for (const at of behind[next] ?? []) left[at] = (left[at] ?? 0) - 1;
  }
  return order;
}

/** `rows[later][earlier]` is 1 where the latter comes before the former, over however many others. */
export function reachRows(waitsFor: readonly (readonly number[])[]): Rows {
  const rows = waitsFor.map(() => new Uint8Array(waitsFor.length));
  const order = topological(waitsFor);
  for (const at of order) for (const other of waitsFor[at] ?? []) join(rows[at], other, rows[other]);
  const isSorted = new Set(order);
  for (const at of waitsFor.keys()) if (!isSorted.has(at)) walk(waitsFor, at, rows[at]);
  return rows;
}

/** The same rows with one more order in them. They hold no cycle, and the new order makes none. */
export function withOrder(rows: Rows, before: number, after: number): Rows {
  return rows.map((row, at) => {
    if (at !== after && row[after] !== 1) return row;
    const more = row.slice();
    join(more, before, rows[before]);
    return more;
  });
}

function join(into: Uint8Array | undefined, other: number, row: Uint8Array | undefined): void {
  if (into === undefined || row === undefined) return;
  for (let at = 0; at < row.length; at++) if (row[at] === 1) into[at] = 1;
  into[other] = 1;
}

function walk(waitsFor: readonly (readonly number[])[], from: number, row: Uint8Array | undefined): void {
  if (row === undefined) return;
  const open = [...(waitsFor[from] ?? [])];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (row[at] === 1) continue;
    row[at] = 1;
    open.push(...(waitsFor[at] ?? []));
  }
}
