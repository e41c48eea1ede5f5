import { type CriticParts, critic } from '../../checks/critic.js';
import { type Verify, verification } from '../../checks/verification.js';
import { type VerifyDefect, verifyDefect } from '../../checks/verify-defect.js';
import type { VerificationParts } from '../../checks/verify-parts.js';
import type { ApprovalRules } from '../../core/approval.js';
import { ConfigError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { TaskSpec } from '../../core/work.js';
import type { Memory } from '../../memory/memory.js';
import { approvalRules } from '../../people/request-approval.js';
import type { Plan } from '../../plans/plan.js';
import type { Retriever } from '../../ports/retriever.js';
import type { Store } from '../../ports/store.js';
import { checkExecution, checkPlanner, type ExecutionParts, type PlannerParts } from '../plan/parts.js';
import { type ControllerSettings, controller } from './control/index.js';
import { type ExitSettings, exitSettings, type GivenExitSettings } from './exit/index.js';
import { type LoopLimits, loopLimits } from './phases.js';
import { answerWorkpiece } from './repair/answer-workpiece.js';
import type { RepairSpent } from './repair/repair-contracts.js';
import type { Workpiece } from './workpiece.js';

/** What a commit loop is made of. Every role is a session of its own; every bound has a default. */
export interface CommitLoopOptions {
  readonly name: string;
  /** Writes the plan, or is the plan: a method library or a fixed list is a function. */
  readonly planner: PlannerParts | ((run: Run, task: TaskSpec, avoid: readonly string[]) => Promise<Plan>);
  readonly execution: ExecutionParts;
  readonly retriever?: Retriever;
  /** Pieces of evidence a query may bring. */
  readonly evidenceLimit?: number;
  readonly verification: VerificationParts;
  readonly critic: CriticParts;
  readonly repair: {
    readonly session: Session;
    readonly stronger?: Session;
    readonly radius?: number;
    readonly budget?: Partial<RepairSpent>;
  };
  /** What is worked on; the answer itself where it is absent. */
  readonly workpiece?: Workpiece;
  readonly controller?: Partial<ControllerSettings>;
  /** The quality deficit that is expected of a first output, for the prediction before anything is spent. */
  readonly expectedError?: number;
  readonly exit?: GivenExitSettings;
  /** `fail`: what a person would have to approve fails instead, and is rolled back. `ask` where absent. */
  readonly whenUnsure?: 'ask' | 'fail';
  /** Who approves what has to be approved. */
  readonly approval?: Partial<ApprovalRules>;
  /** Where results are committed, and where loops learn from each other. */
  readonly store: Store;
  /** Committed work is remembered here. */
  readonly memory?: Memory;
  readonly limits?: Partial<LoopLimits>;
}

export interface CommitParts extends Omit<CommitLoopOptions, 'exit' | 'limits' | 'approval' | 'workpiece'> {
  readonly limits: LoopLimits;
  readonly exit: ExitSettings;
  readonly approval: ApprovalRules;
  readonly workpiece: Workpiece;
  readonly verify: Verify;
  readonly criticize: ReturnType<typeof critic>;
  readonly reverify: VerifyDefect;
  readonly repairBudget: RepairSpent;
}

/** What repairs may take where the caller does not say. */
const REPAIR_BUDGET: RepairSpent = { attempts: 8, costUsd: 1, ms: 600_000 };

/** Bad settings fail when the loop is made, before a token is spent. */
export function commitParts(options: CommitLoopOptions): CommitParts {
  if (options.name.trim() === '') throw new ConfigError('A commit loop needs a name: committed results go by it.');
  if (typeof options.planner !== 'function') checkPlanner(options.planner);
  checkExecution(options.execution);
  controller(options.controller); // refuses gains that would not settle
  const adversary = options.critic.adversary;
  return {
    ...options,
    limits: loopLimits(options.limits),
    exit: exitSettings(options.exit),
    approval: approvalRules(options.approval ?? {}),
    workpiece: options.workpiece ?? answerWorkpiece(),
    verify: verification(options.verification),
    criticize: critic(options.critic),
    reverify: verifyDefect({ ...options.verification, ...(adversary === undefined ? {} : { adversary }) }),
    repairBudget: { ...REPAIR_BUDGET, ...options.repair.budget },
  };
}
