import type { Kind } from './kind.js';
import type { Told } from './stage.js';

const COLUMNS = [
  'Fault',
  'Times',
  'Runs',
  'Acts',
  'Lost',
  'Doubled',
  'Not ended',
  'Taken over',
  'Repeated under the same key',
  'Asked of people (had happened)',
  'Seconds',
];
export const HEAD = `| ${COLUMNS.join(' | ')} |\n|${' --- |'.repeat(COLUMNS.length)}`;

export function row({ name }: Kind, told: Told): string {
  const { faults, runs, acts, lost, doubled, stuck, takeovers, repeated, doubts, happened, seconds } = told;
  const counts = [faults, runs, acts, lost.length, doubled.length, stuck.length, takeovers, repeated];
  return `| ${[name, ...counts, `${doubts.length} (${happened})`, Math.round(seconds)].join(' | ')} |`;
}

/** How often people were asked for each reason. */
export function countedDoubts({ doubts }: Told): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { why } of doubts) counts[why] = (counts[why] ?? 0) + 1;
  return counts;
}

/** What must not be: acts lost or doubled, runs that did not end, questions that need not have been asked. */
export function wrongs(kind: Kind, told: Told): readonly string[] {
  const { lost, doubled, stuck, doubts, takeovers } = told;
  const needless = doubts.flatMap(({ why, avoidable }) => {
    const reason = kind.isGraceful === true ? 'its process was let finish' : avoidable;
    return reason === undefined ? [] : [`${why}: ${reason}`];
  });
  const left =
    kind.isGraceful === true && takeovers > 0 ? [`${takeovers} times, from a process that was let finish`] : [];
  const all = { lost, doubled, 'not ended': stuck, 'asked needlessly': needless, 'taken over': left };
  return Object.entries(all).flatMap(([what, found]) => found.map((each) => `${what}: ${each}`));
}
