import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, root } from '../scripts/files.mjs';
import { type Node, nodesIn } from './source-nodes.js';

const events = readFileSync(join(root, 'packages/flyball/src/core/events.ts'), 'utf8');
const KINDS = new Set([...events.matchAll(/readonly type: '([a-z-]+)'/g)].map(([, kind]) => kind));

/** Switches over the kinds of journal entries whose `default` lets a kind pass that it does not name. */
function silentIn(file: string, text: string): readonly string[] {
  if (!/switch \([\w?.]*\.type\)/.test(text)) return [];
  return nodesIn(file, text)
    .filter(({ type }) => type === 'SwitchStatement')
    .flatMap(({ cases, discriminant, start }) => {
      const rows = cases as readonly (Node & { readonly test: Node | null; readonly consequent: readonly Node[] })[];
      const named = rows.flatMap(({ test }) => (test?.type === 'Literal' ? [test['value'] as string] : []));
      const other = rows.find(({ test }) => test === null);
      if (other === undefined || named.length === 0 || !named.every((kind) => KINDS.has(kind))) return [];
      if (!/\.type$/.test(text.slice((discriminant as Node).start, (discriminant as Node).end))) return [];
      const answer = other.consequent.map((node) => text.slice(node.start, node.end)).join('\n');
      if (/\b(passOver<|unreachable\()|^throw /m.test(answer)) return [];
      return [`${file}:${text.slice(0, start).split('\n').length}`];
    });
}

describe('a switch over the kinds of journal entries', () => {
  const files = filesUnder('packages', /^packages\/\w+\/src\/.*(?<!\.test)\.tsx?$/);

  it('names the kinds that it passes over, so that a new one does not compile until it is answered [R9-KERNEL-KINDS]', () => {
    expect(KINDS.size).toBeGreaterThan(25);
    expect(files.flatMap((file) => silentIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it('is found where its default is silent', () => {
    const of = (answer: string) =>
      `switch (event.type) { case 'trip': f(); break; case 'cancel': return 1; default: ${answer} }`;
    expect(silentIn('a.ts', of('break;'))).toEqual(['a.ts:1']);
    expect(silentIn('a.ts', of('return undefined;'))).toEqual(['a.ts:1']);
    expect(silentIn('a.ts', of("return passOver<LifeKind | 'note'>(event);"))).toEqual([]);
    expect(silentIn('a.ts', of('throw unknown(event);'))).toEqual([]);
    expect(silentIn('a.ts', "switch (part.type) { case 'text': f(); break; default: g(); }")).toEqual([]);
  });
});
