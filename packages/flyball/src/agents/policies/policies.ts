import { ConfigError } from '../../core/errors.js';
import { baseline } from './baseline.js';
import type { ConversationPolicy } from './conversation-policy.js';
import { declarative } from './declarative.js';
import type { GateRules } from './gate-rules.js';
import { governed } from './governed.js';
import { imperative } from './imperative.js';
import type { Machine } from './machine.js';
import type { PromptSkill } from './skills-block.js';

/** What policies are made of; each takes what it needs and says what it misses. */
export interface PolicyParts {
  readonly skills?: readonly PromptSkill[];
  readonly machine?: Machine;
  readonly gate?: GateRules;
}

/** Creates a conversation policy from its parts. */
export type PolicyMaker = (parts: PolicyParts) => ConversationPolicy;

/** Policies by name: what experiments and the command line choose from. */
export interface PolicyBook {
  readonly names: readonly string[];
  make(name: string, parts: PolicyParts): ConversationPolicy;
}

const OWN: Readonly<Record<string, PolicyMaker>> = {
  baseline: () => baseline,
  declarative: ({ skills }) => declarative(needed(skills, 'declarative', 'skills')),
  imperative: ({ machine }) => imperative(needed(machine, 'imperative', 'a machine')),
  governed: ({ skills, gate }) =>
    governed({ skills: needed(skills, 'governed', 'skills'), gate: needed(gate, 'governed', 'gate rules') }),
};

/** The four policies, and those that a user brings along. A name is given once: two policies under one would be one too many. */
export function policyBook(more: Readonly<Record<string, PolicyMaker>> = {}): PolicyBook {
  const taken = Object.keys(more).find((name) => Object.hasOwn(OWN, name));
  if (taken !== undefined)
    throw new ConfigError(`A conversation policy "${taken}" already exists. Choose another name for yours.`);
  const makers = new Map(Object.entries({ ...OWN, ...more }));
  return {
    names: [...makers.keys()],
    make: (name, parts) => {
      const maker = makers.get(name);
      if (maker === undefined)
        throw new ConfigError(
          `There is no conversation policy "${name}". Available policies: ${[...makers.keys()].join(', ')}.`,
        );
      return maker(parts);
    },
  };
}

/** Returns one of the four conversation policies by name. */
export function conversationPolicy(name: string, parts: PolicyParts): ConversationPolicy {
  return policyBook().make(name, parts);
}

function needed<T>(part: T | undefined, policy: string, what: string): T {
  if (part === undefined) throw new ConfigError(`The policy ${policy} needs ${what} for the domain. Pass them in.`);
  return part;
}
