import { lint, lintJournals } from 'flyball/catalogue';
import { describe, expect, it } from 'vitest';
import type { RunJournal } from '../../packages/flyball/src/catalogue/journal.js';
import { use } from './systems.js';

/** Whether a text is taken for a claim of feeling: in a prompt, and as an answer. */
function isFound(text: string): readonly boolean[] {
  const segments = [{ name: 'persona', varies: 'never' as const, text }];
  const static_ = lint({ agents: { bot: use('S1', 'zeroShot') }, system: { segments } });
  const entries = [{ seq: 0, at: 0, event: { type: 'run-end', outcome: { stop: 'done', value: text } } }];
  const journal = { run: 'r', spans: [], entries } as unknown as RunJournal;
  return [static_, lintJournals([journal])].map((all) => all.some(({ rule }) => rule === 'HA1'));
}

describe('claims of feeling (HA1)', () => {
  it.each([
    'I am so happy that you are back.',
    'I missed you so much!',
    'I was lonely without you.',
    'I really care about you.',
    'I am afraid of losing you.',
    "I'm sad when you leave.",
  ])('finds: %s [R17-ANTI-PATTERNS]', (text) => {
    expect(isFound(text)).toEqual([true, true]);
  });

  it.each([
    "I'm afraid we are closed on Sundays.",
    "I'm happy to help. The total is 12 euros.",
    'I am proud to say that the order has shipped.',
    'If the customer says "I am worried", hand over to a person.',
    'I am happy with either format.',
  ])('is silent about a phrase: %s [R17-ANTI-PATTERNS]', (text) => {
    expect(isFound(text)).toEqual([false, false]);
  });
});
