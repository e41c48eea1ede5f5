import type { Questions } from 'flyball/testing/simulated';
import { draw } from '../simulated.js';
import { mark } from './arithmetic.js';

/** W2: rooms in a row behind doors. Which of two doors leads on is known to a search from the goal alone. */
export interface Maze extends Questions {
  readonly length: number;
  /** The room behind a door. */
  go(item: number, room: string, door: string): string;
  start(item: number): string;
  /** The right door of a room first, then the others. */
  doors(item: number, room: string): readonly [string, ...string[]];
  readonly goal: string;
}

const GOAL = 'the goal';

export function maze(length: number): Maze {
  const name = (item: number, depth: number): string => (depth === length ? GOAL : `room ${item}-${depth}`);
  const depthOf = (room: string): number => (room === GOAL ? length : Number(room.split('-').at(-1)));
  const onward = (item: number, depth: number): string => (draw('W2', item, depth) < 0.5 ? 'left' : 'right');
  const go = (item: number, room: string, door: string): string => {
    const depth = depthOf(room);
    return name(item, door === onward(item, depth) ? depth + 1 : Math.max(0, depth - 1));
  };
  /** Doors to the goal by breadth-first search backwards over what the doors do. */
  const distance = (item: number, from: string): number => {
    let [edge, seen, steps] = [[from], new Set([from]), 0];
    while (!edge.includes(GOAL)) {
      edge = edge
        .flatMap((room) => ['left', 'right'].map((door) => go(item, room, door)))
        .filter((room) => !seen.has(room));
      for (const room of edge) seen.add(room);
      steps++;
    }
    return steps;
  };
  return {
    length,
    goal: GOAL,
    go,
    start: (item) => name(item, 0),
    doors: (item, room) => {
      const byDistance = ['left', 'right'].map((door) => ({ door, left: distance(item, go(item, room, door)) }));
      const [best, other] = byDistance.sort((a, b) => a.left - b.left);
      return [best?.door ?? 'left', ...(other === undefined ? [] : [other.door])];
    },
    ask: (item) => `${mark(item)}: find the goal. You are in ${name(item, 0)}.`,
    truth: () => 'found',
    wrong: (_item, n) => `lost ${n}`,
  };
}
