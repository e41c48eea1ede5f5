import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { filesUnder, root } from '../scripts/files.mjs';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const words = [...read('docs/glossary.md').matchAll(/^\| \*\*(.+?)\*\* \| (.+) \|$/gm)].map((row) => ({
  word: row[1] ?? '',
  meaning: row[2] ?? '',
}));

describe('the glossary', () => {
  it('has at most forty words, each once, in order, with a meaning [R9-WORDS-GLOSSARY]', () => {
    const names = words.map(({ word }) => word);
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(40);
    expect(names).toEqual([...new Set(names)].sort((a, b) => a.localeCompare(b)));
    for (const { word, meaning } of words) expect(meaning, word).toMatch(/^[A-Z].+\.$/);
  });

  it('is linked from the README and the guide [R9-WORDS-GLOSSARY]', () => {
    expect(read('README.md')).toContain('(docs/glossary.md)');
    expect(read('docs/guide.md')).toContain('(glossary.md)');
  });
});

/** What was said in an odd way once, and how it is said now. */
const RETIRED: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(goes|go|went|going) on (?!a\b|the disk\b)(with|without|from|where|when|once|at|in|by|and)\b/i, 'continue'],
  [/\bwhoever\b/i, 'the person who, or everybody who'],
  [/\bfor ever\b/i, 'without a limit'],
  [/\bnot (\w+ ){0,2}any more\b/i, 'no longer'],
  [/\bKnown are\b|\bRegistered are\b|\bServed are\b|\bThere are: /, 'Available: …'],
  [
    /(?<![Tt]here )\b(is|are) no (JSON|UTF-8|number|object|agent|tool|model|name|file|folder|text|glob|port|date|array|function)\b/,
    'is not a …',
  ],
  [/\bis none of\b/, 'is not one of'],
  [/\bstands? (beside|twice|behind)\b/, 'is next to, appears twice, …'],
  [/\bmay hold\b/, 'can contain'],
  [/\bholds no (?!matter)/, 'contains no'],
  [/\bleft alone\b|\bleave it alone\b/, 'not called'],
  [/\bleave (it|them) out\b/i, 'omit it'],
  [/\b(a|the|its) (run|process) rests\b|\bat rest\b|\bwoken up\b/, 'waits, resumed'],
  [/\bone's own\b/, 'your own'],
  [/\bmended\b|\bmend (it|that|this|what)\b/i, 'fix'],
];

/** Sentences that are not ours to change: what other programs print, and what a model of ours is told in a recorded run. */
const OTHERS = /^packages\/(evals\/src\/(domains|tau2|python)|flyball\/src\/testing\/)/;

function retiredIn(text: string): readonly string[] {
  return RETIRED.flatMap(([phrase, instead]) => {
    const found = phrase.exec(text)?.[0];
    return found === undefined ? [] : [`"${found}" (say: ${instead}) in: ${text.slice(0, 160)}`];
  });
}

describe('retired phrases', () => {
  it('are in no page for users [R9-WORDS-RETIRED]', () => {
    const pages = ['README.md', ...filesUnder('docs', /^docs\/[^/]+\.md$/)];
    const found = pages.flatMap((page) => {
      const prose = read(page)
        .replace(/^```.*?^```$/gms, '')
        .replace(/`[^`\n]*`/g, '…');
      return prose.split('\n').flatMap((line) => retiredIn(line).map((problem) => `${page}: ${problem}`));
    });
    expect(found).toEqual([]);
  });

  it('are in no message and no help [R9-WORDS-RETIRED]', () => {
    const sources = filesUnder('packages', /\/src\/.*\.tsx?$/).filter(
      (path) => !/\.test\.tsx?$|test-data/.test(path) && !OTHERS.test(path),
    );
    const found = sources.flatMap((path) =>
      stringsIn(path).flatMap((text) => retiredIn(text).map((problem) => `${path}: ${problem}`)),
    );
    expect(found).toEqual([]);
  });
});

const withoutComments = (code: string) => code.replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, '');

/** Texts in a source, each template as its fixed parts. */
function stringsIn(path: string): readonly string[] {
  if (retiredIn(withoutComments(read(path))).length === 0) return []; // most sources: parsing all of them takes seconds
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    const node = value as {
      readonly type?: string;
      readonly value?: unknown;
      readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
    };
    if (node.type === 'Literal' && typeof node.value === 'string') texts.push(node.value);
    if (node.type === 'JSXText') texts.push(String(node.value));
    if (node.type === 'TemplateLiteral') texts.push((node.quasis ?? []).map((part) => part.value.raw).join('…'));
    for (const member of Object.values(value)) visit(member);
  };
  visit(parseSync(path, read(path)).program.body);
  return texts.filter((text) => text.includes(' '));
}
