import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, root } from '../scripts/files.mjs';
import { type Node, parsed } from './source-nodes.js';

/** The parts that one life of a run is made of. */
const PARTS = ['attempt', 'delivery', 'journal', 'admission', 'books', 'guards', 'effects-under-way', 'run-life'].map(
  (name) => `packages/flyball/src/runtime/${name}.ts`,
);

const LONGEST_FUNCTION = 75;
const MOST_FIELDS = 16;

function fieldsOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  return nodes
    .filter(({ type }) => type === 'ClassBody')
    .map(({ body }) => (body as readonly Node[]).filter(({ type }) => type === 'PropertyDefinition'));
}

describe('the kernel', () => {
  const files = filesUnder('packages/flyball/src/runtime', /(?<!\.test)\.ts$/);
  const sources = files.map((file) => ({ file, ...parsed(file) }));

  it('has no function that does not fit on a screen, and no class with more fields than one can hold in mind [R9-KERNEL-SHAPE]', () => {
    const long = sources.flatMap(({ file, text, nodes }) =>
      nodes
        .filter(({ type }) => /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type))
        .filter(({ start, end }) => text.slice(start, end).split('\n').length > LONGEST_FUNCTION)
        .map(({ start }) => `${file}: ${text.slice(start, start + 60)}`),
    );
    const wide = sources.flatMap(({ file, nodes }) =>
      fieldsOf(nodes).flatMap((fields) => (fields.length > MOST_FIELDS ? [`${file}: ${fields.length} fields`] : [])),
    );
    expect(long).toEqual([]);
    expect(wide).toEqual([]);
  });

  it.each(PARTS)('%s: each field is written by its own class only [R9-KERNEL-PARTS]', (file) => {
    const fields = fieldsOf(parsed(file).nodes).flat();
    const open = fields.filter(({ readonly, accessibility }) => readonly !== true && accessibility !== 'private');
    expect(fields.length).toBeGreaterThan(0);
    expect(open.map(({ key }) => (key as { readonly name?: string }).name)).toEqual([]);
  });

  it('numbers the invariants of each part where they hold [R9-KERNEL-PARTS]', () => {
    const unnumbered = PARTS.filter((file) => file !== 'packages/flyball/src/runtime/attempt.ts').filter(
      (file) => !/\/\*\*[^/]*\* 1\. [^/]*\* 2\. [^/]*\*\/\nexport class /.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(unnumbered).toEqual([]);
  });
});
