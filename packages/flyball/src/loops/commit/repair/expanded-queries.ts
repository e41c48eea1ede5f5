import type { Subject } from '../../../checks/contracts.js';
import type { Defect } from '../../../core/work.js';

const MOST_QUERIES = 6;
const LONGEST = 200;

/**
 * Queries that have not been asked yet and may find what these defects lack: what a finder named, what it said, the same
 * with the goal beside it, and the words of gaps alone. Best first; none where all of them were asked before.
 */
export function expandedQueries(
  defects: readonly Defect[],
  { task, evidence }: Pick<Subject, 'task' | 'evidence'>,
  asked: readonly string[],
): readonly string[] {
  const known = new Set([...asked, ...evidence.gaps, ...evidence.items.map(({ query }) => query)].map(folded));
  const wanted = [
    ...defects.flatMap(({ facts = {} }) => [facts['query'], facts['queries']].flat()),
    ...defects.map(({ description }) => description),
    ...defects.map(({ description }) => `${task.goal} ${keywords(description)}`),
    ...evidence.gaps.flatMap((gap) => [keywords(gap), `${task.goal} ${keywords(gap)}`]),
    ...task.requirements.map((requirement) => `${keywords(task.goal)} ${keywords(requirement)}`),
  ];
  const queries = new Map<string, string>();
  for (const each of wanted) {
    const query = typeof each === 'string' ? shortened(each) : '';
    if (query !== '' && !known.has(folded(query)) && !queries.has(folded(query))) queries.set(folded(query), query);
  }
  return [...queries.values()].slice(0, MOST_QUERIES);
}

function folded(query: string): string {
  return shortened(query).toLowerCase();
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : line.slice(0, LONGEST).replace(/\S*$/, '').trim() || line.slice(0, LONGEST);
}

/** Without the short words, which say little about what is looked for. */
function keywords(text: string): string {
  const words = text.match(/[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?/gu) ?? [];
  return words.filter((word) => word.length > 3 || /\d/.test(word)).join(' ');
}
