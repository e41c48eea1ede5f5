const BINS = 10;
/** An empty bin would make the logarithm infinite. */
const LEAST_SHARE = 1e-4;

/** Population stability index over ten bins of equal share of the first sample. Below 0.1 nothing moved, above 0.25 much. */
export function populationStability(before: readonly number[], after: readonly number[]): number {
  const edges = edgesOf(before);
  const [old, fresh] = [shares(before, edges), shares(after, edges)];
  return old.reduce((sum, share, bin) => {
    const [a, b] = [Math.max(share, LEAST_SHARE), Math.max(fresh[bin] ?? 0, LEAST_SHARE)];
    return sum + (b - a) * Math.log(b / a);
  }, 0);
}

/** Upper edges of the bins; values that repeat a lot share one bin. */
function edgesOf(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const edges = Array.from(
    { length: BINS - 1 },
    (_, bin) => sorted[Math.floor(((bin + 1) * sorted.length) / BINS)] ?? 0,
  );
  return [...new Set(edges)];
}

function shares(values: readonly number[], edges: readonly number[]): readonly number[] {
  const counts = Array<number>(edges.length + 1).fill(0);
  for (const value of values) {
    const bin = edges.findIndex((edge) => value < edge);
    const at = bin === -1 ? edges.length : bin;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count) => count / values.length);
}

/** Largest distance between the two empirical distributions, 0 to 1. */
export function kolmogorovSmirnov(before: readonly number[], after: readonly number[]): number {
  const [a, b] = [[...before].sort((x, y) => x - y), [...after].sort((x, y) => x - y)];
  let [i, j, most] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i] ?? 0, b[j] ?? 0);
    while (i < a.length && (a[i] ?? 0) <= value) i++;
    while (j < b.length && (b[j] ?? 0) <= value) j++;
    most = Math.max(most, Math.abs(i / a.length - j / b.length));
  }
  return most;
}
