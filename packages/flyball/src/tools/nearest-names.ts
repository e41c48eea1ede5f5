const LONGEST = 100;

/** Names that a misspelt one may have meant, best first. Case, `-` and `_`, and a namespace in front do not count. */
export function nearestNames(wanted: string, known: Iterable<string>, limit = 3): readonly string[] {
  if (wanted.length > LONGEST) return []; // it comes from a model and may be of any length
  const target = folded(wanted);
  const furthest = Math.max(1, Math.floor(target.length / 3));
  return [...known]
    .map((name) => ({ name, distance: distance(target, folded(name)) }))
    .filter((candidate) => candidate.distance <= furthest)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** Models write `functions.read_file` and `readFile` for `read_file`. */
function folded(name: string): string {
  // a name comes from a model and may be of any length; nothing that long is near a real one
  return (name.split(/[.:/]/).at(-1) ?? '')
    .replace(/[-_\s]/g, '')
    .toLowerCase()
    .slice(0, 100);
}

/** Insertions, deletions and replacements between two words. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const above = row;
    row = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}
