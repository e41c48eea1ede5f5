import type { RelationInfo } from './catalogue.js';

/** Where a pattern stands, on a circle of radius 1 around the middle. */
export interface Spot {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly kind: RelationInfo['kind'];
  readonly why: string;
}

/** All on a circle in their order; the one in the middle, if it is among them, stands there. */
export function onCircle(ids: readonly string[], middle?: string): ReadonlyMap<string, Spot> {
  const around = ids.filter((id) => id !== middle);
  const spots = around.map((id, index): Spot => {
    const angle = (index / Math.max(1, around.length)) * 2 * Math.PI - Math.PI / 2;
    return { id, x: Math.cos(angle), y: Math.sin(angle) };
  });
  if (middle !== undefined && ids.includes(middle)) spots.push({ id: middle, x: 0, y: 0 });
  return new Map(spots.map((spot) => [spot.id, spot]));
}

/** Relations between patterns as arrows; those with every agent, a profile or a cache are no arrow between two. */
export function arrowsOf(relations: readonly RelationInfo[]): readonly Arrow[] {
  return relations.flatMap(({ from, to, kind, why }) =>
    isId(from) ? to.filter(isId).map((end) => ({ from, to: end, kind, why })) : [],
  );
}

const isId = (end: string): boolean => /^[A-Z]\d+$/.test(end);

/** A pattern and what it has relations with, in the order of the catalogue. */
export function neighborsOf(id: string, arrows: readonly Arrow[], order: readonly string[]): readonly string[] {
  const near = new Set(arrows.filter(({ from, to }) => from === id || to === id).flatMap(({ from, to }) => [from, to]));
  near.add(id);
  return order.filter((one) => near.has(one));
}
