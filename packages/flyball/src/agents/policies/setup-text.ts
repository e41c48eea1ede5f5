import type { Setting } from './conversation-policy.js';

/** What an agent is told to be where the setting has no wording of its own. */
export const DEFAULT_INSTRUCTIONS = [
  'You serve the customers of this company. The <policy> below binds you.',
  'A turn of yours is one of two things, never both at once:',
  '- words for the customer, or',
  '- calls of your tools.',
  'Be helpful within the policy. Arguments of a call are valid JSON.',
].join('\n');

/** The system prompt that all ways of driving an agent share. What they add comes after it, so that the prefix stays. */
export function setupText({
  instructions = DEFAULT_INSTRUCTIONS,
  policy,
}: Pick<Setting, 'instructions' | 'policy'>): string {
  return `<instructions>\n${instructions}\n</instructions>\n<policy>\n${policy}\n</policy>`;
}
