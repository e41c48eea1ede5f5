import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  antiPatterns,
  mechanisms,
  patterns,
  relations,
  stacks,
} from '../../packages/flyball/src/catalogue/catalogue.js';
import type { ParamSpec, PatternSpec } from '../../packages/flyball/src/catalogue/types.js';
import { root } from '../../scripts/files.mjs';

/** The specification that the catalogue puts into our words. It lies beside a checkout of whoever works on the catalogue. */
const folder = join(root, '..', 'shared', 'patterns');
const isThere = existsSync(join(folder, '6-mechanisms-and-composition.md'));
if (!isThere) console.log(`The catalogue is not held against its specification: ${folder} is not there.`);

const read = (name: string): string => (isThere ? readFileSync(join(folder, name), 'utf8') : '');
const map = read('6-mechanisms-and-composition.md');
const rows = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly part: (title: string) => string;
}

const entries: readonly Entry[] = (isThere ? readdirSync(folder) : [])
  .filter((file) => /^[1-5]-/.test(file))
  .flatMap((file) =>
    read(file)
      .split(/^### /m)
      .slice(1)
      .flatMap((text) => {
        const [, id = '', name = ''] = /^([SKROVIH]\d+) (.+)$/m.exec(text.split('\n')[0] ?? '') ?? [];
        const part = (title: string) => new RegExp(`\\*\\*${title}\\*\\*: (.*)`).exec(text)?.[1] ?? '';
        return id === '' ? [] : [{ id, name, text, part }];
      }),
  );
const specOf = (id: string): PatternSpec => patterns.find((spec) => spec.id === id) as PatternSpec;

/** Pieces of a list that is cut at semicolons, but for those in parentheses. */
function pieces(text: string): readonly string[] {
  const found: string[] = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ';' && depth === 0) found.push('');
    else found[found.length - 1] += letter;
  }
  return found.filter((piece) => piece.trim() !== '');
}

