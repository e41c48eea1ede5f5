import type { ApprovalRules } from '../../../core/approval.js';
import type { EffectKind } from '../../../core/effect-kind.js';
import type { TrifectaLeg } from '../../../core/tool.js';
import type { Glob } from '../../rules/glob.js';
import type { AutonomyLevel } from '../autonomy-level.js';

/**
 * Hard rules in a file of their own, reviewed by somebody, evaluated by code on every call. Made by `parsePolicy` only.
 * Its text is for people: no part of it is ever shown to a model.
 */
export interface Policy {
  readonly version: string;
  readonly reviewedBy: string;
  /** Where no rule matches. Absent: allow what is pure and does not reach outside, deny the rest. */
  readonly default?: 'allow' | 'deny' | 'ask';
  readonly rules: readonly PolicyRule[];
  readonly waivers: readonly Waiver[];
  /** SHA-256 of the canonical JSON of the data it was read from. */
  readonly hash: string;
  /** `<version>@<first 12 of the hash>`: what decisions in the journal carry. */
  readonly label: string;
}

/** A rule of a policy. */
export type PolicyRule = {
  readonly id: string;
  /** Patterns over tool names. */
  readonly tools: readonly string[];
  readonly when: Conditions;
  /** Where this holds the rule does not. */
  readonly unless?: Conditions;
  /** For people: why the rule exists. */
  readonly because: string;
} & (
  | { readonly effect: 'allow' | 'deny' }
  /** Without rules of its own, one person is enough. */
  | { readonly effect: 'ask'; readonly approval?: Partial<ApprovalRules> }
  /** Denied until `firstCall` was called in this run. A duty, not a grant: another rule still has to allow the call. */
  | { readonly effect: 'oblige'; readonly firstCall: string }
);

export type PolicyEffect = PolicyRule['effect'];

/** Lifts one deny rule, for a scope and a time. What then happens is up to the other rules. */
export interface Waiver {
  readonly deny: string;
  readonly tools: readonly string[];
  readonly scope: Conditions;
  readonly authority: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** All that are given have to hold. */
export interface Conditions {
  readonly args?: readonly ArgumentCondition[];
  readonly class?: readonly EffectKind[];
  readonly subject?: readonly string[];
  /** Of the agent in a system of several: the planner, a worker. */
  readonly role?: readonly string[];
  readonly tenant?: readonly string[];
  readonly autonomy?: readonly AutonomyLevel[];
  readonly legs?: readonly TrifectaLeg[];
  readonly paths?: readonly Glob[];
  readonly urls?: readonly Glob[];
}

export interface ArgumentCondition {
  readonly path: readonly PathStep[];
  readonly test:
    | { readonly kind: 'equals'; readonly value: unknown }
    | { readonly kind: 'in'; readonly values: readonly unknown[] }
    | { readonly kind: 'above' | 'below'; readonly limit: number }
    | { readonly kind: 'matches'; readonly patterns: readonly string[] };
}

/** One step into the arguments: a member, an element, or every element. */
export type PathStep = { readonly member: string } | { readonly element: number } | { readonly every: true };

/** Everything a decision rests on. The same action under the same policy at the same time gets the same decision. */
export interface PolicyAction {
  readonly tool: string;
  readonly args: unknown;
  readonly class: EffectKind;
  readonly legs: readonly TrifectaLeg[];
  readonly subject: string;
  readonly role?: string;
  readonly tenant: string;
  readonly autonomy: AutonomyLevel;
  /** Read and written, relative ones resolved where their root is known. */
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  readonly calledTools: Readonly<Record<string, number>>;
  readonly now: number;
}

/** What a policy decided about a call, and by which rule. */
export interface PolicyDecision {
  readonly verdict: PolicyEffect;
  /** `default` where no rule decided. */
  readonly rule: string;
  /** For people. */
  readonly why: string;
  /** What has to be called first. */
  readonly firstCall?: string;
  /** Who has to agree. */
  readonly approval?: Partial<ApprovalRules>;
}
