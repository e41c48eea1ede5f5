import { expect, it } from 'vitest';
import { seededRandom } from './seeded-random.js';

const draw = (seed: number | string) => {
  const random = seededRandom(seed);
  return Array.from({ length: 20 }, () => random());
};

it('repeats its numbers for the same seed and differs for another [R2-KIT-RANDOM]', () => {
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw('case a')).toEqual(draw('case a'));
  expect(draw('case a')).not.toEqual(draw('case b'));
});

it('keeps the numbers it gave before, so that reported seeds stay good', () => {
  const random = seededRandom(1);
  expect([random.int(1000), random.int(1000), random.int(1000)]).toEqual([627, 2, 527]);
});

it('spreads whole numbers over the range', () => {
  const random = seededRandom(3);
  const counts = new Array<number>(10).fill(0);
  for (let drawn = 0; drawn < 10_000; drawn++) {
    const value = random.int(10);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1150);
});

it('picks from a list and refuses an empty one', () => {
  const random = seededRandom(4);
  const picked = new Set(Array.from({ length: 50 }, () => random.pick(['a', 'b', 'c'])));
  expect([...picked].sort()).toEqual(['a', 'b', 'c']);
  expect(() => random.pick([])).toThrow(/at least 1/);
});

it('shuffles a copy and loses nothing', () => {
  const list = Array.from({ length: 20 }, (_, index) => index);
  const shuffled = seededRandom(5).shuffle(list);
  expect(shuffled).not.toEqual(list);
  expect([...shuffled].sort((a, b) => a - b)).toEqual(list);
  expect(seededRandom(5).shuffle(list)).toEqual(shuffled);
});
