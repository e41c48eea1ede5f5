import { describe, expect, it } from 'vitest';
import { smallTogether } from '../scripts/small-chunks.mjs';

const chunk = (file: string, bytes: number, imports: readonly string[] = [], more: object = {}) => ({
  file,
  bytes,
  imports,
  isEntry: false,
  isLoadedAlone: false,
  ...more,
});
const entry = (file: string, imports: readonly string[]) =>
  chunk(file, 500, imports, { isEntry: true, isLoadedAlone: true });
const onDemand = (file: string, bytes: number, imports: readonly string[] = []) =>
  chunk(file, bytes, imports, { isLoadedAlone: true });
const sorted = (groups: readonly (readonly string[])[]) => groups.map((files) => [...files].sort()).sort();

describe('smallTogether', () => {
  it('puts small commands together, and leaves entries and what fills its blocks alone', () => {
    const chunks = [
      entry('main', []),
      onDemand('pause', 1_000),
      onDemand('cancel', 1_200),
      onDemand('archive', 30_000),
      onDemand('prune', 40_000),
    ];
    expect(sorted(smallTogether(chunks))).toEqual([['cancel', 'pause']]);
  });

  it('makes no import load more than a few kilobytes that it does not need', () => {
    const heavy = [chunk('toolbox', 200_000), onDemand('doctor', 1_000, ['toolbox']), onDemand('pause', 1_000)];
    expect(smallTogether(heavy).flat()).not.toContain('pause');
  });

  it('closes no cycle: what is imported through a third file stays apart from it', () => {
    // a and c as one would import b, which imports c
    const line = [entry('main', ['a']), chunk('a', 100, ['b']), entry('b', ['c']), chunk('c', 100)];
    expect(smallTogether(line)).toEqual([]);
  });
});
