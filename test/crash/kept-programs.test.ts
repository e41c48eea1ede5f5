import { readFileSync } from 'node:fs';
import { memoryEngine } from 'flyball';
import { describe, expect, it } from 'vitest';
import type { Case } from './case.js';
import { examine } from './examine.js';

/** Programs that were generated once and broke a rule, by the run they were played as: its id seeds what is random. */
const kept = JSON.parse(readFileSync(new URL('./kept-programs.json', import.meta.url), 'utf8')) as Record<string, Case>;

describe('a generated program that once broke a rule', () => {
  it.each(Object.entries(kept))('breaks none as %s [R7-GEN-KEPT]', async (runId, given) => {
    const { violations, runs } = await examine(given, memoryEngine(), { runId, patienceMs: 10_000 });
    expect(violations).toEqual([]);
    expect(runs[0]?.entries.length).toBeGreaterThan(5);
  });
});
