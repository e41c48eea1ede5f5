import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { GrepIndex } from '../../packages/evals/src/tau2/grep.js';
import { codePoints, pythonPattern } from '../../packages/evals/src/tau2/python-pattern/pattern.js';
import { bankingDocuments } from './banking-documents.js';
import { tau2, withTau2 } from './tau2-data.js';

interface RecordedGrep {
  readonly pattern: string;
  readonly case_sensitive: boolean;
  readonly compiles: boolean;
  readonly results: readonly (readonly [string, number])[];
}

withTau2('grep, against the recordings', () => {
  let recorded: readonly RecordedGrep[];
  let index: GrepIndex;
  beforeAll(() => {
    const lines = readFileSync(`${tau2().oracle}/banking_grep.jsonl`, 'utf8').trim().split('\n');
    recorded = lines.map((line) => JSON.parse(line) as RecordedGrep);
    index = new GrepIndex(bankingDocuments());
  });

  it('lists the same documents with the same counts in the same order for every pattern [R5-RET-GREP]', () => {
    expect(recorded).toHaveLength(102);
    for (const { pattern, case_sensitive: caseSensitive, results } of recorded) {
      const found = index.search({ pattern, caseSensitive, limit: 10 });
      expect(
        found.map(({ id, score }) => [id, score]),
        pattern,
      ).toEqual(results);
    }
  });

  it('calls the same patterns valid as Python does [R5-RET-GREP]', () => {
    for (const { pattern, compiles } of recorded)
      expect(pythonPattern(pattern, { ignoreCase: true }).valid, pattern).toBe(compiles);
  });
});

const PATTERNS = 4_000;
const TEXTS = [
  '',
  'a',
  'the\nfees: $12.50 and 30 days\n',
  'Kelvin K and straſse, STRASSE; İstanbul ıs IS\ts is',
  'aaa aab abab ba_9 0x1F é É à Ÿ ß ẞ µ μ Σ σ ς 😀😀\x1c\u00a0end',
  'Rho-Bank: a credit card account is ineligible.\n\n- Fee: 2.5%\n- ATM fee-ee: $0.00\nAll accounts are listed',
];

function python(seed: number): readonly (readonly [string, boolean, boolean, readonly number[]])[] | string {
  const script = fileURLToPath(new URL('./python/pattern-cases.py', import.meta.url));
  try {
    const input = JSON.stringify(TEXTS);
    const out = execFileSync('python3', [script, String(seed), String(PATTERNS)], { input, encoding: 'utf8' });
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, boolean, boolean, number[]]);
  } catch (error) {
    return `Skipped: python3 does not run here (${(error as Error).message.split('\n')[0]}).`;
  }
}

describe('grep, beside the Python on this machine', () => {
  it('judges and counts thousands of generated patterns as Python does [R5-RET-GREP]', (context) => {
    const cases = python(Number(process.env['SEED'] ?? 20251114));
    if (typeof cases === 'string') {
      console.log(cases);
      return context.skip();
    }
    expect(cases.length).toBeGreaterThan(PATTERNS / 2);
    const texts = TEXTS.map(codePoints);
    const wrong = cases.filter(([text, ignoreCase, valid, counts]) => {
      const pattern = pythonPattern(text, { ignoreCase });
      if (pattern.valid !== valid) return true;
      return texts.some((each, nth) => pattern.count(each, { left: 5_000_000 }) !== counts[nth]);
    });
    expect(wrong).toEqual([]);
    return undefined;
  });
});
