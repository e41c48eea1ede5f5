import type { Session } from '../../core/session.js';
import type { PatternId } from '../use.js';

/** What a text shows of a pattern. Rough on purpose: it is there to notice that a bare instruction has grown. */
const SIGNS: readonly (readonly [PatternId, RegExp])[] = [
  ['S2', /<example\b|^\s*(?:input|example|q)\s*\d*:.*\n\s*(?:output|a)\s*\d*:/im],
  ['S3', /<persona\b|\byou are (?:an?|the)\b|\bact as\b/i],
  ['S4', /^\s*1[.)]\s.+\n(?:.*\n)*?\s*2[.)]\s/m],
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
  const found = SIGNS.flatMap(([id, sign]) => (sign.test(text) ? [id] : []));
  return found.length === 0 ? ['S1'] : found;
}
