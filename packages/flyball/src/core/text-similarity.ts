const SHINGLE = 3;

/**
 * How alike two texts are, from 0 to 1: the share of their runs of three words or signs that they have in common,
 * repeated ones counted as often as they stand there. Linear in their length, the same on every machine, and blind to
 * white space only.
 */
export function textSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const [left, right] = [shinglesOf(a), shinglesOf(b)];
  let shared = 0;
  for (const [shingle, count] of left.counts) shared += Math.min(count, right.counts.get(shingle) ?? 0);
  const all = left.total + right.total - shared;
  return all === 0 ? 1 : shared / all;
}

function shinglesOf(text: string): { readonly counts: ReadonlyMap<string, number>; readonly total: number } {
  const words = text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  const size = Math.min(SHINGLE, words.length);
  const counts = new Map<string, number>();
  let total = 0;
  for (let at = 0; size > 0 && at + size <= words.length; at++) {
    const shingle = words.slice(at, at + size).join(' ');
    counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
    total++;
  }
  return { counts, total };
}
