import { describe, expect, it } from 'vitest';
import type { Formula } from '../../packages/flyball/src/core/formula.js';
import type { PatternUse } from '../../packages/flyball/src/views/patterns-in.js';
import { calculated, intervalText, unknownsOf } from '../../packages/studio/src/patterns/calculate.js';
import { filtered, type PatternInfo } from '../../packages/studio/src/patterns/catalogue.js';
import { arrowsOf, neighborsOf, onCircle } from '../../packages/studio/src/patterns/graph-layout.js';
import { asPredicted, type RunFinding, spanTree } from '../../packages/studio/src/patterns/span-tree.js';

const VOTE: Formula = {
  sum: [
    { times: [{ param: 'samples' }, { part: 'agent' }] },
    { times: [{ fact: 'grouped', least: 0, most: 2 }, { part: 'same' }] },
  ],
};

describe('the formula calculator', () => {
  it('asks for options, parts and what only a run knows, and predicts as the runtime does [R17-STUDIO-PAGE]', () => {
    expect(unknownsOf(VOTE)).toMatchObject({
      params: ['samples'],
      parts: ['agent', 'same'],
      facts: [{ name: 'grouped' }],
    });
    const calls = (facts: Record<string, number>, parts = {}) =>
      calculated(VOTE, { params: { samples: 5 }, parts, facts });
    expect(calls({})).toEqual({ kind: 'calls', calls: { min: 5, max: 7 } });
    expect(calls({ grouped: 1 }, { agent: 3 })).toEqual({ kind: 'calls', calls: { min: 16, max: 16 } });
    expect(calls({ grouped: 3 })).toEqual({ kind: 'problem', text: 'grouped is between 0 and 2.' });
    expect(calculated(VOTE, { params: {}, parts: {}, facts: {} })).toMatchObject({ kind: 'problem' });
    const several = { steps: 'steps' };
    expect(calculated({ part: 'steps' }, { params: { steps: 3 }, parts: {}, facts: {}, several })).toEqual({
      kind: 'calls',
      calls: { min: 3, max: 3 },
    });
    expect(intervalText({ min: 0, max: Number.MAX_SAFE_INTEGER })).toBe('at least 0');
  });
});

describe('the catalogue in the studio', () => {
  const pattern = (id: string, category: string, purpose: string, missing?: number) =>
    ({
      ...{ id, name: id, category, purpose, exports: [id.toLowerCase()], kind: 'agent' },
      clauses: [{}, {}],
      status: missing === undefined ? 'complete' : { missing: Array.from({ length: missing }, String) },
    }) as unknown as PatternInfo;
  const all = [pattern('A1', 'one', 'votes'), pattern('B1', 'two', 'votes twice', 1), pattern('B2', 'two', 'asks', 2)];

  it('is filtered by words, category and status together [R17-STUDIO-PAGE]', () => {
    const ids = (text: string, category = '', status = '') =>
      filtered(all, { text, category, status }).map(({ id }) => id);
    expect(ids('')).toEqual(['A1', 'B1', 'B2']);
    expect(ids('VOTES')).toEqual(['A1', 'B1']);
    expect(ids('votes', 'two')).toEqual(['B1']);
    expect(ids('', '', 'not built')).toEqual(['B2']);
    expect(ids('', 'two', 'complete')).toEqual([]);
  });

  it('draws a pattern in the middle of its neighbors, and only relations between two patterns [R17-STUDIO-PAGE]', () => {
    const arrows = arrowsOf([
      { from: 'A1', kind: 'requires', to: ['B1', 'B2'], why: '' },
      { from: '*agent', kind: 'requires', to: ['B1'], why: '' },
      { from: 'B1', kind: 'tension', to: ['*cache'], why: '' },
    ]);
    expect(arrows.map(({ from, to }) => `${from} ${to}`)).toEqual(['A1 B1', 'A1 B2']);
    expect(neighborsOf('B1', arrows, ['A1', 'B1', 'B2'])).toEqual(['A1', 'B1']);
    expect(onCircle(['A1', 'B1', 'B2'], 'B1').get('B1')).toEqual({ id: 'B1', x: 0, y: 0 });
  });
});

describe('the patterns of a run', () => {
  const use = (path: string, more: Partial<PatternUse> = {}): PatternUse => ({
    ...{ path, pattern: 'p', generation: 0, startedAt: 0, modelCalls: 1, costUsd: 0 },
    ...more,
  });
  const finding = (path?: string): RunFinding => ({
    ...{ rule: 'A8', level: 'warning', from: 'journal', at: 'run', why: 'w', change: 'c' },
    ...(path === undefined ? {} : { path }),
  });

  it('are a tree by their paths, with findings where they belong and the rest above [R17-STUDIO-TAB]', () => {
    const { roots, rest } = spanTree(
      [use('/a.0'), use('/a.0/b.0'), use('/a.0/b.0/c.0'), use('/a.1')],
      [finding('/a.0/b.0'), finding(), finding('/gone.0')],
    );
    expect(roots.map(({ use: { path }, children }) => [path, children.length])).toEqual([
      ['/a.0', 1],
      ['/a.1', 0],
    ]);
    expect(roots[0]?.children[0]).toMatchObject({ findings: [{ path: '/a.0/b.0' }], children: [{ children: [] }] });
    expect(rest).toHaveLength(2);
  });

  it('are as predicted, or made more or fewer calls; an open one cannot have made too few [R17-STUDIO-TAB]', () => {
    const predicted = { min: 2, max: 3 };
    expect(asPredicted(use('/a', { predicted, modelCalls: 4 }))).toBe('more');
    expect(asPredicted(use('/a', { predicted, modelCalls: 1 }))).toBeUndefined();
    expect(asPredicted(use('/a', { predicted, modelCalls: 1, how: 'done' }))).toBe('fewer');
    expect(asPredicted(use('/a', { predicted, modelCalls: 2, how: 'done' }))).toBe('yes');
    for (const how of ['failed', 'bounded', 'blocked'] as const)
      expect(asPredicted(use('/a', { predicted, modelCalls: 1, how }))).toBe('yes'); // it ended before it could make them
    expect(asPredicted(use('/a'))).toBeUndefined();
  });
});
