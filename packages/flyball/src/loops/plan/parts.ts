import type { ApprovalRules } from '../../core/approval.js';
import { ConfigError, type Failure } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import type { Plan, PlanRevision, PlanShape, PlanStep, StepRecord, StepStatus } from '../../plans/plan.js';
import type { ToolLoopOptions } from '../tool-loop/loop-parts.js';
import type { Synthesis, SynthesisParts } from './synthesize.js';

/** Who plans, and what a plan has to keep to. */
export interface PlannerParts {
  /** Name and model of the planner. A setup of its own stands before what every planner is told. */
  readonly session: Pick<Session, 'name' | 'model'> & Partial<Session>;
  /** The tools that steps may name: those of whoever carries the plan out. */
  readonly tools: readonly ToolRef[];
  /** How often a reply that is no plan is asked for again; 2 where it is absent. */
  readonly maxReasks?: number;
  /** Only plans of this shape are accepted. */
  readonly shape?: PlanShape;
  /** Steps that may run side by side, for the check of concurrency and of the critical path. */
  readonly width?: number;
  readonly latencyMs?: number;
  /** False for a step that needs an approval first: the plan is told so, and not refused. */
  permits?(step: PlanStep): boolean;
  /** Turns in which a plan that fails a check is corrected; 2 where it is absent. */
  readonly maxRevisions?: number;
}

/** What a planner gets: the goal, requirements and facts. */
export interface PlanRequest {
  readonly goal: string;
  readonly requirements?: readonly string[];
  /** What holds before the first step: preconditions are checked against it. */
  readonly facts?: readonly string[];
  /** Material for the planner. It may come from outside and is labelled so. */
  readonly context?: string;
  /** What was tried and did not work. */
  readonly avoid?: readonly string[];
}

/** What a person, a rule or a judge says about a plan before any of its steps runs. Never a plan of its own. */
export type PlanVerdict = { readonly approve: true } | { readonly approve: false; readonly notes: string };

/** Goes on without a model: the next plan, or undefined where there is none. Pure, because it is asked again on replay. */
export type Replanner = (about: {
  readonly plan: Plan;
  readonly statuses: Readonly<Record<string, StepStatus>>;
  /** Every step that failed or could not start so far, those of earlier versions included. */
  readonly failed: readonly string[];
}) => Plan | undefined;

/** Who carries a plan out, and how far it may go. */
export interface ExecutionParts {
  /** Every step is a tool loop of this session, with a conversation of its own. */
  readonly worker: ToolLoopOptions;
  /** A model that writes the next plan, or a rule that knows it. Without one, a step that fails ends the plan. */
  readonly replanner?: PlannerParts | Replanner;
  /** 3 where it is absent. */
  readonly maxReplans?: number;
  /** How often a strict step is asked again for the tools it did not call; 2 where it is absent. */
  readonly maxReprompts?: number;
  /** Steps of a partial order that run at the same time; 4 where it is absent. */
  readonly width?: number;
  /** False for a step that changes something and has to be approved by a person before it starts. */
  permits?(step: PlanStep): boolean;
  /** Who approves such steps, and until when. */
  readonly stepApproval?: Partial<ApprovalRules>;
  /** One answer over all results at the end, held against what the steps did. Without it the last steps speak. */
  readonly synthesis?: SynthesisParts;
  /** No step of a version runs before this approves it. */
  reviewPlan?(run: Run, plan: Plan): Promise<PlanVerdict>;
}

/** The goal of a plan, and what is known at the start. */
export interface PlanGiven {
  readonly goal: string;
  readonly facts?: readonly string[];
  /** Further material for one step. It may come from outside and is labelled so. */
  contextFor?(step: PlanStep): string;
  /** Looks at the world after a step that is done. What it says belongs to the step's result: later steps read it. */
  afterStep?(run: Run, step: PlanStep): Promise<string | undefined>;
  /** The version that was noted already, where a planner of this run wrote the plan. */
  readonly version?: number;
}

/** A step's compensation that was called because the plan failed. */
export interface CompensationRecord {
  readonly step: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly content: string;
}

/** The result of a plan, with a record for each step. */
export interface PlanResult {
  /** As it stood at the end. */
  readonly plan: Plan;
  /** The last record of every step that came to an end, those of earlier versions included, in the order of their ends. */
  readonly records: readonly StepRecord[];
  /** Since it began to be carried out; corrections while it was planned are in the journal. */
  readonly revisions: readonly PlanRevision[];
  /** The synthesis, where there is one; else what the last steps said: those that nothing else waits for. */
  readonly output: string;
  /** What the output rests on, statement by statement. */
  readonly synthesis?: Synthesis;
  /** Why there is no synthesis although one was asked for. */
  readonly unsynthesized?: string;
  readonly completed: boolean;
  readonly failedStep?: string;
  readonly why?: string;
  readonly failure?: Failure;
  /** A bound of the run ended it: it can go on from here. */
  readonly bound?: { readonly name: string; readonly limit: number };
  readonly compensations?: readonly CompensationRecord[];
}

export const DEFAULT_REVISIONS = 2;
export const DEFAULT_REPLANS = 3;
export const DEFAULT_REPROMPTS = 2;
export const DEFAULT_WIDTH = 4;

/** Bad settings fail when the agent is made, before a token is spent. */
export function checkPlanner(parts: PlannerParts): void {
  requireCount('maxReasks of a planner', parts.maxReasks, 0);
  requireCount('maxRevisions of a planner', parts.maxRevisions, 0);
  requireCount('width of a planner', parts.width, 1);
  requireCount('latencyMs of a planner', parts.latencyMs, 1);
}

export function checkExecution(parts: ExecutionParts): void {
  requireCount('maxReplans of a plan', parts.maxReplans, 0);
  requireCount('maxReprompts of a plan', parts.maxReprompts, 0);
  requireCount('width of a plan', parts.width, 1);
  if (typeof parts.replanner === 'object') checkPlanner(parts.replanner);
}

function requireCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new ConfigError(`${name} must be a whole number of at least ${least}, got ${String(value)}.`);
}
