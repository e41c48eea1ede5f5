import { ConfigError } from 'flyball';
import type { SimulationFacts } from '../metrics/facts.js';
import { FIGURES, type Figure, type FigureName } from '../metrics/figures.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { Report } from './report.js';
import { type Behind, type Cell, decimal, share } from './table.js';

/** A simulation behind a cell: what it is, and what it adds to the cell's figure. */
export interface Contribution {
  /** Label of the condition. */
  readonly condition: string;
  readonly facts: SimulationFacts;
  readonly record: SimulationRecord;
  /** `null`: it does not count there. Absent where no figure was asked for. */
  readonly part?: ReturnType<Figure['part']>;
}

/** Which simulations are wanted: those of a cell, of a task, of a trial. */
export interface Wanted extends Partial<Behind> {
  readonly task?: string;
  readonly trial?: number;
}

/** The simulations behind a cell of a report, in the order of its rows. */
export function behindCell(
  report: Report,
  { condition, figure, withoutExempt, task, trial }: Wanted,
): readonly Contribution[] {
  return report.conditions.flatMap(({ label, scored }) => {
    if (condition !== undefined && label !== condition) return [];
    const records = new Map(scored.map((record) => [record.id, record]));
    return (report.facts.get(label) ?? []).flatMap((facts) => {
      const record = records.get(facts.id);
      const isLeftOut =
        (withoutExempt === true && facts.exempt) ||
        (task !== undefined && facts.taskId !== task) ||
        (trial !== undefined && facts.trial !== trial);
      if (record === undefined || isLeftOut) return [];
      return [
        { condition: label, facts, record, ...(figure === undefined ? {} : { part: FIGURES[figure].part(facts) }) },
      ];
    });
  });
}

/** What they add up to: the cell again. */
export function addedUp(figure: FigureName, parts: readonly Contribution['part'][]): Cell {
  const counted = parts.filter((part) => part !== null && part !== undefined);
  if (FIGURES[figure].kind === 'share') {
    const shares = counted.filter((part) => typeof part !== 'number');
    return share(
      shares.reduce((all, { of, hits }) => ({ of: all.of + of, hits: all.hits + hits }), { of: 0, hits: 0 }),
    );
  }
  const numbers = counted.filter((part) => typeof part === 'number');
  const sum = numbers.reduce((all, part) => all + part, 0);
  if (FIGURES[figure].kind === 'sum') return { text: String(sum), value: sum, n: numbers.length };
  return { ...decimal(numbers.length === 0 ? null : sum / numbers.length, 4), n: numbers.length };
}

/** A condition by words of its label: all of them, in any order. */
export function conditionNamed(labels: readonly string[], words: readonly string[]): readonly string[] {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/[\s/]+/)).filter((word) => word !== '');
  const exact = labels.filter((label) => label === words.join(' '));
  const found =
    exact.length > 0 ? exact : labels.filter((label) => wanted.every((word) => label.toLowerCase().includes(word)));
  if (found.length === 0)
    throw new ConfigError(`No condition has "${words.join(' ')}" in its name. Available: ${labels.join('; ')}.`);
  return found;
}

export function figureNamed(name: string): FigureName {
  const names = Object.keys(FIGURES) as FigureName[];
  const found = names.find((one) => one === name);
  if (found === undefined) throw new ConfigError(`There is no figure "${name}". Available: ${names.join(', ')}.`);
  return found;
}
