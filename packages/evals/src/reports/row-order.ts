import { CLEAN_RETRIEVAL } from '../metrics/research-questions.js';
import type { Summary } from '../metrics/summary.js';

/** As the comparison was first published; agents beside these come after them, by name. */
const AGENTS = ['baseline', 'declarative', 'imperative', 'governed'];

/** What asks no model, such as the gold agent, comes last. */
const NO_MODEL = 'none';

/**
 * The order of rows: by model, then by agent, golden retrieval first. Models stand in the order in which they were
 * named, and by name where nobody named one.
 */
export function rowOrder(models: readonly string[] = []): (a: Row, b: Row) => number {
  return (a, b) =>
    byName(a.domain, b.domain) ||
    Number(a.model === NO_MODEL) - Number(b.model === NO_MODEL) ||
    byList(models, a.model, b.model) ||
    byList(AGENTS, a.agent, b.agent) ||
    Number(CLEAN_RETRIEVAL.has(b.retrieval)) - Number(CLEAN_RETRIEVAL.has(a.retrieval)) ||
    byName(a.retrieval, b.retrieval);
}

type Row = Pick<Summary, 'domain' | 'model' | 'agent' | 'retrieval'>;

function byList(list: readonly string[], a: string, b: string): number {
  const place = (name: string) => (list.includes(name) ? list.indexOf(name) : list.length);
  return place(a) - place(b) || byName(a, b);
}

function byName(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
