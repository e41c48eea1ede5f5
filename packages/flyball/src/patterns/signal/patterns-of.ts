import type { Session } from '../../core/session.js';
import type { PatternId } from '../use.js';

/** What a text shows of a pattern. Rough on purpose: it is there to notice that a bare instruction has grown. */
const SIGNS: readonly (readonly [PatternId, RegExp])[] = [
  ['S2', /<example\b/i],
  [
    'S2',
    /^\s*(?:input|example|q|question|message|text|review)\s*\d*:.*\n\s*(?:output|a|answer|label|category)\s*\d*:\s*[^[\s]/im,
  ],
  ['S2', /["'”’]\s*(?:->|=>|→)\s*\S|\b(?:for example|e\.g\.),?\s*["'“‘]/i],
  ['S3', /<persona\b|\byou(?: are|['’]re) (?:an?|the)\b|\bact as\b/i],
  ['S4', /^\s*(?:step\s+)?1[.):]\s.+\n(?:.*\n)*?\s*(?:step\s+)?2[.):]\s/im],
  ['S5', /<constraints\b/i],
  ['S6', /\[[A-Z][A-Z0-9_]*\]|\breply with json\b|^BEGIN [0-9a-f]{8}$/im],
  ['S9', /<principles\b/i],
  ['R1', /\bstep by step\b/i],
];

/**
 * The patterns that a prompt holds, by what stands in it: `S1` where it is a bare instruction. A "baseline" that shows
 * an example is none any more, and here it says so.
 */
export function patternsOf(prompt: string | Pick<Session<unknown>, 'setup'>): readonly PatternId[] {
  const text = typeof prompt === 'string' ? prompt : prompt.setup;
  const found = new Set(SIGNS.flatMap(([id, sign]) => (sign.test(text) ? [id] : [])));
  return found.size === 0 ? ['S1'] : [...found];
}
