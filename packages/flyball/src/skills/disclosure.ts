import type { Skill } from './skill.js';
import { ACTIVATE_SKILL, READ_SKILL_RESOURCE, SKILL_FILE } from './skill.js';

/** What a model is always told about a skill, and what a run remembers of it. Plain data: it crosses the journal. */
export interface SkillCard {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly hash: string;
}

/** Name, description, version and hash of a skill. */
export function cardOf({ name, description, version, hash }: Skill): SkillCard {
  return { name, description, version, hash };
}

/** How a model may come by the instructions. */
export type Activation = 'by-model' | 'given';

/** The metadata of all skills for the setup, in the order of their names: the same skills make the same bytes. */
export function discloseCards(cards: readonly SkillCard[], how: Activation = 'by-model'): string {
  if (cards.length === 0) return '';
  const entries = [...cards]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ name, description }) =>
        `  <skill>\n    <name>${escaped(name)}</name>\n    <description>${escaped(description)}</description>\n  </skill>`,
    );
  return `${INTRODUCTION[how]}\n<available_skills>\n${entries.join('\n')}\n</available_skills>`;
}

const INTRODUCTION: Readonly<Record<Activation, string>> = {
  'by-model':
    `Skills are instructions for particular kinds of work. When a task fits the description of one, call ${ACTIVATE_SKILL} ` +
    'with its name before you begin, and follow what it says. Do not activate a skill that is not relevant.',
  given: 'Skills are instructions for particular kinds of work. Those that fit are given to you before the task.',
};

/** A description stays one line inside its element, whatever it holds. */
function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const MOST_LISTED = 100;

/** The instructions as a model reads them: what they belong to, where they end, and what else there is to read. */
export function instructionsText(skill: Skill): string {
  const { name, version, hash, instructions } = skill;
  const label = version === '' ? '' : ` version="${escaped(version).replaceAll('"', '&quot;')}"`;
  const parts = [
    `<skill name="${name}"${label} hash="${hash.slice(0, 12)}">`,
    instructions,
    ...resources(skill),
    ...limits(skill),
    '</skill>',
  ];
  return parts.join('\n');
}

function resources({ name, files, folder }: Skill): readonly string[] {
  const own = files.filter(({ path }) => path !== SKILL_FILE);
  if (own.length === 0) return [];
  const listed = own.slice(0, MOST_LISTED).map(({ path, bytes }) => `- ${path} (${bytes} bytes)`);
  const more = own.length > MOST_LISTED ? [`- and ${own.length - MOST_LISTED} more`] : [];
  const scripts = own.some(({ path }) => path.startsWith('scripts/'))
    ? [`Scripts are run from the folder ${folder}.`]
    : [];
  return [
    '',
    `Files of this skill. Read one when it is needed, with ${READ_SKILL_RESOURCE} and skill "${name}":`,
    ...listed,
    ...more,
    ...scripts,
  ];
}

/** What is enforced is also said, so that no call is spent on finding out. */
function limits({ allowedTools, disallowedTools, governance }: Skill): readonly string[] {
  const said = [
    ...(allowedTools === undefined
      ? []
      : [`While it is active you may call only: ${allowedTools.map(({ text }) => text).join(', ') || 'nothing'}.`]),
    ...(disallowedTools.length === 0
      ? []
      : [`While it is active you may not call: ${disallowedTools.map(({ text }) => text).join(', ')}.`]),
    ...(governance.autonomy === undefined ? [] : [`While it is active you work at the level ${governance.autonomy}.`]),
    ...(governance.approval === undefined
      ? []
      : [`A person has to agree to: ${governance.approval.tools.map(({ text }) => text).join(', ')}.`]),
  ];
  return said.length === 0 ? [] : ['', ...said];
}
