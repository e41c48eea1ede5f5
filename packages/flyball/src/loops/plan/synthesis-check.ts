import type { ActualCall, StepRecord } from '../../plans/plan.js';
import type { Toolset } from '../../tools/toolset.js';
import { effectKindOf } from './effect-kind.js';

/**
 * What a statement says about the steps it names. done: something was changed. found: a tool said so. concluded: it was
 * thought. not-done: it did not happen.
 */
export type StatementKind = 'done' | 'found' | 'concluded' | 'not-done';

/** A statement of a synthesized answer, and the steps behind it. */
export interface Statement {
  readonly text: string;
  readonly kind: StatementKind;
  /** What it rests on. */
  readonly steps: readonly string[];
}

export const MOST_STATEMENTS = 50;
const LONGEST = 4_000;
const MOST_PROBLEMS = 10;
const KINDS: readonly unknown[] = ['done', 'found', 'concluded', 'not-done'] satisfies StatementKind[];

/**
 * Everything that is wrong with a synthesis. Nothing is asked: records are what the journal says.
 *
 * 1. A statement names steps of this plan.
 * 2. `done` names only steps with a call that changed something, took place and was not refused; `found` only steps with
 *    a call that gave a result.
 * 3. `not-done` names only steps that did not do what they had to.
 * 4. Every act that was refused, failed or is in doubt is told: its step stands in a `not-done`.
 */
export function statementProblems(value: unknown, records: readonly StepRecord[], tools: Toolset): readonly string[] {
  const statements = statementsIn(value);
  if (typeof statements === 'string') return [statements];
  const byId = new Map(records.map((record) => [record.id, record]));
  const wrong = statements.flatMap(({ kind, steps }, n) =>
    steps.flatMap((id) => {
      const record = byId.get(id);
      const problem = record === undefined ? 'there is no such step' : refuted(kind, record, tools);
      return problem === undefined ? [] : [`statement ${n + 1} is "${kind}" and names step ${id}, but ${problem}`];
    }),
  );
  const told = new Set(statements.flatMap(({ kind, steps }) => (kind === 'not-done' ? steps : [])));
  const silent = records.flatMap((record) => {
    const missing = undoneActs(record, tools);
    return missing.length === 0 || told.has(record.id)
      ? []
      : [`no "not-done" statement names step ${record.id}, where ${missing.join(' and ')}`];
  });
  const all = [...wrong, ...silent];
  return all.length <= MOST_PROBLEMS ? all : [...all.slice(0, MOST_PROBLEMS), `and ${all.length - MOST_PROBLEMS} more`];
}

function refuted(kind: StatementKind, record: StepRecord, tools: Toolset): string | undefined {
  const { status, actualToolCalls: calls } = record;
  switch (kind) {
    case 'done':
      return calls.some((call) => isDone(call, tools)) ? undefined : 'the journal shows nothing that it changed';
    case 'found':
      return calls.some(({ ok }) => ok) ? undefined : 'the journal shows no result of a tool there';
    case 'concluded':
      return status === 'done' ? undefined : `that step is ${status}`;
    case 'not-done':
      if (status !== 'done' || undoneActs(record, tools).length > 0 || record.missingTools.length > 0) return undefined;
      return 'the journal shows that it did all it had to';
  }
}

function isDone(call: ActualCall, tools: Toolset): boolean {
  return call.ok && call.tookPlace && changes(call, tools);
}

/** Calls that would have changed something and did not, or nobody knows; none where a later call of the tool did it. */
function undoneActs({ actualToolCalls: calls }: StepRecord, tools: Toolset): readonly string[] {
  const declined = calls.filter((call) => call.declined === true).map(({ tool }) => `a person said no to ${tool}`);
  const failed = calls.filter(
    (call, at) =>
      !call.ok && changes(call, tools) && !calls.slice(at + 1).some((later) => later.tool === call.tool && later.ok),
  );
  return [
    ...new Set([...declined, ...failed.map(({ tool, code }) => `${tool} did not succeed (${code ?? 'failed'})`)]),
  ];
}

function changes({ tool }: ActualCall, tools: Toolset): boolean {
  const known = tools.get(tool);
  return known === undefined || effectKindOf(known) !== 'pure';
}

function statementsIn(value: unknown): readonly Statement[] | string {
  const statements = (value as { readonly statements?: unknown } | null)?.statements;
  if (!Array.isArray(statements) || statements.length === 0 || statements.length > MOST_STATEMENTS)
    return `answer with { "statements": [ … ] }, 1 to ${MOST_STATEMENTS} of them`;
  const broken = statements.findIndex((one) => !isStatement(one));
  if (broken === -1) return statements as readonly Statement[];
  return `statement ${broken + 1} must be { "text": up to ${LONGEST} characters, "kind": one of ${KINDS.join(', ')}, "steps": at least one id }`;
}

function isStatement(value: unknown): boolean {
  const { text, kind, steps, ...more } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const hasSteps = Array.isArray(steps) && steps.length > 0 && steps.every((id) => typeof id === 'string');
  const hasText = typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST;
  return hasText && hasSteps && KINDS.includes(kind) && Object.keys(more).length === 0;
}