describe.skipIf(!isThere)('the catalogue and its specification', () => {
  it('have the same 94 patterns, under the same names [R17-CATALOGUE]', () => {
    const named = entries.map(({ id, name }) => `${id} ${name.replace(/ \(LATS\)$/, '')}`);
    expect(patterns.map(({ id, name }) => `${id} ${name}`).sort()).toEqual(named.sort());
    expect(patterns).toHaveLength(94);
  });

  it('have the same functions and kinds [R17-CATALOGUE]', () => {
    const kinds = {
      A: 'agent',
      W: 'wrapper',
      F: 'framing',
      G: 'guard',
      R: 'retriever',
      M: 'store',
      P: 'window',
      T: 'tool',
      J: 'test',
      X: 'beside',
      K: 'kernel',
    } as const;
    const table = read('11-names-table.md')
      .split('\n')
      .map((line) => line.split('|'))
      .filter(([id = '']) => /^[SKROVIH]\d+$/.test(id));
    expect(table).toHaveLength(94);
    for (const [id = '', , kind = '', signature = ''] of table) {
      const { exports: names, kind: own } = specOf(id);
      expect([id, own]).toEqual([id, kinds[kind as keyof typeof kinds]]);
      for (const name of names) expect(signature).toContain(`${name}(`);
    }
  });

  it('have as many clauses and failures for each pattern: 743 clauses in all [R17-CATALOGUE]', () => {
    const counted = entries.map(({ id, part }) => [
      id,
      part('Must hold').split(';').length,
      pieces(part('Failure modes')).length,
    ]);
    expect(patterns.map(({ id, clauses, failures }) => [id, clauses.length, failures.length]).sort()).toEqual(
      counted.sort(),
    );
    expect(patterns.flatMap(({ clauses }) => clauses)).toHaveLength(743);
  });

  it('have the same figures: a default or range that is said to come from there stands there [R17-CATALOGUE]', () => {
    const names = read('11-names-table.md').split('\n');
    const unknown = entries.flatMap(({ id, text }) => {
      const source = `${text}\n${names.find((line) => line.startsWith(`${id}|`)) ?? ''}`;
      return Object.entries(specOf(id).params).flatMap(([name, param]) =>
        figuresOf(param)
          .filter((figure) => !standsIn(source, figure))
          .map((figure) => `${id} ${name} ${figure}`),
      );
    });
    expect(unknown).toEqual([]);
  });

  it('have the same 214 relations, and the same of them hold always [R17-CATALOGUE]', () => {
    const always = /^(always|every level|handoff layer|every principle change)$/;
    const partB = map.slice(map.indexOf('## Part B'), map.indexOf('## Part C'));
    const there = partB.split(/^### (?=B\d)/m).flatMap((part) =>
      rows(part)
        .filter(([, kind = '']) => /^(requires|conflicts|upgrades-to|tension)$/.test(kind))
        .map(([from = '', kind = '', to = '', when = '']) => {
          const isAlways = kind === 'requires' ? ` ${always.test(when)}` : '';
          return `${part.slice(0, 2)} ${from} ${kind} ${to.replace(/^SO$/, '*native')}${isAlways}`;
        }),
    );
    const here = relations.map(
      ({ from, kind, to, table, when }) =>
        `${table} ${from} ${kind} ${to.join(' or ')}${kind === 'requires' ? ` ${when === 'always'}` : ''}`,
    );
    expect(here.sort()).toEqual(there.sort());
    expect(relations).toHaveLength(214);
  });

  it('have the same mechanisms, anti-patterns, levels and fixes [R17-CATALOGUE]', () => {
    const said = [...map.matchAll(/^### (M\d+) (.+) \((.*)\)$/gm)].map(([, id, , grade = '']) => [
      id,
      /^grade A$/.test(grade) ? 'axiom' : 'direction',
    ]);
    expect(mechanisms.map(({ id, grade }) => [id, grade])).toEqual(said);
    const partC = map.slice(map.indexOf('### C1'), map.indexOf('## Part D'));
    const found = rows(partC).filter(([id = '']) => /^(A|HA|IA|CE)\d+$/.test(id));
    expect(found).toHaveLength(34);
    expect(antiPatterns.map(({ id, name }) => [id, name])).toEqual(found.map(([id, name]) => [id, name]));
    for (const cells of found) {
      const own = antiPatterns.find(({ id }) => id === cells[0]);
      const [detection = '', fix = ''] = cells.slice(-2);
      expect([cells[0], own?.level]).toEqual([
        cells[0],
        /\berror\b/.test(
          detection.replace(/ \(error.*?\)/g, '').replace(/error mapping|error span|surfaced error/g, ''),
        ) || detection.startsWith('T error')
          ? 'error'
          : 'warning',
      ]);
      for (const [id] of fix.matchAll(/\b[SKROVIH]\d+\b/g))
        expect([cells[0], own?.fix]).toEqual([cells[0], expect.arrayContaining([id])]);
    }
  });

  it('have the same loops and stacks [R17-CATALOGUE]', () => {
    const loops = /\*loop` any of ([^;]*?)\(each/s.exec(map)?.[1] ?? '';
    const ids = loops.split(/[,\s]+/).flatMap((word) => {
      const [, letter = '', from, to] = /^([A-Z])(\d+)(?:-[A-Z]?(\d+))?$/.exec(word) ?? [];
      if (letter === '') return [];
      return Array.from(
        { length: Number(to ?? from) - Number(from) + 1 },
        (_none, n) => `${letter}${Number(from) + n}`,
      );
    });
    expect(
      patterns
        .filter(({ isLoop }) => isLoop)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids.sort());
    const cells = rows(map).filter(
      ([id = '', , stack = '']) => /^X\d+b?$/.test(id) && !stack.startsWith('source ends'),
    );
    const list = (cell = ''): readonly string[] => (cell === 'none' ? [] : cell.split(/\s+/));
    expect(
      stacks
        .filter(({ missing }) => missing !== undefined)
        .map(({ id, patterns: all, missing, thenMissing }) => [id, all, missing, thenMissing]),
    ).toEqual(cells.map(([id, , stack, missing, then]) => [id, list(stack), list(missing), list(then)]));
  });
});

/** What has to stand in the specification: numbers that are said to be the catalogue's. */
function figuresOf({ source, default: given, range }: ParamSpec): readonly (number | string)[] {
  return source === 'ours' ? [] : [...(given === undefined ? [] : [given]), ...(range ?? [])];
}

/** Shares stand there as percentages, and large numbers in several ways. */
function standsIn(text: string, figure: number | string): boolean {
  if (typeof figure === 'string') return text.includes(figure);
  if (figure === Math.SQRT2) return text.includes('SQRT2') || text.includes('√2');
  const forms = [
    String(figure),
    figure.toFixed(2),
    figure.toLocaleString('en-US'),
    figure.toLocaleString('en-US').replaceAll(',', '_'),
  ];
  if (figure <= 1)
    forms.push(`${Math.round(figure * 100)}%`, `${Math.round(figure * 100)} %`, `${Math.round(figure * 100)}–`);
  if (figure >= 1_000) forms.push(`${figure / 1_000}k`, `${figure / 1_000} s`, `${figure / 60_000} min`);
  const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
  return forms.some((form) => text.includes(form)) || text.toLowerCase().includes(words[figure] ?? '\0');
}
