import type { PatternId } from '../core/use.js';
import { catalogueJson } from './json.js';

/** Whether a pattern has been built: a test shows at least one of its clauses. */
export function isBuilt(id: PatternId): boolean {
  const entry = catalogueJson().patterns.find((each) => each.id === id);
  return entry?.clauses.some(({ shows }) => shows.length > 0) ?? false;
}
