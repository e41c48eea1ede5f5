/** " Did you mean …?" with the name that is most like it, or nothing where none is near. */
export function nearest(word: string, names: readonly string[]): string {
  const [best] = names
    .map((name) => ({ name, steps: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  return best !== undefined && best.steps <= Math.max(2, word.length / 3) ? ` Did you mean ${best.name}?` : '';
}

/** Letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
