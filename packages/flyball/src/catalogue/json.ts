import { formulaText } from '../core/formula.js';
import { antiPatterns, categories, guides, mechanisms, patterns, relations, stacks } from './catalogue.js';
import { EXAMPLES } from './examples.js';
import { SHOWN } from './shown.js';
import type {
  CatalogueEntry,
  CatalogueJson,
  ClauseStatus,
  PatternExample,
  PatternSpec,
  PatternStatus,
} from './types.js';

/** The whole catalogue as `flyball/catalogue.json` has it. */
export function catalogueJson(): CatalogueJson {
  const shows = shownClauses();
  const examples = examplesById();
  return {
    version: 1,
    categories,
    mechanisms,
    patterns: patterns.map((spec) => ({ ...entryOf(spec, shows), examples: examples.get(spec.id) ?? [] })),
    relations,
    antiPatterns,
    guides,
    stacks,
  };
}

function entryOf(spec: PatternSpec, shows: ReadonlyMap<string, readonly string[]>): Omit<CatalogueEntry, 'examples'> {
  const clauses = spec.clauses.map((text, index): ClauseStatus => {
    const id = `${spec.id}.${index + 1}`;
    return { id, text, shows: shows.get(id) ?? [] };
  });
  return {
    ...spec,
    clauses,
    status: statusOf(clauses),
    formula: formulaText(spec.calls),
    resolves: antiPatterns.filter(({ fix }) => fix.includes(spec.id)).map(({ id }) => id),
  };
}

function statusOf(clauses: readonly ClauseStatus[]): PatternStatus {
  const missing = clauses.filter(({ shows }) => shows.length === 0).map(({ id }) => id);
  return missing.length === 0 ? 'complete' : { missing };
}

/** The test files of each clause. */
function shownClauses(): ReadonlyMap<string, readonly string[]> {
  const shows = new Map<string, readonly string[]>();
  for (const line of SHOWN.trim().split('\n')) {
    const [file = '', ...ids] = line.split(' ');
    for (const id of ids) shows.set(id, [...(shows.get(id) ?? []), file]);
  }
  return shows;
}

/** `=== R7 reflexion`, what the example needs, `---`, and the example. */
function examplesById(): ReadonlyMap<string, readonly PatternExample[]> {
  const found = new Map<string, readonly PatternExample[]>();
  for (const block of EXAMPLES.split(/^=== /m).slice(1)) {
    const [, id = '', name = '', setup = '', code = ''] = /^(\S+) (\S+)\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(block) ?? [];
    found.set(id, [...(found.get(id) ?? []), { export: name, setup: setup.trim(), code: code.trimEnd() }]);
  }
  return found;
}
