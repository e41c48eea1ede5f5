import type { CritiqueDiagnosis, Scores, VerificationVerdict } from '../../checks/contracts.js';
import type { Decision, Risk } from '../../core/approval.js';
import type { Amounts } from '../../core/budget.js';
import type { Defect, EvidenceBundle, ExecutionOutputs, RootCause, TaskSpec } from '../../core/work.js';
import type { Plan } from '../../plans/plan.js';

/**
 * What crosses the phase boundaries. Additions raise the minor version and old readers go on; anything else raises the
 * major one, and a record of another major version is refused instead of being misread.
 */
export const COMMIT_PROTOCOL = { major: 1, minor: 0 } as const;

/** DECOMPOSE: one piece of the plan, with what RETRIEVE should look for. */
export interface SubTask {
  readonly id: string;
  readonly description: string;
  readonly queries: readonly string[];
}

/** What the phases hand to each other; each phase reads what is there and adds its own. */
export interface LoopData {
  readonly task: TaskSpec;
  readonly plan?: Plan;
  readonly subTasks?: readonly SubTask[];
  readonly evidence?: EvidenceBundle;
  readonly outputs?: ExecutionOutputs;
  readonly verdict?: VerificationVerdict;
  readonly diagnosis?: CritiqueDiagnosis;
}

/** How much of an output a repair changes. */
export type Strategy = 'minimal-edit' | 'section-rewrite' | 'full-regeneration';

/** One repair: its defect, strategy, result and cost. */
export interface RepairEntry {
  /** Counted from 1 over the whole loop. */
  readonly n: number;
  readonly defect: string;
  readonly description: string;
  readonly cause: RootCause;
  readonly strategy: Strategy;
  /** What was asked of the controller: 0 to 1. */
  readonly intensity: number;
  readonly resolved: boolean;
  readonly costUsd: number;
  readonly ms: number;
}

/** How a loop is left when repairs are exhausted. */
export type Escalation = 'human-review' | 'model-upgrade' | 're-decompose' | 'partial-commit' | 'fail-with-diagnosis';

/** The score of a gate, and whether it is open. */
export interface GateResult {
  readonly gate:
    | 'schema'
    | 'correctness'
    | 'completeness'
    | 'coherence'
    | 'safety'
    | 'rubric'
    | 'tests'
    | 'consistency'
    | 'confidence';
  readonly score: number;
  readonly threshold: number;
  readonly passed: boolean;
  /** The gate was not applicable: no tests, no sampling. It passes, and says why. */
  readonly note?: string;
}

/** Whether an output may be committed: its gates, confidence and triggers. */
export interface ExitReport {
  readonly gates: readonly GateResult[];
  readonly confidence: number;
  readonly disposition: 'auto-commit' | 'human-review' | 'reject';
  /** Why a person has to approve, mechanically; empty where nobody has to. */
  readonly triggers: readonly ApprovalTrigger[];
  readonly risk: Risk;
}

export type ApprovalTrigger =
  | 'confidence-below-auto-commit'
  | 'irreversible-mutation'
  | 'task-requires-approval'
  | 'novel-task'
  | 'budget-exceeded-with-partial-output'
  | 'safety-below-gate';

/** Where a committed output comes from. Content-addressed: `hash` is SHA-256 over the canonical JSON of the rest. */
export interface CommitProvenance {
  readonly protocol: { readonly major: number; readonly minor: number };
  readonly task: string;
  readonly taskHash: string;
  readonly run: string;
  readonly planHash: string;
  /** Evidence by id, each with source, place and query. */
  readonly evidence: readonly {
    readonly id: string;
    readonly source: string;
    readonly place: string;
    readonly query: string;
  }[];
  /** Tool calls by effect id, as the journal holds them. */
  readonly toolCalls: readonly { readonly effect: string; readonly tool: string; readonly ok: boolean }[];
  readonly repairs: readonly RepairEntry[];
  readonly scores: Scores;
  readonly composite: number;
  readonly testPassRate: number;
  readonly models: readonly string[];
  readonly at: number;
  readonly approvers: readonly string[];
  /** Every verdict on the way, oldest first: who approved, changed or passed it on, and why. */
  readonly decisions: readonly Decision[];
  readonly outputHash: string;
  readonly hash: string;
}

/** The course of the loop, for audits: every transition, what it cost and how it ended. The journal has the rest. */
export interface CommitAudit {
  readonly transitions: readonly { readonly from: string; readonly event: string; readonly to: string }[];
  readonly costByPhase: Readonly<Record<string, number>>;
  readonly spent: Amounts;
  readonly ms: number;
  readonly exit: ExitReport;
}

/** A gate that was closed and that people opened, in their own words. */
export interface GateOverride extends Pick<GateResult, 'gate' | 'score' | 'threshold'> {
  readonly by: readonly string[];
  readonly reason: string;
}

/** COMMIT's artefact. */
export interface CommitResult {
  readonly status: 'committed' | 'partial';
  readonly outputs: ExecutionOutputs;
  /** What a partial commit lacks; empty otherwise. */
  readonly missing: readonly string[];
  /** Gates that were closed when people agreed all the same; empty otherwise. */
  readonly overrides: readonly GateOverride[];
  readonly provenance: CommitProvenance;
  readonly audit: CommitAudit;
  readonly contentHash: string;
  readonly auditHash: string;
  /** Over everything above: `verifyCommit` needs nothing else. */
  readonly seal: string;
  /** It was committed before, and nothing was done this time. */
  readonly resubmitted?: true;
}

/** FAIL's artefact. */
export interface FailureReport {
  readonly reason: string;
  readonly phase: string;
  readonly diagnosis: readonly Defect[];
  readonly repairs: readonly RepairEntry[];
  readonly partial?: ExecutionOutputs;
  readonly exit?: ExitReport;
  /** Where a person can go on from: the run and its last entry. */
  readonly checkpoint: { readonly run: string; readonly phase: string; readonly iteration: number };
}
