import type { Run } from '../core/run.js';
import type { Defect, DimensionName, EvidenceBundle, ExecutionOutputs, RepairHint, TaskSpec } from '../core/work.js';

/** What is looked at: the task, what was made for it, and what it rests on. Never how it was made. */
export interface Subject {
  readonly task: TaskSpec;
  readonly outputs: ExecutionOutputs;
  readonly evidence: EvidenceBundle;
}

/** Something that is stated in an output and can be true or false. */
export interface Claim {
  readonly id: string;
  readonly text: string;
  readonly artefact: string;
  readonly line?: number;
}

/** Whether evidence supports a claim. */
export type Entailment = 'entail' | 'neutral' | 'contradict';

/** A claim with its verdict and evidence. */
export interface JudgedClaim extends Claim {
  readonly verdict: Entailment;
  /** Evidence that entails or contradicts it. */
  readonly evidence: readonly string[];
  /** An authority among them supports it. */
  readonly isSupported: boolean;
}

/** The level of a test. */
export type TestLevel = 'unit' | 'integration' | 'behavioral' | 'regression';

/** A line of a stack trace. */
export interface StackFrame {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly function?: string;
}

/** A failed test. */
export interface TestFailure {
  readonly test: string;
  readonly file?: string;
  readonly message: string;
  readonly errorType?: string;
  readonly expected?: string;
  readonly actual?: string;
  readonly stack: readonly StackFrame[];
  /** The frame in the code under test that failed, as far as the stack tells. */
  readonly at?: StackFrame;
  /** Values that the failing call was given, where the report shows them. */
  readonly inputs?: readonly string[];
}

/** One run of a test command. */
export interface TestReport {
  readonly level: TestLevel;
  readonly command: string;
  /** Where the command ran, where that is known: the same command elsewhere is another one. */
  readonly cwd?: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
  /** Names of the tests that passed: what a later run is compared with. */
  readonly passing: readonly string[];
  /** Names of all tests that ran, failed ones included; skipped ones did not. */
  readonly known: readonly string[];
  /** How many tests ran, where `known` does not name them all. */
  readonly ran?: number;
  /** Tests that passed before and fail now, or are gone. */
  readonly regressions: readonly string[];
  /** The command could not be run, or its report not be read: says nothing about the code, and is no pass. */
  readonly problem?: string;
  /** With a problem: the command did not get to run, or not to its end, whatever the code is like. */
  readonly blocked?: true;
  readonly ms: number;
}

/** How far samples agree. */
export interface Consistency {
  readonly score: number;
  readonly verdict: 'pass' | 'low-confidence';
  readonly n: number;
  /** Index of the sample that agrees best with the others. */
  readonly best: number;
  readonly voting: 'majority' | 'similarity';
  /** By how much the best answer is ahead of the next one. */
  readonly margin?: number;
  /** Another answer is as good. */
  readonly tie?: boolean;
  /** Samples that failed: they vote for nothing and count among `n`. */
  readonly abstained?: number;
  /** What the samples say, those that voted, each at most 4,000 characters. */
  readonly samples?: readonly string[];
  /** What most of them say; absent where they do not agree with each other. */
  readonly agreed?: string;
}

/** Scores by dimension, each 0 to 1. */
export type Scores = Readonly<Record<DimensionName, number>>;

/** What VERIFY found. */
export interface VerificationVerdict {
  readonly schemaOk: boolean;
  readonly schemaProblems: readonly string[];
  /** Share of claims that the evidence does not contradict; 0 where that was not measured, see `skipped`. */
  readonly semantic: number;
  /** Share of claims that an authority supports. */
  readonly factual: number;
  readonly coherence: number;
  /** 0 where the schema is violated; else the weighted levels. */
  readonly composite: number;
  readonly claims: readonly JudgedClaim[];
  /** The rubric, scored here because the gates need it. What is in `unscored` is 0 because nobody scored it. */
  readonly scores: Scores;
  /** Dimensions without a score: nobody was asked, or the judge could not be read. Absent where all were scored. */
  readonly unscored?: readonly DimensionName[];
  /** Weighted sum of the scores. */
  readonly aggregate: number;
  /** Who scored the rubric, and by which one; absent where nobody did. */
  readonly judgedBy?: {
    readonly rubric: { readonly version: string; readonly hash: string };
    readonly model: string;
    readonly calibration: 'calibrated' | 'uncalibrated';
  };
  readonly tests: readonly TestReport[];
  /** Passed of all tests, 1 where there are none. */
  readonly testPassRate: number;
  readonly consistency?: Consistency;
  readonly defects: readonly Defect[];
  /** Queries whose answer would be needed: sends the loop back to RETRIEVE. */
  readonly gaps: readonly string[];
  /** Levels that were not run, and why. Never counts as a pass. */
  readonly skipped: readonly SkippedLevel[];
  /**
   * Test commands that could not be run at all, and why: no sandbox, no such program, a limit. No repair of the output
   * helps against that, so there is no defect for it. Absent where there is none.
   */
  readonly blocked?: readonly string[];
}

/** A check that did not run, and why. */
export interface SkippedLevel {
  readonly level: string;
  readonly why: string;
  /** It was asked for and could not be had. Without it the level does not apply: nobody asked, or nothing is claimed. */
  readonly unmet?: true;
}

/** What CRITIQUE found. */
export interface CritiqueDiagnosis {
  readonly scores: Scores;
  readonly defects: readonly Defect[];
  /** Of the worst defect; 0 where there is none. */
  readonly severity: number;
  readonly hints: readonly RepairHint[];
  /** Critics that could not be heard. Without one that has to be heard there is no clean bill. */
  readonly missing?: readonly { readonly critic: string; readonly why: string; readonly mandatory: boolean }[];
}

/** One part of verification. What it does to the world goes through `run`, like everything. */
export interface Check<T> {
  readonly name: string;
  run(run: Run, subject: Subject): Promise<T>;
}

/** What is known of a test command before it runs again. */
export interface Baseline {
  /** Tests that passed at some time: failing now is a regression. */
  readonly passing: readonly string[];
  /** Every test that was ever seen. One that is gone or skipped later counts as failed: nobody mends a test by removing it. */
  readonly known: readonly string[];
  /** The most tests that ever ran, where `known` does not name them all. */
  readonly ran?: number;
}

/** By command, because two commands of one level do not run the same tests. */
export type Baselines = Readonly<Record<string, Baseline>>;

/** A test command that can be run again and again. */
export interface TestHarness {
  readonly level: TestLevel;
  readonly command: string;
  readonly cwd?: string;
  /** `baseline`: what earlier runs of this command showed. */
  runTests(run: Run, baseline: Baseline): Promise<TestReport>;
}

/** When and against what a verification happens. */
export interface VerifyContext {
  /** 0 for the first verification of a loop. */
  readonly iteration: number;
  /** What earlier runs of the test commands of this loop showed. */
  readonly baseline: Baselines;
  /** All actions are complete, or only one of them: unit tests run after each, the others at the end. */
  readonly trigger: 'action' | 'all-actions' | 'commit';
}
