import { canonicalJson, sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import type { Tool } from '../core/tool.js';
import { nearestNames } from '../tools/nearest-names.js';
import { activeSkill } from './active-skills.js';
import { cardOf, discloseCards, instructionsText, type SkillCard } from './disclosure.js';
import type { ResourcePage } from './resource-page.js';
import type { Skill } from './skill.js';
import {
  type ActivateArguments,
  type Activated,
  activateTool,
  type ReadResourceArguments,
  type ResourceToolOptions,
  resourceTool,
} from './skill-tools.js';

/**
 * The skills that agents may use. It discloses step by step: `disclose` is always in the setup, `activate` gives the
 * instructions of one skill, and the resource tool its files.
 */
export interface SkillLibrary {
  /** In the order of their names. */
  all(): readonly Skill[];
  names(): readonly string[];
  get(name: string): Skill | undefined;
  cards(): readonly SkillCard[];
  /** Over names and hashes of all skills. */
  hash(): string;
  /** The block about all skills for the setup. Empty where there are none. */
  disclose(): string;
  /** The instructions of a skill; throws on a name that it does not have. */
  activate(name: string): Activated;
  /** `activate_skill`: the model activates by name. */
  skillTool(): Tool<ActivateArguments, Activated>;
  /** `read_skill_resource`: the model reads a file of a skill, a page at a time. */
  resourceTool(options?: ResourceToolOptions): Tool<ReadResourceArguments, ResourcePage>;
}

/** A library over skills, or over whatever skills there are at the moment, such as those of a watched folder. */
export function skillLibrary(given: readonly Skill[] | (() => readonly Skill[])): SkillLibrary {
  if (typeof given !== 'function') requireDistinct(given);
  const current = typeof given === 'function' ? given : () => given;
  const all = (): readonly Skill[] => [...current()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const get = (name: string): Skill | undefined => current().find((skill) => skill.name === name);
  const cards = (): readonly SkillCard[] => all().map(cardOf);
  return {
    all,
    get,
    cards,
    names: () => all().map(({ name }) => name),
    hash: () => sha256(canonicalJson(all().map(({ name, hash }) => [name, hash]))),
    disclose: () => discloseCards(cards()),
    activate: (name) => {
      const skill = get(name) ?? unknown(name, current());
      return { skill: activeSkill(skill), text: instructionsText(skill) };
    },
    skillTool: () => activateTool(get, cards()),
    resourceTool: (options) => resourceTool(get, options),
  };
}

/** Two skills of one name could not be told apart. */
export function requireDistinct(skills: readonly Skill[]): void {
  const seen = new Map<string, Skill>();
  for (const skill of skills) {
    const first = seen.get(skill.name);
    if (first !== undefined)
      throw new ConfigError(
        `Two skills are called "${skill.name}": ${first.folder} and ${skill.folder}. Rename one, or leave one out.`,
      );
    seen.set(skill.name, skill);
  }
}

function unknown(name: string, skills: readonly Skill[]): never {
  const names = skills.map((skill) => skill.name);
  const near = nearestNames(name, names);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Available: ${names.join(', ') || 'none'}.`;
  throw new ConfigError(`There is no skill "${name}". ${hint}`);
}
