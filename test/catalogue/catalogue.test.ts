import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogueJson, patternSpec } from 'flyball/catalogue';
import { describe, expect, it } from 'vitest';
import { antiPatterns, guides, patterns, relations, stacks } from '../../packages/flyball/src/catalogue/catalogue.js';
import type { Condition } from '../../packages/flyball/src/catalogue/types.js';
import { type Formula, predicted } from '../../packages/flyball/src/core/formula.js';
import { exportsOf } from '../../scripts/api/exports.mjs';
import { root } from '../../scripts/files.mjs';
import { publicEntries } from '../../scripts/packages.mjs';

const ids: ReadonlySet<string> = new Set(patterns.map(({ id }) => id));

/** What a formula names. */
function namesIn(formula: Formula, kind: 'param' | 'part'): readonly string[] {
  if (typeof formula === 'number') return [];
  if ('param' in formula) return kind === 'param' ? [formula.param] : [];
  if ('part' in formula) return kind === 'part' ? [formula.part] : [];
  if ('fact' in formula) return namesIn(formula.most, kind);
  return ('sum' in formula ? formula.sum : formula.times).flatMap((term) => namesIn(term, kind));
}

describe('the catalogue', () => {
  it('names only patterns that it has [R17-CATALOGUE]', () => {
    const named = [
      ...relations.flatMap(({ from, to }) => [from, ...to]),
      ...antiPatterns.flatMap(({ fix }) => fix),
      ...guides.flatMap(({ take, instead = [] }) => [...take, ...instead]),
      ...stacks.flatMap(({ patterns: all, missing = [], thenMissing = [] }) => [...all, ...missing, ...thenMissing]),
    ].filter((id) => /^[A-Z]\d+$/.test(id));
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('has a formula for each pattern whose unknowns are its own options, and which gives an interval [R17-CATALOGUE]', () => {
    for (const { id, calls, params } of patterns) {
      expect([id, namesIn(calls, 'param').filter((name) => !(name in params))]).toEqual([id, []]);
      const values = Object.fromEntries(Object.entries(params).map(([name, { default: given = 3 }]) => [name, given]));
      const parts = Object.fromEntries(namesIn(calls, 'part').map((name) => [name, { min: 1, max: 1 }]));
      const { min, max } = predicted(calls, { params: values, parts });
      expect([id, Number.isFinite(max) && min >= 0 && min <= max]).toEqual([id, true]);
    }
  });

  it('has no condition that only a person could read: each is a fact, a measure, a profile, a place or a question [R17-CONDITIONS]', () => {
    const isDecided = (when: Condition): boolean => {
      if (typeof when === 'string') return ['always', 'both', 'task', 'agent', 'span'].includes(when);
      if ('anyOf' in when) return when.anyOf.every(isDecided);
      if ('allOf' in when) return when.allOf.every(isDecided);
      if ('present' in when) return ids.has(when.present);
      return Object.entries(when).every(([kind, value]) =>
        kind === 'measured' || kind === 'fact' || kind === 'profile' || kind === 'person'
          ? /^[a-z]+(-[a-z]+)*$/.test(String(value))
          : typeof value === 'number',
      );
    };
    for (const { from, to, when } of relations) expect([from, to, isDecided(when)]).toEqual([from, to, true]);
  });

  it('finds a pattern by its id or by its function', () => {
    expect(patternSpec('R17')?.name).toBe('Self-Consistency Voting');
    expect(patternSpec('r17')?.id).toBe('R17');
    expect(patternSpec('selfConsistency')?.id).toBe('R17');
    expect(patternSpec('S7')).toBeUndefined();
  });

  it('says of each clause which tests show it, and they are there [R17-CLAUSES]', () => {
    const { patterns: all } = catalogueJson();
    const shown = all.flatMap(({ clauses }) => clauses).filter(({ shows }) => shows.length > 0);
    expect(shown.length).toBeGreaterThan(300);
    for (const { id, shows } of shown)
      for (const file of shows) expect(readFileSync(join(root, file), 'utf8')).toContain(`[${id}]`);
    expect(all.find(({ id }) => id === 'R17')?.status).toBe('complete');
    expect(all.find(({ id }) => id === 'H10')?.status).toEqual({
      missing: Array.from({ length: 9 }, (_none, n) => `H10.${n + 1}`),
    });
  });

  it('has a function for every pattern that is complete [R17-EXPORTS]', () => {
    const names = new Set(publicEntries().flatMap(({ source }) => [...exportsOf(source).keys()]));
    const complete = catalogueJson().patterns.filter(({ status }) => status === 'complete');
    expect(complete.length).toBeGreaterThan(20);
    for (const {
      id,
      exports: [name = ''],
    } of complete)
      expect([id, names.has(name)]).toEqual([id, true]);
  });

  it('is not loaded by importing flyball, and is in the package as JSON [R17-JSON]', () => {
    const entry = join(root, 'packages/flyball/src/index.ts');
    const reached = reachedFrom(entry);
    expect(reached.size).toBeGreaterThan(50);
    expect([...reached].filter((file) => file.includes('/catalogue/'))).toEqual([]);
    const json = readFileSync(join(root, 'packages/flyball/dist/catalogue/catalogue.json'), 'utf8');
    expect(JSON.parse(json)).toMatchObject({ version: 1, patterns: expect.any(Array) });
    expect((JSON.parse(json) as { patterns: unknown[] }).patterns).toHaveLength(94);
  });
});

/** Files that a module imports, and those that they import, but for types and for what is loaded later. */
function reachedFrom(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, words = '', path = ''] of text.matchAll(/^(?:import|export) ([^;]*?)from '(\.[^']+)'/gms))
    if (!words.startsWith('type ')) reachedFrom(join(dirname(file), path.replace(/\.js$/, '.ts')), seen);
  return seen;
}
