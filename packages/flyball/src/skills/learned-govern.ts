import type { Invocation, LearnedSkill } from './learned-skill.js';

/** When a learned skill is no longer used. Every bound is there, always. */
export interface LearnedPolicy {
  /** Failures from which on the failure rate counts. */
  readonly quarantineAfter: number;
  /** Share of failed uses among the remembered ones at which a skill is quarantined. */
  readonly maxFailureRate: number;
  /** How long a skill stays fresh without a use that succeeds. */
  readonly freshMs: number;
  /** Active skills that are kept. */
  readonly maxSkills: number;
  /** Uses that are remembered of each. */
  readonly maxInvocations: number;
}

/** The default policy for learned skills. */
export const LEARNED_POLICY: LearnedPolicy = {
  quarantineAfter: 2,
  maxFailureRate: 0.5,
  freshMs: 90 * 24 * 3_600_000,
  maxSkills: 200,
  maxInvocations: 50,
};

/** The share of remembered uses of a learned skill that failed. */
export function failureRate({ invocations }: Pick<LearnedSkill, 'invocations'>): number {
  return invocations.length === 0 ? 0 : failures(invocations) / invocations.length;
}

function failures(invocations: readonly Invocation[]): number {
  return invocations.filter(({ ok }) => !ok).length;
}

/** The record with one more use. A use that is in it already changes nothing. */
export function logged(skill: LearnedSkill, used: Invocation, policy: LearnedPolicy): LearnedSkill {
  if (skill.invocations.some(({ id }) => id === used.id)) return skill;
  const invocations = [...skill.invocations, used].slice(-policy.maxInvocations);
  const next: LearnedSkill = {
    ...skill,
    invocations,
    freshAt: used.ok ? Math.max(skill.freshAt, used.at) : skill.freshAt,
    revision: skill.revision + 1,
  };
  if (next.status !== 'active' || failures(invocations) < policy.quarantineAfter) return next;
  const rate = failureRate(next);
  if (rate < policy.maxFailureRate) return next;
  return {
    ...next,
    status: 'quarantined',
    why: `${Math.round(rate * 100)} % of its last ${invocations.length} uses failed`,
  };
}

/** Records that change their status now: failure rate first, age second, and then what is beyond the size. */
export function governed(skills: readonly LearnedSkill[], now: number, policy: LearnedPolicy): readonly LearnedSkill[] {
  const changed = new Map<string, LearnedSkill>();
  const set = (skill: LearnedSkill, status: LearnedSkill['status'], why: string): void =>
    void changed.set(skill.name, { ...skill, status, why, revision: skill.revision + 1 });
  for (const skill of skills) {
    const isStale = now - skill.freshAt > policy.freshMs;
    if (skill.status === 'active' && isFailing(skill, policy)) set(skill, 'quarantined', 'too many of its uses failed');
    else if (skill.status === 'quarantined' && isStale)
      set(skill, 'retired', `${skill.why ?? 'it failed'}, and nobody has used it since`);
    else if (skill.status === 'active' && isStale) set(skill, 'retired', 'no use of it succeeded for too long');
  }
  const left = skills.filter(({ name, status }) => status === 'active' && !changed.has(name));
  const byWorth = [...left].sort((a, b) => failureRate(b) - failureRate(a) || a.freshAt - b.freshAt);
  for (const skill of byWorth.slice(0, Math.max(0, left.length - policy.maxSkills)))
    set(skill, 'retired', `there were more than ${policy.maxSkills} skills`);
  return [...changed.values()];
}

function isFailing(skill: LearnedSkill, policy: LearnedPolicy): boolean {
  return failures(skill.invocations) >= policy.quarantineAfter && failureRate(skill) >= policy.maxFailureRate;
}
