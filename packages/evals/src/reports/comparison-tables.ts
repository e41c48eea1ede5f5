import type { PairedComparison } from '../metrics/paired.js';
import type { ResearchVerdict } from '../metrics/research-questions.js';
import { type Divergence, innerName } from './divergence.js';
import { FAILURE_CLASSES, type FailureClass } from './failure-class.js';
import type { FailureReport } from './failures.js';
import type { Report } from './report.js';
import { columns, decimal, signed, simulationId, type Table, whole, word } from './table.js';

/** The parts of a report that are tables too: comparisons, questions and failures. */
export function furtherTables({ comparisons, questions, failures }: Report): readonly Table[] {
  return [comparisonTable(comparisons), questionTable(questions), classTable(failures), failureTable(failures)];
}

export function comparisonTable(comparisons: readonly PairedComparison[]): Table {
  return {
    id: 'paired',
    title: 'Paired comparison by task',
    note: 'Difference of the second to the first in pass^1, with its 95 % interval; p of the sign test and of the permutation test.',
    columns: columns(
      'First',
      'Second',
      'Tasks*',
      'Difference*',
      'Low*',
      'High*',
      'Won*',
      'Lost*',
      'Tied*',
      'p sign*',
      'p perm.*',
      'Note',
    ),
    rows: comparisons.map((one) => [
      word(one.first),
      word(one.second),
      whole(one.tasks),
      signed(one.difference.value, 3),
      signed(one.difference.low, 3),
      signed(one.difference.high, 3),
      whole(one.wins),
      whole(one.losses),
      whole(one.ties),
      decimal(one.signP, 3),
      decimal(one.permutationP, 3),
      word(one.caveats.join('; ')),
    ]),
  };
}

function questionTable(questions: readonly ResearchVerdict[]): Table {
  return {
    id: 'questions',
    title: 'Research questions',
    columns: columns('', 'Question', 'Verdict', 'Because', 'Figures'),
    rows: questions.map(({ id, question, answer, because, figures }) => [
      word(id),
      word(question),
      word(answer),
      word(because),
      word(figures.join('; ')),
    ]),
  };
}

export function classTable(failures: Report['failures']): Table {
  const conditions = [...new Set(failures.map(({ condition }) => condition))];
  const count = (condition: string, name: FailureClass) =>
    failures.filter((one) => one.condition === condition && one.failureClass === name).length;
  return {
    id: 'failure-classes',
    title: 'Why tasks failed',
    columns: columns('Class', ...conditions.map((name) => `${name}*`)),
    rows: (failures.length === 0 ? [] : (Object.keys(FAILURE_CLASSES) as FailureClass[])).map((name) => [
      word(FAILURE_CLASSES[name]),
      ...conditions.map((condition) => whole(count(condition, name))),
    ]),
  };
}

export function failureTable(failures: Report['failures']): Table {
  return {
    id: 'failures',
    title: 'Failed tasks',
    note: 'The first call that leaves the gold path.',
    columns: columns('Condition', 'Task', 'Trial*', 'Ended', 'First divergence', 'Class', 'Because', 'Simulation'),
    rows: failures.map((one) => [
      word(one.condition),
      word(one.taskId),
      whole(one.trial),
      word(one.termination),
      word(describeDivergence(one.divergence)),
      word(one.failureClass),
      word(one.because),
      simulationId(one.id),
    ]),
  };
}

export function describeDivergence(divergence: FailureReport['divergence']): string {
  switch (divergence.kind) {
    case 'missing':
      return `${innerName(divergence.gold)} was never made`;
    case 'wrong-arguments':
      return `${innerName(divergence.gold)} with another ${divergence.fields.join(', ')}${place(divergence)}`;
    case 'extra':
      return `${innerName(divergence.made.call)} is not on the gold path${place(divergence)}`;
    case 'order':
      return `${innerName(divergence.made.call)} before ${innerName(divergence.gold)}${place(divergence)}`;
    case 'none':
      return 'no state-changing call differs';
  }
}

function place({ made }: Extract<Divergence, { made: unknown }>): string {
  return ` (message ${made.at})`;
}
