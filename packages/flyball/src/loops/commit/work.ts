import type { Baselines, CritiqueDiagnosis, Subject, VerificationVerdict } from '../../checks/contracts.js';
import type { Decision } from '../../core/approval.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Artefact, Defect, EvidenceBundle, ExecutionOutputs, TaskSpec } from '../../core/work.js';
import type { Plan, StepRecord } from '../../plans/plan.js';
import type { CommitParts } from './commit-parts.js';
import type { Escalation, ExitReport, GateOverride, RepairEntry, SubTask } from './contracts.js';
import { type Controller, type ControlState, controller, estimateGain, type RepairOutcome } from './control/index.js';
import type { Lesson, LoopHistory } from './ledger.js';
import { type LoopEvent, type Position, roundsAllowed, START } from './phases.js';
import type { RepairSpent } from './repair/repair-contracts.js';
import type { RepairMemory } from './repair/repair-memory.js';

/** What a phase reports: the event that decides the next one, and why. */
export interface PhaseReport {
  readonly event: LoopEvent;
  readonly why?: string;
}

/** What ACT goes by, and what came of it: the next one repeats no call. */
export class Acting {
  subTasks: readonly SubTask[] = [];
  /** What RETRIEVE looks for next; everything the task is about where it is empty. */
  queries: readonly string[] = [];
  /** Queries that were asked already. */
  readonly asked = new Set<string>();
  /** What became of the steps, and what the last of them said. */
  records: readonly StepRecord[] = [];
  answer = '';
  /** Reasons for which the work has to be divided anew. */
  avoid: readonly string[] = [];
}

/** The repairs so far, and what is known about the next one. */
export class Repairing {
  /** What the controller asks of the next repair. */
  intensity = 0;
  /** What is measured next is what a repair changed, and nothing else. */
  isRepaired = false;
  /** Repairing on will not help: the next REPAIR escalates. */
  escalateBecause: string | undefined;
  /** Repairs were given up in the middle: what they changed is verified first, and the next REPAIR only escalates. */
  exhausted: { readonly why: string; readonly how: Escalation } | undefined;
  /** Defects of earlier rounds that were still there when they were last looked at, and that VERIFY does not find itself. */
  carried: readonly Defect[] = [];
  /** Repairs of outputs that were thrown away since. */
  repairsBefore = 0;
  readonly repairs: RepairEntry[] = [];
  readonly outcomes: RepairOutcome[] = [];
  readonly memories: RepairMemory[] = [];
  spent: RepairSpent = { attempts: 0, costUsd: 0, ms: 0 };
  wayOut = 0;

  /** Nothing says that repairing on will not help. */
  get isOpen(): boolean {
    return this.escalateBecause === undefined && this.exhausted === undefined;
  }

  isWithin({ attempts, costUsd, ms }: RepairSpent): boolean {
    return this.spent.attempts < attempts && this.spent.costUsd < costUsd && this.spent.ms < ms;
  }
}

/** What people decided, wrote and wanted. */
export class PeopleSaid {
  /** What a person wants changed, in words. */
  feedback: string | undefined;
  /** What a person put in place of what was made. */
  replacement: readonly Artefact[] | undefined;
  /** What a person wrote and could not be put in place. */
  refusals: readonly string[] = [];
  decisions: readonly Decision[] = [];
  approvers: readonly string[] = [];
  overrides: readonly GateOverride[] = [];
}

/** What is told of the loop afterwards. */
export class LoopLog {
  readonly transitions: { readonly from: string; readonly event: string; readonly to: string }[] = [];
  /** Hashes of the results that COMMIT has tried to make durable. */
  readonly tried: string[] = [];
  readonly costByPhase: Record<string, number> = {};
  startedAt = 0;
}

/**
 * Everything a loop knows between its phases. Rebuilt by the same steps on replay: the journal holds what went into it,
 * and nothing here is a record of its own.
 */
export class Work {
  /** Of the whole loop: every phase has a scope of its own below it. */
  readonly run: Run;
  readonly parts: CommitParts;
  readonly task: TaskSpec;
  readonly history: LoopHistory;
  readonly acting = new Acting();
  readonly repairing = new Repairing();
  readonly people = new PeopleSaid();
  readonly log = new LoopLog();
  position: Position = START;
  control: Controller;
  controlState: ControlState;
  plan: Plan | undefined;
  evidence: EvidenceBundle = { items: [], gaps: [] };
  outputs: ExecutionOutputs | undefined;
  verdict: VerificationVerdict | undefined;
  diagnosis: CritiqueDiagnosis | undefined;
  exit: ExitReport | undefined;
  verifications = 0;
  /** What the test commands have shown so far. */
  baseline: Baselines = {};
  missing: readonly string[] = [];

  constructor(run: Run, parts: CommitParts, task: TaskSpec, history: LoopHistory) {
    this.run = run;
    this.parts = parts;
    this.task = task;
    this.history = history;
    this.control = learnedController(parts, history);
    this.controlState = this.control.begin();
  }

  get subject(): Subject {
    return { task: this.task, outputs: this.made, evidence: this.evidence };
  }

  get made(): ExecutionOutputs {
    return this.outputs ?? missingValue('outputs');
  }

  get verified(): VerificationVerdict {
    return this.verdict ?? missingValue('a verdict');
  }

  get drawn(): Plan {
    return this.plan ?? missingValue('a plan');
  }

  /** The stronger model has taken over. */
  get isUpgraded(): boolean {
    return this.position.upgrades > 0;
  }

  /** What later loops of the class can learn from this one. */
  get lesson(): Lesson {
    const { id, path } = this.run;
    const { repairs, outcomes } = this.repairing;
    return { id: `${id}:${path}@${this.log.startedAt}`, repairs, outcomes };
  }

  get repairsLeft(): boolean {
    const hasRounds = this.position.repairs < roundsAllowed(this.position, this.parts.limits);
    return this.repairing.isOpen && hasRounds && this.repairing.isWithin(this.repairBudget);
  }

  /** What repairs may cost by now: a stronger model and a person's word each get what the first attempt had. */
  get repairBudget(): RepairSpent {
    const { attempts, costUsd, ms } = this.parts.repairBudget;
    const starts = 1 + this.position.upgrades + this.position.modifications;
    return { attempts: attempts * starts, costUsd: costUsd * starts, ms: ms * starts };
  }
}

/** A phase was entered without what the one before it leaves: a fault of the loop, never of the task. */
function missingValue(what: string): never {
  throw new FlyballError('CONFIG_INVALID', `This phase of a commit loop needs ${what}, and there is none.`);
}

/** With the gain that past repairs of this class show. A gain set by hand gives way where it would no longer settle. */
function learnedController({ controller: given = {} }: CommitParts, { outcomes }: LoopHistory): Controller {
  const first = controller(given);
  if (outcomes.length === 0) return first;
  const { gain, noise } = estimateGain(outcomes, { gain: first.settings.gain, noise: first.settings.noise });
  const { kp: _kp, ki: _ki, kd: _kd, ...rest } = given;
  try {
    return controller({ ...given, gain, noise });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return controller({ ...rest, gain, noise }); // what was chosen for another gain: the default for this one settles
  }
}
