import type { EffectKind } from '../core/effect-kind.js';

/**
 * A plan as data. What a planner wrote is parsed into this; what the runtime executes, checks and changes is this.
 * Steps without a type are reasoning steps, so that plans from before the distinction go on working.
 */
export interface Plan {
  readonly goal: string;
  readonly shape: PlanShape;
  readonly steps: readonly PlanStep[];
  /** Partial orders: who makes true what somebody else relies on. */
  readonly links?: readonly CausalLink[];
  /** Partial orders: what must not overlap although neither needs the other, as threat resolution adds it. */
  readonly orderings?: readonly Ordering[];
  /** Conditional plans: which steps run only when an observation says so. */
  readonly branches?: readonly Branch[];
}

/** How the steps are ordered: one after the other, by their dependencies, or with branches over observations. */
export type PlanShape = 'ordered' | 'partial' | 'conditional';

/** Whether a step uses tools or only thinks. */
export type StepType = 'tool' | 'reasoning';
/** advisory: a required tool that was not called is a warning. strict: it is asked for again, then the step fails. */
export type ToolValidationMode = 'advisory' | 'strict';

/** A step of a plan. */
export interface PlanStep {
  readonly id: string;
  readonly description: string;
  readonly stepType: StepType;
  /** Tools that must have been called, and have succeeded, before the step counts as done. */
  readonly requiredTools: readonly string[];
  readonly expectedOutcome: string;
  readonly toolValidationMode: ToolValidationMode;
  readonly dependsOn: readonly string[];
  /** Conditions that must hold before it starts; `!x` must not hold. */
  readonly preconditions: readonly string[];
  /** Conditions that hold after it; `!x` no longer does. */
  readonly effects: readonly string[];
  /** Variables it reads: name in the step → step whose result it is, or a literal. */
  readonly bindings: Readonly<Record<string, Binding>>;
  /** Larger is sooner. */
  readonly priority: number;
  readonly reversibility: EffectKind;
  /** The tool and arguments that take it back, where it is not pure. */
  readonly compensation?: { readonly tool: string; readonly args: unknown };
  readonly estimatedTokens: number;
  readonly estimatedMs: number;
}

/** Where a step gets a value from: another step, or a constant. */
export type Binding = { readonly from: string } | { readonly value: unknown };

/** `by` makes `condition` true, and `for` relies on it. */
export interface CausalLink {
  readonly by: string;
  readonly condition: string;
  readonly for: string;
}

/** `after` starts when `before` is over. Unlike a dependency it carries nothing: with `before` skipped, `after` runs. */
export interface Ordering {
  readonly before: string;
  readonly after: string;
}

/** After `at`, its outcome decides which steps run: those of the other side are skipped, with all that hangs on them. */
export interface Branch {
  readonly at: string;
  /** An observation in words, answered from the step's result. */
  readonly observation: string;
  /** `answer`: it holds when the person whom the step asked did not say no. The journal decides, not a model. */
  readonly decidedBy?: 'answer';
  readonly ifSo: readonly string[];
  readonly ifNot: readonly string[];
}

/** The status of a step. */
export type StepStatus = 'pending' | 'running' | 'done' | 'failed' | 'skipped' | 'cancelled' | 'blocked';
/** The result of one check. */
export type ValidationStatus = 'passed' | 'failed' | 'skipped';

/** A call as the journal holds it. */
export interface ActualCall {
  readonly tool: string;
  /** As it was made: what guards and people made of it. Where it was refused, as it was proposed. */
  readonly args: unknown;
  /** `args` is only the beginning of their JSON, as text: they are long. */
  readonly argsCut?: true;
  /** What a model reads of it: its result, or why there is none. The beginning, where it is long. */
  readonly result: string;
  /** It gave a result. */
  readonly ok: boolean;
  readonly effect: string;
  /** It took place, whatever became of its result: a guard may have refused to show it. */
  readonly tookPlace: boolean;
  /** Code of the failure, where it failed or was refused. */
  readonly code?: string;
  /** A person gave the result, or a fork only simulated it. */
  readonly standIn?: 'person' | 'simulated';
  /** It asked a person, who said no. */
  readonly declined?: true;
}

/** What became of a step. */
export interface StepRecord {
  readonly id: string;
  readonly status: StepStatus;
  readonly validationStatus: ValidationStatus;
  /** Tools as the journal says they were called in this step, each call once. */
  readonly actualToolCalls: readonly ActualCall[];
  /** Required tools that were not called, or never with success. */
  readonly missingTools: readonly string[];
  readonly result: string;
  readonly attempts: number;
  readonly why?: string;
}

/**
 * One change of a plan while it runs. `fields` are pairs of before and after, where null stands for absent: changes are
 * kept in the journal, which knows no undefined.
 */
export type PlanChange =
  | { readonly change: 'added'; readonly step: PlanStep }
  | { readonly change: 'cancelled'; readonly id: string; readonly why: string }
  | {
      readonly change: 'edited';
      readonly id: string;
      readonly fields: ChangedFields;
    }
  /** Of the plan itself: goal, shape, links, orderings, branches, and `order`, the ids in the order of the steps. */
  | { readonly change: 'plan-edited'; readonly fields: ChangedFields };

/** Fields of a step that changed, each with its old and new value. */
export type ChangedFields = Readonly<Record<string, readonly [unknown, unknown]>>;

/** Version n of a plan and how it came from the one before. */
export interface PlanRevision {
  readonly version: number;
  readonly because: string;
  readonly changes: readonly PlanChange[];
}

/** How serious a problem of a plan is. */
export type Severity = 'critical' | 'error' | 'blocked' | 'warning';

/** What a feasibility check found, with what to do about it. */
export interface PlanIssue {
  readonly check:
    | 'acyclicity'
    | 'tool-availability'
    | 'preconditions'
    | 'token-budget'
    | 'latency-budget'
    | 'permission'
    | 'concurrency'
    | 'structure'
    | 'threat'
    | 'branch-depth'
    /** Too much to look at, or to tell one by one. */
    | 'size';
  readonly severity: Severity;
  readonly action: FailureAction;
  readonly message: string;
  /** Steps it is about. */
  readonly steps: readonly string[];
}

/** What to do about a failed check of a plan. */
export type FailureAction =
  | 'substitute-tool'
  | 'reorder-or-add-prerequisite'
  | 'prune-low-priority'
  | 'parallelize-or-reduce'
  | 'request-approval-or-defer'
  | 'replan'
  | 'serialize'
  | 'order-threat';

/** The result of checking a plan. */
export interface PlanValidation {
  /** No critical and no error: blocked steps wait for an approval, warnings are told. */
  readonly valid: boolean;
  readonly issues: readonly PlanIssue[];
  readonly criticalPathMs: number;
  readonly estimatedTokens: number;
  /** Number of orders in which the steps can run; `atLeast` where it was too many to count. */
  readonly flexibility: { readonly linearizations: number; readonly atLeast: boolean };
}
