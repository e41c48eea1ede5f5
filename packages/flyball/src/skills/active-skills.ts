import type { ApprovalRules } from '../core/approval.js';
import type { AutonomyLevel } from '../tools/governance/autonomy-level.js';
import type { Skill } from './skill.js';

/** Who activated a skill: the caller by name, the model through its tool, or the matching. */
export type ActivatedBy = 'caller' | 'model' | 'match';

/** A skill that holds for a run: which one it is, and what it allows. Plain data, kept as it was when it was activated. */
export interface ActiveSkill {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  /** Patterns as they are written; absent where the skill allows all. */
  readonly allowed?: readonly string[];
  readonly disallowed: readonly string[];
  readonly autonomy?: AutonomyLevel;
  readonly approval?: { readonly tools: readonly string[]; readonly rules: Partial<ApprovalRules> };
}

/** A skill in its active form. */
export function activeSkill(skill: Skill): ActiveSkill {
  const { name, version, hash, allowedTools, disallowedTools, governance } = skill;
  const { autonomy, approval } = governance;
  const texts = (patterns: readonly { readonly text: string }[]) => patterns.map(({ text }) => text);
  return {
    name,
    version,
    hash,
    ...(allowedTools === undefined ? {} : { allowed: texts(allowedTools) }),
    disallowed: texts(disallowedTools),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(approval === undefined ? {} : { approval: { tools: texts(approval.tools), rules: approval.rules } }),
  };
}

/**
 * The skills that hold in one place of a run. It follows from what the run did, so a run that is driven again from the
 * top has it back; nothing is ever taken out, because what was read cannot be unread.
 */
export class ActiveSkills {
  private readonly byName = new Map<string, ActiveSkill>();

  constructor(from: readonly ActiveSkill[] = []) {
    for (const skill of from) this.byName.set(skill.name, skill);
  }

  /** False where this very version already holds. */
  add(skill: ActiveSkill): boolean {
    const isNew = this.byName.get(skill.name)?.hash !== skill.hash;
    this.byName.set(skill.name, skill);
    return isNew;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  get(name: string): ActiveSkill | undefined {
    return this.byName.get(name);
  }

  list(): readonly ActiveSkill[] {
    return [...this.byName.values()];
  }
}
