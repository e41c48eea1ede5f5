import { expect, it } from 'vitest';
import { inTurns } from './turns.js';

it('of 1,000 to 1 the one has its turn at once, and none is left out [R10-WORK-FAIR]', () => {
  const items = [...Array.from({ length: 1_000 }, (_, n) => `large ${n}`), 'small 0'];
  const tenantOf = (item: string) => item.split(' ')[0] ?? '';
  expect(inTurns(items, tenantOf, { limit: 3 })).toEqual(['large 0', 'small 0', 'large 1']);
  expect(inTurns(items, tenantOf, { limit: 2, after: 'large' })).toEqual(['small 0', 'large 0']);
  expect(inTurns(items, tenantOf, { limit: 2_000, after: 'zz' })).toHaveLength(1_001);
  expect(inTurns([], tenantOf, { limit: 1 })).toEqual([]);
});
