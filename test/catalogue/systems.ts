import type { PatternId, Use } from '../../packages/flyball/src/core/use.js';

/** A use that is described by hand: patterns that are not built yet, and compositions of others. */
export function use(id: PatternId, name: string, more: Partial<Omit<Use, 'id' | 'name'>> = {}): Use {
  return { id, name, params: {}, parts: {}, apart: [], calls: 1, predicted: { min: 1, max: 1 }, provides: [], ...more };
}

/** A session in a seat. */
export const seat = (session: string, tools = 0, model = 'provider/model') => ({ session, model, tools });

/** Many patterns on one agent, as a stack lists them. */
export function stackOf(ids: readonly PatternId[]): Use {
  const [first = 'S1', ...rest] = ids;
  return use(first, first, { parts: { all: rest.map((id) => use(id, id)) } });
}
