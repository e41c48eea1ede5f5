import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHOWN_FILE, shownModule } from '../scripts/clauses-shown.mjs';
import { root } from '../scripts/files.mjs';
import { claims, claimsIn, problems, requirementFiles, updated } from '../scripts/requirements.mjs';

describe('the requirements', () => {
  it('name only tests and benchmarks that name them, and every named id exists once', () => {
    const entries = requirementFiles().flatMap(({ entries }) => entries);
    expect(entries.length).toBeGreaterThan(90);
    expect(problems(entries, claims())).toEqual([]);
  });

  it('are in the catalogue of patterns as they are here: `npm run requirements -- --update` writes it anew [R17-CLAUSES]', () => {
    const entries = requirementFiles().flatMap(({ entries }) => entries);
    expect(readFileSync(join(root, SHOWN_FILE), 'utf8')).toBe(shownModule(entries));
  });
});

/** Put together here, so that the scan of this very file does not take the samples for claims. */
const id = (name: string) => `R0-${name}`;
const entry = (name: string, shows: string[], status: 'done' | 'open' = 'done') => ({
  id: id(name),
  text: name,
  status,
  shows,
});

describe('the check', () => {
  it('finds an entry that is marked done and names nothing', () => {
    expect(problems([entry('A', [])], new Map())).toEqual([`${id('A')} is marked done, but nothing shows it.`]);
  });

  it('finds an entry whose file no longer names it', () => {
    const claimed = new Map([['test/a.test.ts', new Set<string>()]]);
    expect(problems([entry('A', ['test/a.test.ts'])], claimed)).toEqual([
      `${id('A')} names test/a.test.ts, which does not show it.`,
    ]);
  });

  it('finds a test that names an unknown id', () => {
    const claimed = new Map([['test/a.test.ts', new Set([id('B')])]]);
    expect(problems([entry('A', [], 'open')], claimed)).toEqual([
      `test/a.test.ts names ${id('B')}, which is no requirement.`,
    ]);
  });

  it('finds an id that is there twice', () => {
    expect(problems([entry('A', [], 'open'), entry('A', [], 'open')], new Map())).toEqual([
      `${id('A')} is there twice.`,
    ]);
  });

  it('reads ids from titles of tests and from the header of a benchmark', () => {
    expect(claimsIn('src/core/a.test.ts', `it('carves [${id('A')}] [${id('B')}]', …)`)).toEqual(
      new Set([id('A'), id('B')]),
    );
    expect(claimsIn('bench/a.ts', `// shows: ${id('A')}, ${id('B')}\n`)).toEqual(new Set([id('A'), id('B')]));
    expect(claimsIn('src/core/a.test.ts', `// ${id('A')} comes later`)).toEqual(new Set());
    const fault = ['F', 'Z99'].join('-');
    expect(claimsIn('src/core/a.test.ts', `it('holds [${fault}] [${id('A')}]', …)`)).toEqual(new Set([fault, id('A')]));
    expect(claimsIn('bench/a.ts', `// shows: ${fault}, ${id('B')}\n`)).toEqual(new Set([fault, id('B')]));
  });

  it('marks an entry done while something shows it, and open again when nothing does', () => {
    const claimed = new Map([['test/a.test.ts', new Set([id('A')])]]);
    expect(updated([entry('A', [], 'open'), entry('B', ['test/gone.test.ts'])], claimed)).toEqual([
      entry('A', ['test/a.test.ts']),
      entry('B', [], 'open'),
    ]);
  });
});
