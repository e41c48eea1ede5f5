import { canonicalJson } from '../core/canonical.js';
import type { Run } from '../core/run.js';
import type { DimensionName } from '../core/work.js';
import type { Subject } from './contracts.js';

/** What should come of a case. */
export type Expected =
  | { readonly returns: unknown }
  /** It should fail, with a message or a kind of error that holds this text; any failure where it is empty. */
  | { readonly throws: string };

/** An input that might break what was made, and what should come of it. */
export interface EdgeCase {
  readonly name: string;
  readonly input: unknown;
  readonly expected: Expected;
  /** Which dimension its failure is about. */
  readonly dimension: DimensionName;
  /** How bad a failure would be, said before it is known whether there is one. */
  readonly severity: number;
}

/** The result of an edge case. */
export type CaseResult =
  | { readonly ran: true; readonly ok: boolean; readonly actual: string }
  /** It could not be executed, which says nothing about the case. */
  | { readonly ran: false; readonly problem: string };

/** Executes edge cases against what was made. */
export interface CaseRunner {
  /** For whoever proposes cases: what an input looks like and what is compared. */
  readonly describe: string;
  /** Artefact that the cases are about, where it is one. */
  readonly artefact?: string;
  /** Changes nothing outside: it is run again after a crash. */
  runCase(run: Run, subject: Subject, given: Pick<EdgeCase, 'input' | 'expected'>): Promise<CaseResult>;
}

/** What an execution came to: a value, or a failure in words. */
export type Came = { readonly value: unknown } | { readonly error: string };

const LONGEST_ACTUAL = 2000;

export function compared(expected: Expected, came: Came): CaseResult {
  const actual = ('value' in came ? `returned ${shown(came.value)}` : `failed: ${came.error}`).slice(0, LONGEST_ACTUAL);
  return { ran: true, ok: isExpected(expected, came), actual };
}

function isExpected(expected: Expected, came: Came): boolean {
  if ('throws' in expected) return 'error' in came && came.error.includes(expected.throws);
  return 'value' in came && canonicalJson(came.value) === canonicalJson(expected.returns);
}

export function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}
