import type { Cohort } from './trace-facts.js';

/** One score or figure at a time, with the traffic it belongs to. */
export interface Point {
  readonly at: number;
  readonly metric: string;
  readonly value: number;
  readonly cohort: Cohort;
}

/** Where scores are kept over time. */
export interface SeriesStore {
  add(point: Point): void;
  /** Points of a metric from `from` up to, but not at, `until`, oldest first. */
  between(metric: string, from: number, until: number): readonly Point[];
}

/** In memory, for one process; forgets what is older than `keepMs`, so that it does not grow. */
export function memorySeries({ keepMs }: { readonly keepMs: number }): SeriesStore {
  const byMetric = new Map<string, Point[]>();
  return {
    add(point) {
      const points = byMetric.get(point.metric) ?? [];
      byMetric.set(point.metric, points);
      insert(points, point);
      const oldest = (points.at(-1)?.at ?? 0) - keepMs;
      // by the hundred: dropping one at a time would move the whole list for each point
      const old = firstAt(points, oldest);
      if (old >= 100) points.splice(0, old);
    },
    between(metric, from, until) {
      const points = byMetric.get(metric) ?? [];
      return points.slice(firstAt(points, from), firstAt(points, until));
    },
  };
}

/** A judge answers late: points come almost in order, so the place is near the end. */
function insert(points: Point[], point: Point): void {
  let place = points.length;
  while (place > 0 && (points[place - 1]?.at ?? 0) > point.at) place--;
  points.splice(place, 0, point);
}

/** Index of the first point at or after a time. */
function firstAt(points: readonly Point[], time: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
