import { describe, expect, it } from 'vitest';
import { GrepIndex } from './grep.js';

const DOCUMENTS = [
  { id: 'a', text: 'A fee. Another FEE (waived).' },
  { id: 'b', text: 'fee fee fee' },
  { id: 'c', text: 'Straße, STRASSE, ſtop; price: 5 $' },
];

function found(pattern: string, options: { caseSensitive?: boolean; limit?: number } = {}): readonly unknown[] {
  const hits = new GrepIndex(DOCUMENTS).search({ pattern, limit: 10, ...options });
  return hits.map(({ id, score }) => [id, score]);
}

describe('grep', () => {
  it('counts matches, most first, with or without case', () => {
    expect(found('fee')).toEqual([
      ['b', 3],
      ['a', 2],
    ]);
    expect(found('fee', { caseSensitive: true })).toEqual([
      ['b', 3],
      ['a', 1],
    ]);
    expect(found('fee', { limit: 1 })).toEqual([['b', 3]]);
  });

  it('searches for a pattern that Python would refuse as it is written [R5-RET-GREP]', () => {
    expect(found('FEE (')).toEqual([['a', 1]]);
    expect(found('5 $')).toEqual([]); // valid: a 5 and a blank at the end
    expect(found('(?<n>fee)')).toEqual([]);
    expect(found('[waived')).toEqual([]);
  });

  it('knows what a JavaScript pattern cannot say [R5-RET-GREP]', () => {
    expect(found('(?P<w>fee) (?P=w)')).toEqual([['b', 1]]);
    expect(found('(?x) fee [ ] # twice\n fee')).toEqual([['b', 1]]);
    expect(found('(?-i:FEE)')).toEqual([['a', 1]]);
    expect(found('\\Afee|fee\\Z')).toEqual([['b', 2]]);
    expect(found('(fee)?(?(1) fee|zzz)')).toEqual([['b', 1]]);
    expect(found('(?!(f)x)(?(1)zzz|fee)', { limit: 1 })).toEqual([['b', 3]]); // a look that failed captured nothing
    expect(found('(?>f*)ee')).toEqual([
      ['b', 3],
      ['a', 2],
    ]);
    expect(found('s{,1}top')).toEqual([['c', 1]]);
  });

  it('takes letters with one upper case for the same when case is ignored', () => {
    expect(found('stop')).toEqual([['c', 1]]);
    expect(found('straße')).toEqual([['c', 1]]);
  });

  it('counts empty matches, and one at the end of a match, as findall does', () => {
    expect(found('x*', { limit: 1 })).toEqual([['c', 34]]);
    expect(found('(?:fee)*').at(-1)).toEqual(['b', 6]);
  });

  it('finds nothing for a blank pattern', () => {
    expect(found(' \n')).toEqual([]);
  });

  it('ends a pattern that would take for ever with an error that says what to do [R5-RET-GREP]', () => {
    const index = new GrepIndex([{ id: 'a', text: `${'a'.repeat(40)}!` }], { steps: 100_000 });
    expect(() => index.search({ pattern: '(a+)+$', limit: 1 })).toThrow(/too many steps.*repeats inside repeats/);
    expect(index.search({ pattern: 'a+', limit: 1 })).toHaveLength(1);
  });

  it('does not run out of stack on a long text or a deep pattern', () => {
    const long = new GrepIndex([{ id: 'a', text: 'ab'.repeat(20_000) }]);
    expect(long.search({ pattern: '(?:ab|c)*', limit: 1 })).toEqual([{ id: 'a', score: 2 }]);
    const deep = `${'('.repeat(5000)}a${')'.repeat(5000)}`;
    expect(long.search({ pattern: deep, limit: 1 })).toEqual([]);
  });
});
