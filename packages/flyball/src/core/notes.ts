import type { ErrorCode } from './errors.js';
import type { EventOf, RunEvent } from './events.js';
import type { Stop } from './outcome.js';

/**
 * What notes of each kind hold: `run.note` is checked against it, and `isNote` reads by it. Kinds that are not in it can be
 * noted too, and hold anything. Your own are added by merging:
 *
 * ```ts
 * declare module 'flyball' {
 *   interface NoteKinds {
 *     'invoice-read': { readonly pages: number };
 *   }
 * }
 * ```
 */
export interface NoteKinds {
  /** A loop begins in a scope; whatever is tagged `private` in it stays in the journal. */
  'loop-start': {
    /** Its scope, where that is not the one it is noted in. */
    readonly loop?: string;
    readonly agent?: string;
    readonly session?: string;
    readonly tools?: readonly string[];
    /** Tools that the run may not use, and why. */
    readonly withheld?: unknown;
    readonly tags?: readonly string[];
  };
  iteration: { readonly loop?: string; readonly n?: number };
  'loop-end': {
    readonly loop?: string;
    readonly reason?: string;
    readonly iterations?: number;
    readonly toolCalls?: number;
  };
  /** Which phase a scope is in, with all scopes inside it that tell none of their own. */
  phase: {
    readonly phase: string;
    readonly from?: string;
    readonly event?: string;
    readonly iteration?: number;
    readonly why?: string;
    readonly limit?: string;
  };
  observation: {
    readonly type: string;
    readonly content: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly tags?: readonly string[];
  };
  /** Somebody decided something: an agent, a guard, a budget of tools. */
  decision: { readonly content?: unknown; readonly tags?: readonly string[]; readonly [key: string]: unknown };
  /** A version of a plan, and what its checks say. */
  plan: { readonly version: number; readonly plan: object; readonly hash: string; readonly validation: object };
  'plan-refused': { readonly problem: string };
  'plan-change': { readonly version: number; readonly because: string; readonly changes: readonly object[] };
  'plan-start': { readonly version: number; readonly hash: string };
  'plan-end': { readonly version: number; readonly completed: boolean; readonly why?: string };
  'plan-review': { readonly version: number; readonly approve: boolean; readonly notes?: string };
  'plan-synthesis': { readonly statements: readonly unknown[] } | { readonly refused: string };
  'step-start': { readonly step: string; readonly stepType: string; readonly version: number };
  'step-end': { readonly id: string; readonly status: string; readonly result: string; readonly why?: string };
  'step-validation': {
    readonly step: string;
    readonly verdict: 'enforced' | 'stood-in' | 'warned' | 'failed' | 'declined';
    readonly missing?: readonly string[];
    readonly standIns?: readonly unknown[];
    readonly attempt?: number;
    readonly why?: string;
  };
  'step-approval': { readonly step: string; readonly verdict: string };
  branch: { readonly at: string; readonly observation: string; readonly holds: boolean; readonly because: string };
  compensation: { readonly step: string; readonly tool: string; readonly ok: boolean };
  /** What is made in the scope of this note is private: all of it, or what these sessions and tools do. */
  private: { readonly sessions?: readonly string[]; readonly tools?: readonly string[] };
  /** A reply that could not be used. */
  'reply-refused': {
    readonly session: string;
    readonly code: ErrorCode;
    readonly problem: string;
    readonly tries: number;
  };
  /** What a learned skill library found for a task. */
  'skills-retrieved': { readonly found: readonly { readonly name: string; readonly confidence: number }[] };
  /** What one stage of the matching decided. */
  'skill-match': {
    readonly stage: 'lexical' | 'lenient' | 'load' | 'strict';
    readonly kept: readonly string[];
    readonly dropped: readonly { readonly name: string; readonly because: string }[];
    readonly unreadable?: string;
  };
  'skill-distilled': { readonly stored: boolean; readonly name?: string; readonly because?: string };
  'skill-run': { readonly name: string; readonly bodyHash: string; readonly parameters: object };
  'skill-fallback': { readonly because: string };
  'skill-active': { readonly name: string; readonly version: string; readonly hash: string; readonly by: string };
  /** What a commit loop expects of its repairs before they begin. */
  prediction: { readonly error: number; readonly verdict: { readonly kind: string }; readonly [key: string]: unknown };
  /** What the controller of a commit loop makes of a measurement. */
  control: { readonly error: number; readonly decision: { readonly kind: string } };
  /** Evidence that was left out, because there was more than a loop may hold. */
  'evidence-bounded': { readonly dropped: number; readonly unasked: number; readonly kept: number };
  /** One attempt to repair a defect. */
  repair: {
    readonly n: number;
    readonly defect: string;
    readonly description: string;
    readonly cause: string;
    readonly strategy: string;
    readonly intensity: number;
    readonly resolved: boolean;
    readonly costUsd: number;
    readonly ms: number;
    readonly why: string;
  };
  'repair-loop': { readonly wayOut: string | undefined; readonly n: number };
  'repair-escalated': { readonly escalation: string; readonly why: string };
  escalation: { readonly how: string; readonly why: string };
  /** Whether an output may be committed. */
  exit: {
    readonly gates: readonly { readonly gate: string; readonly score: number; readonly passed: boolean }[];
    readonly confidence: number;
    readonly disposition: 'auto-commit' | 'human-review' | 'reject';
    readonly triggers: readonly string[];
    readonly risk: string;
  };
  /** The task was committed before: its result is given again. */
  resubmitted: { readonly task: string; readonly provenance: string };
  'failure-report': { readonly reason: string; readonly phase: string; readonly [key: string]: unknown };
  /** What a commit loop does after its end did not work: the lesson it learns, or what it keeps in memory. */
  'after-commit-failed': AfterwardsFailed;
  'after-failure-failed': AfterwardsFailed;
  /** Replies that breach constraints are asked for again. */
  constraints: { readonly version: string; readonly told: readonly string[]; readonly guardOnly: readonly string[] };
  'constraint-breach': { readonly version: string; readonly ids: readonly string[] };
  'output-template': { readonly hash: string; readonly mode: string; readonly repairs: number };
  'edge-cases': {
    readonly cases: number;
    readonly failed: number;
    readonly notRun: readonly { readonly name: string; readonly why: string }[];
  };
  /** A turn of a conversation has ended. */
  'turn-end': {
    readonly turn: number;
    readonly stop: Stop;
    readonly answer?: string;
    readonly because?: string;
  };
}

type AfterwardsFailed = {
  readonly what: 'lesson' | 'memory';
  readonly code: ErrorCode;
  readonly why: string;
};

/** The kind of a note in a journal. */
export type NoteKind = keyof NoteKinds;

/** A note. Kinds in `NoteKinds` are typed; other kinds can have any fields. */
export type Note<Kind extends string = string> = { readonly kind: Kind } & (Kind extends NoteKind
  ? NoteKinds[Kind]
  : Readonly<Record<string, unknown>>);

/** Whether an event is a note of this kind. */
export function isNote<Kind extends NoteKind>(
  event: RunEvent,
  kind: Kind,
): event is EventOf<'note'> & { readonly event: Note<Kind> } {
  return event.type === 'note' && event.event.kind === kind;
}
