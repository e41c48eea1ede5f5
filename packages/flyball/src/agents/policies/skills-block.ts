import { ConfigError } from '../../core/errors.js';

/** A skill as a prompt takes it: its name, and all of its text. */
export interface PromptSkill {
  readonly name: string;
  readonly text: string;
}

/**
 * All skills whole, in one block: no disclosure step by step, because here they are a part of the prompt that every
 * turn shares and a provider caches. Sorted by code point, so that the same files make the same bytes everywhere.
 */
export function skillsBlock(files: readonly PromptSkill[]): string {
  if (files.length === 0) throw new ConfigError('A skills block needs at least one skill file.');
  const names = files.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new ConfigError(`Two skill files are called "${twice}". Give each a name of its own.`);
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts = sorted.map(({ name, text }) => `## SKILL: ${name}\n${text.trim()}`);
  return `<skills>\n${parts.join('\n---\n')}\n</skills>`;
}
