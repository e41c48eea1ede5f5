import { describe, expect, it } from 'vitest';
import { defect, PEARS, subject } from '../../../../../../test/loops/repair-bed.js';
import { expandedQueries } from './expanded-queries.js';

const gap = defect({ description: 'Nothing says when the harvest was.', facts: { query: 'harvest date' } });

describe('expanded queries', () => {
  it('begin with what the finder named, then what it said, then the same beside the goal [R4-LOOP-GAP]', () => {
    expect(expandedQueries([gap], subject([PEARS]), [])).toEqual([
      'harvest date',
      'Nothing says when the harvest was.',
      'Count the pears. Nothing says when harvest',
      'Count pears number pears',
    ]);
  });

  it('ask nothing that was asked before, found or not [R4-LOOP-GAP]', () => {
    const first = expandedQueries([gap], subject([PEARS]), []);
    expect(expandedQueries([gap], subject([PEARS]), first)).toEqual([]);
    expect(expandedQueries([gap], subject([PEARS]), ['HARVEST  date'])).toEqual(first.slice(1));
    const evidence = { items: [], gaps: ['harvest date'] };
    const beside = expandedQueries([gap], subject([PEARS], { evidence }), []);
    expect(beside).not.toContain('harvest date');
    expect(beside).toContain('Count the pears. harvest date');
  });

  it('are few and short', () => {
    const many = Array.from({ length: 50 }, (_none, n) =>
      defect({ id: `d${n}`, description: `${n} ${'word '.repeat(200)}` }),
    );
    const queries = expandedQueries(many, subject([PEARS]), []);
    expect(queries).toHaveLength(6);
    expect(queries.every(({ length }) => length <= 200)).toBe(true);
  });
});
