import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../../test/patience.js';
import { matchesGlob, readGlob } from './glob.js';

const matches = (glob: string, path: string): boolean => matchesGlob(readGlob(glob) ?? [], path);

describe('a glob', () => {
  it.each([
    ['*.ts', 'a.ts'],
    ['**/*.ts', 'a.ts'],
    ['**/*.ts', 'src/deep/a.ts'],
    ['src/**', 'src'],
    ['src/**', 'src/a/b'],
    ['src/**/test/*.{ts,tsx}', 'src/a/b/test/x.tsx'],
    ['a?c', 'abc'],
    ['*a*b*', 'xxaxxbxx'],
    ['{a,b{c,d}}/e', 'bd/e'],
    ['./src/*.ts', 'src/a.ts'],
    ['**', ''],
  ])('%s matches %s', (glob, path) => expect(matches(glob, path)).toBe(true));

  it.each([
    ['*.ts', 'src/a.ts'],
    ['*.ts', 'a.tsx'],
    ['src/*', 'src/a/b'],
    ['a?c', 'ac'],
    ['a.c', 'abc'],
    ['**/x', 'a/xx'],
  ])('%s does not match %s', (glob, path) => expect(matches(glob, path)).toBe(false));

  it.each(['', 'a'.repeat(513), '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'])(
    '%j is refused because it has no bound',
    (glob) => expect(readGlob(glob)).toBeUndefined(),
  );

  it('that is made to backtrack is answered at once', () => {
    const glob = `${'*a'.repeat(100)}b`;
    const name = 'a'.repeat(250);
    const started = processorMs();
    expect(matches(glob, name)).toBe(false);
    expect(matches('**/'.repeat(100).concat('x'), 'a/'.repeat(100))).toBe(false);
    expect(processorMs() - started).toBeLessThan(500);
  });
});
