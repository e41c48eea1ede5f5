import { describe, expect, it } from 'vitest';
import type { Point } from '../../packages/studio/src/evals/evaluations.js';
import {
  labelsOf,
  NARROW_SIZE,
  pathOf,
  SHAPES,
  SIZE,
  scaleOf,
  shapesOf,
} from '../../packages/studio/src/evals/plot-scale.js';

const point = (agent: string, costPerTask: number, pass1: number): Point => ({
  label: `${agent} ${costPerTask}`,
  agent,
  model: 'm',
  retrieval: '',
  costPerTask,
  pass1,
});

describe('the plot of pass over cost', () => {
  it('has whole decades of cost on its axis, and every point inside of it [R6-STUDIO-EVALS]', () => {
    const points = [point('a', 0.004, 0.2), point('b', 0.3, 1), point('b', 2, 0)];
    for (const size of [SIZE, NARROW_SIZE]) {
      const { costs, x, y } = scaleOf(points, size);
      expect(costs).toEqual([0.001, 0.01, 0.1, 1, 10]);
      expect(x(0.1) - x(0.01)).toBeCloseTo(x(10) - x(1));
      for (const { costPerTask, pass1 } of points) {
        expect(x(costPerTask)).toBeGreaterThanOrEqual(size.left);
        expect(x(costPerTask)).toBeLessThanOrEqual(size.width - size.right);
        expect(y(pass1)).toBeGreaterThanOrEqual(size.top);
        expect(y(pass1)).toBeLessThanOrEqual(size.height - size.bottom);
      }
    }
    expect(scaleOf([point('a', 1, 1)]).costs).toEqual([1, 10]);
    expect(scaleOf([point('a', 250, 1)]).costs).toEqual([100, 1000]);
  });

  it('tells agents apart by shape, so that it reads without color', () => {
    const shapes = shapesOf([point('b', 1, 1), point('a', 1, 1), point('b', 2, 1)]);
    expect([...shapes]).toEqual([
      ['a', 'circle'],
      ['b', 'square'],
    ]);
    expect(new Set(SHAPES.map((shape) => pathOf(shape, 6))).size).toBe(SHAPES.length);
  });

  it('keeps the numbers of points apart that lie on each other', () => {
    const points = [point('a', 1, 0.5), point('b', 1, 0.5), point('c', 1.01, 0.5)];
    const labels = labelsOf(points, scaleOf(points));
    expect(labels.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(new Set(labels.map(({ y }) => y)).size).toBe(3);
  });
});
