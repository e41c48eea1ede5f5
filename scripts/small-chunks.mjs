/**
 * Which small modules of a bundle can be one module: a file takes whole blocks of the disk, and most commands are a
 * kilobyte. Pure over what the bundler made; `bundle.mjs` bundles again with the answer.
 */

/**
 * A module of the bundle. `imports` are the files it cannot be loaded without; an entry stays what it is.
 * @typedef {{ readonly file: string, readonly bytes: number, readonly imports: readonly string[], readonly isEntry: boolean,
 *   readonly isLoadedAlone: boolean }} Chunk
 */

/** A file takes no fewer bytes of a disk. */
const BLOCK_BYTES = 4_096;
/** What one import may load more than it needs, over all that was put together. */
const MOST_EXTRA_BYTES = 16_384;

/**
 * Groups of files that become one. Nothing is put together that would close a cycle of imports or make an import load
 * more than a few kilobytes that it does not need.
 * @param {readonly Chunk[]} chunks @returns {readonly (readonly string[])[]}
 */
export function smallTogether(chunks) {
  /** @type {readonly Part[]} */
  let parts = chunks.map((chunk) => ({ ...chunk, files: [chunk.file] }));
  const extra = new Map(chunks.filter((chunk) => chunk.isLoadedAlone).map(({ file }) => [file, 0]));
  for (;;) {
    const best = cheapest(parts, extra);
    if (best === undefined) return parts.filter(({ files }) => files.length > 1).map(({ files }) => files);
    for (const [root, bytes] of best.costs) extra.set(root, (extra.get(root) ?? 0) + bytes);
    parts = joined(parts, best.pair);
  }
}

/** @typedef {Chunk & { readonly files: readonly string[] }} Part */
/** @typedef {{ readonly pair: readonly [Part, Part], readonly costs: ReadonlyMap<string, number>, readonly total: number }} Merge */

/** @param {readonly Part[]} parts @param {ReadonlyMap<string, number>} extra @returns {Merge | undefined} */
function cheapest(parts, extra) {
  const reach = reachOf(parts);
  const roots = [...extra.keys()].map((root) => ({
    root,
    loads: reach.get(parts.find(({ files }) => files.includes(root)) ?? raise(root)) ?? raise(root),
  }));
  /** @type {Merge | undefined} */
  let best;
  const movable = parts.filter(({ isEntry }) => !isEntry).sort((a, b) => a.bytes - b.bytes);
  for (const [index, small] of movable.entries()) {
    if (small.bytes >= BLOCK_BYTES) break;
    for (const other of movable.slice(index + 1)) {
      if (closesCycle(small, other, reach)) continue;
      const costs = costsOf([small, other], roots, reach);
      const total = [...costs.values()].reduce((sum, bytes) => sum + bytes, 0);
      if (best !== undefined && total >= best.total) continue;
      if ([...costs].every(([root, bytes]) => (extra.get(root) ?? 0) + bytes <= MOST_EXTRA_BYTES))
        best = { pair: [small, other], costs, total };
    }
    if (best !== undefined) return best; // the smallest first: which of equals comes first matters little
  }
  return undefined;
}

/** What each import would load in addition. @param {readonly [Part, Part]} pair @param {readonly { root: string, loads: ReadonlySet<Part> }[]} roots @param {ReadonlyMap<Part, ReadonlySet<Part>>} reach */
function costsOf([a, b], roots, reach) {
  const costs = new Map();
  for (const { root, loads } of roots) {
    if (loads.has(a) === loads.has(b)) continue;
    const added = [...(reach.get(loads.has(a) ? b : a) ?? [])].filter((part) => !loads.has(part));
    costs.set(
      root,
      added.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }
  return costs;
}

/** A path from one to the other through a third. @param {Part} a @param {Part} b @param {ReadonlyMap<Part, ReadonlySet<Part>>} reach */
function closesCycle(a, b, reach) {
  const leads = (/** @type {Part} */ from, /** @type {Part} */ to) =>
    [...(reach.get(from) ?? [])].some((part) => part !== from && part !== to && reach.get(part)?.has(to));
  return leads(a, b) || leads(b, a);
}

/** Everything that is loaded with a part, itself included. @param {readonly Part[]} parts @returns {ReadonlyMap<Part, ReadonlySet<Part>>} */
function reachOf(parts) {
  const byFile = new Map(parts.flatMap((part) => part.files.map((file) => [file, part])));
  return new Map(
    parts.map((part) => {
      const reached = new Set([part]);
      for (const each of reached) // grows while it is gone through
        for (const file of each.imports) {
          const next = byFile.get(file);
          if (next !== undefined) reached.add(next);
        }
      return [part, reached];
    }),
  );
}

/** @param {readonly Part[]} parts @param {readonly [Part, Part]} pair @returns {Part[]} */
function joined(parts, [a, b]) {
  const both = {
    ...b,
    bytes: a.bytes + b.bytes,
    imports: [...new Set([...a.imports, ...b.imports])],
    files: [...a.files, ...b.files],
  };
  return [...parts.filter((part) => part !== a && part !== b), both];
}

/** @param {string} file @returns {never} */
function raise(file) {
  throw new Error(`${file} is not in the bundle.`);
}
