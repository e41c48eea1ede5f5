import { plainSpeaker } from './baseline.js';
import type { ConversationPolicy } from './conversation-policy.js';
import { setupText } from './setup-text.js';
import { type PromptSkill, skillsBlock } from './skills-block.js';

/**
 * The baseline with skills in its system prompt, and nothing else: no phases, no fewer tools, no other tool choice. What
 * the two differ in is then what the skill files are worth.
 */
export function declarative(skills: readonly PromptSkill[]): ConversationPolicy {
  const block = skillsBlock(skills); // read at construction: a file that changes later changes no conversation
  return (setting) => plainSpeaker('declarative', setting, `${setupText(setting)}\n${block}`);
}
