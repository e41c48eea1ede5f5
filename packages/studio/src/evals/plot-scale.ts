import type { Point } from './evaluations.js';

/** A shape for each agent, so that the plot reads without color. */
export const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'cross'] as const;
export type Shape = (typeof SHAPES)[number];

export interface PlotSize {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const SIZE: PlotSize = { width: 720, height: 400, left: 56, right: 24, top: 16, bottom: 52 };
/** The same letters in half the width: a phone would make those of the other too small to read. */
export const NARROW_SIZE: PlotSize = { ...SIZE, width: 360, height: 300, left: 46, right: 20 };

export interface PlotScale {
  /** Powers of ten, as costs. */
  readonly costs: readonly number[];
  readonly passes: readonly number[];
  x(cost: number): number;
  y(pass: number): number;
}

/** Whole decades of cost and the whole share: two plots can be laid beside each other. */
export function scaleOf(points: readonly Pick<Point, 'costPerTask'>[], size: PlotSize = SIZE): PlotScale {
  const logs = points.map(({ costPerTask }) => Math.log10(costPerTask)).filter(Number.isFinite);
  const lowest = logs.length === 0 ? -2 : Math.floor(Math.min(...logs));
  const highest = logs.length === 0 ? 0 : Math.max(Math.ceil(Math.max(...logs)), lowest + 1);
  const width = size.width - size.left - size.right;
  const height = size.height - size.top - size.bottom;
  return {
    costs: Array.from({ length: highest - lowest + 1 }, (_, index) => Number((10 ** (lowest + index)).toPrecision(1))),
    passes: [0, 0.2, 0.4, 0.6, 0.8, 1],
    x: (cost) => size.left + ((Math.log10(cost) - lowest) / (highest - lowest)) * width,
    y: (pass) => size.top + (1 - pass) * height,
  };
}

export function shapesOf(points: readonly Pick<Point, 'agent'>[]): ReadonlyMap<string, Shape> {
  const agents = [...new Set(points.map(({ agent }) => agent))].sort();
  return new Map(agents.map((agent, index) => [agent, SHAPES[index % SHAPES.length] ?? 'circle']));
}

export function pathOf(shape: Shape, r: number): string {
  switch (shape) {
    case 'circle':
      return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case 'square':
      return `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 'triangle':
      return `M0 ${-r * 1.2}L${r * 1.1} ${r * 0.8}H${-r * 1.1}z`;
    case 'diamond':
      return `M0 ${-r * 1.3}L${r * 1.3} 0L0 ${r * 1.3}L${-r * 1.3} 0z`;
    case 'cross':
      return `M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}`;
  }
}

export interface Label {
  readonly number: number;
  readonly x: number;
  readonly y: number;
}

/** Numbers beside the marks; where two would lie on each other, the later one moves down. */
export function labelsOf(points: readonly Point[], { x, y }: PlotScale): readonly Label[] {
  const placed: Label[] = [];
  for (const [index, point] of points.entries()) {
    const at = { number: index + 1, x: x(point.costPerTask) + 9, y: y(point.pass1) + 4 };
    let down = at.y;
    while (placed.some((one) => Math.abs(one.x - at.x) < 18 && Math.abs(one.y - down) < 12)) down += 12;
    placed.push({ ...at, y: down });
  }
  return placed;
}
