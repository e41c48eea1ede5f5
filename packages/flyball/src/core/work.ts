import type { Trust } from './prompt.js';

/** A task: the input of a commit loop, and the key of its result. */
export interface TaskSpec {
  /** Chosen by you. The same task with the same id is done only once. */
  readonly id: string;
  readonly goal: string;
  /** What the result has to cover. Completeness is measured against this list. */
  readonly requirements: readonly string[];
  /** Tasks of one class share what was learned about repairs, and make a new task less novel. */
  readonly taskClass: string;
  readonly context?: string;
  /** Conditions that are true before the first step, such as `repository-cloned`. */
  readonly facts?: readonly string[];
  /** If true, somebody has to approve the result, whatever its scores. */
  readonly requiresApproval?: boolean;
}

/** A piece of what was retrieved, with where it comes from. Never loses its label. */
export interface Evidence {
  /** Hash of source, place and text: the same piece has the same id in every run. */
  readonly id: string;
  readonly text: string;
  /** Document, record or address. */
  readonly source: string;
  /** Where in the source: `lines 10-24`, `chunk 3`. */
  readonly place: string;
  /** The query that found it. */
  readonly query: string;
  readonly score: number;
  /** An authority settles facts; everything else only supports. */
  readonly authority: boolean;
  readonly trust: Trust;
}

/** Evidence for an output, and what is missing. */
export interface EvidenceBundle {
  readonly items: readonly Evidence[];
  /** Queries that found nothing: a gap that VERIFY may send back to RETRIEVE. */
  readonly gaps: readonly string[];
}

/** One result of the work: the answer itself, or a file with its path. */
export interface Artefact {
  readonly name: string;
  readonly text: string;
}

/** What ACT made, and REPAIR changes. */
export interface ExecutionOutputs {
  readonly artefacts: readonly Artefact[];
  /** What the output schema made of the answer, where there is one. */
  readonly value?: unknown;
  /** Sub-tasks that were carried out, with what each of them reported. */
  readonly reports: readonly { readonly subTask: string; readonly text: string }[];
  /** Average log-probability of the generated tokens, where the model reports it. */
  readonly logProb?: number;
}

/** Where in the outputs something is wrong, as precisely as is known. */
export interface Location {
  readonly artefact: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly endLine?: number;
  /** Heading or function that holds it. */
  readonly section?: string;
}

/** What a defect comes from: it decides how it is repaired. */
export const ROOT_CAUSES = [
  'schema-violation',
  'factual-error',
  'logic-error',
  'incompleteness',
  'coherence-failure',
  'safety-violation',
  'hallucination',
  'retrieval-gap',
  'tool-failure',
  'capability-limit',
  'complexity-exceeded',
] as const;
/** Why an output has a defect. */
export type RootCause = (typeof ROOT_CAUSES)[number];

/** A quality that a rubric scores. */
export type DimensionName = 'correctness' | 'completeness' | 'coherence' | 'safety';

/** Something wrong with an output: where, how severe, and why. */
export interface Defect {
  /** The same defect found again has the same id. */
  readonly id: string;
  readonly dimension: DimensionName;
  readonly description: string;
  /** 0 to 1. */
  readonly severity: number;
  readonly location?: Location;
  /** The whole output, or a bounded part of it. */
  readonly scope: 'global' | 'bounded';
  /** Known already where a check found it; REPAIR classifies the others. */
  readonly cause?: RootCause;
  readonly needsExpert?: boolean;
  /** What found it: `schema`, `test:unit`, `claim`, `rubric`, `critic`, `adversary`. */
  readonly foundBy: string;
  /** Facts for the repair prompt: expected and actual values, stack frames, the contradicting evidence. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** What could be done about a defect, from the critic. */
export interface RepairHint {
  readonly defect: string;
  readonly hint: string;
}
