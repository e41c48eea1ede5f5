/**
 * Places a graph in layers: every edge goes down, nodes of one layer stand side by side, and each row is ordered so that
 * nodes stand near what they hang on. Small on purpose: plans have tens of steps, not thousands.
 */
export interface Size {
  readonly width: number;
  readonly height: number;
  readonly gapX: number;
  readonly gapY: number;
}

export interface Placed {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

export interface Layout {
  readonly nodes: ReadonlyMap<string, Placed>;
  readonly width: number;
  readonly height: number;
}

export interface Link {
  readonly from: string;
  readonly to: string;
}

const SWEEPS = 4;

export function layered(ids: readonly string[], links: readonly Link[], size: Size): Layout {
  const known = new Set(ids);
  const inside = links.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to);
  const layers = layersOf(ids, inside);
  const depth = Math.max(-1, ...layers.values()) + 1;
  const rows = Array.from({ length: depth }, (_, layer) => ids.filter((id) => layers.get(id) === layer));
  for (let sweep = 0; sweep < SWEEPS; sweep++) order(rows, inside, sweep % 2 === 0 ? 'down' : 'up');
  const widest = Math.max(1, ...rows.map(({ length }) => length));
  const width = widest * (size.width + size.gapX) - size.gapX;
  const nodes = new Map<string, Placed>();
  for (const [layer, row] of rows.entries()) {
    const own = row.length * (size.width + size.gapX) - size.gapX;
    for (const [index, id] of row.entries()) {
      const x = (width - own) / 2 + index * (size.width + size.gapX);
      nodes.set(id, { id, x, y: layer * (size.height + size.gapY), layer });
    }
  }
  return { nodes, width, height: Math.max(0, rows.length * (size.height + size.gapY) - size.gapY) };
}

/**
 * The length of the longest way to a node. A plan that its checks refused may go in circles: an edge back into the way
 * that is being walked is left out, so that every graph gets a layout.
 */
function layersOf(ids: readonly string[], links: readonly Link[]): ReadonlyMap<string, number> {
  const into = grouped(links, ({ to }) => to);
  const layers = new Map<string, number>();
  const walking = new Set<string>();
  const layerOf = (id: string): number => {
    const done = layers.get(id);
    if (done !== undefined) return done;
    walking.add(id);
    let layer = 0;
    for (const { from } of into.get(id) ?? []) if (!walking.has(from)) layer = Math.max(layer, layerOf(from) + 1);
    walking.delete(id);
    layers.set(id, layer);
    return layer;
  };
  for (const id of ids) layerOf(id);
  return layers;
}

/** Sorts each row by the average place of the neighbors in the row before it, or behind it on the way up. */
function order(rows: readonly string[][], links: readonly Link[], way: 'down' | 'up'): void {
  const near = way === 'down' ? grouped(links, ({ to }) => to) : grouped(links, ({ from }) => from);
  const place = new Map(rows.flatMap((row) => row.map((id, index) => [id, (index + 0.5) / row.length] as const)));
  for (const row of way === 'down' ? rows : rows.toReversed()) {
    const wanted = new Map(row.map((id) => [id, average(near.get(id) ?? [], id, place)] as const));
    row.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    for (const [index, id] of row.entries()) place.set(id, (index + 0.5) / row.length);
  }
}

function average(links: readonly Link[], id: string, place: ReadonlyMap<string, number>): number {
  if (links.length === 0) return place.get(id) ?? 0;
  const others = links.map(({ from, to }) => place.get(from === id ? to : from) ?? 0);
  return others.reduce((sum, at) => sum + at, 0) / others.length;
}

function grouped(links: readonly Link[], key: (link: Link) => string): ReadonlyMap<string, readonly Link[]> {
  const map = new Map<string, Link[]>();
  for (const link of links) {
    const known = map.get(key(link));
    if (known === undefined) map.set(key(link), [link]);
    else known.push(link);
  }
  return map;
}
