import type { StandardResult, StandardSchema } from '../core/schema.js';
import type { Tool } from '../core/tool.js';
import { MEMORY_KINDS, type MemoryKind } from './items.js';
import { LEVELS, type Level, shownAt } from './levels.js';
import { itemAt } from './lookup.js';
import { renderItem } from './recall-section.js';
import { type Asking, search, TOP } from './search.js';
import type { Shelf } from './write-items.js';

/** The name of the tool that searches memory. */
export const RECALL_TOOL = 'recall_memory';

/** Either a query or an id. */
export interface RecallArguments {
  readonly query?: string;
  readonly id?: string;
  readonly level?: Level;
  readonly kinds?: readonly MemoryKind[];
  readonly top?: number;
}

/**
 * Lets a model search the memory of the run it works for, and read items level by level. What it finds may be private
 * and may come from outside, so the call stands on both of those legs of the trifecta.
 */
export function recallTool(
  shelf: Shelf,
  asking: Asking,
  of: { readonly session?: string },
): Tool<RecallArguments, string> {
  return {
    name: RECALL_TOOL,
    description:
      'Search long-term memory, or read one item of it. With "query": the best matches, one line each. With "id": that item. ' +
      'Raise "level" from "index" to "summary" or "full" to read more.',
    effect: 'pure',
    input: recallArguments as StandardSchema,
    inputJsonSchema: INPUT_SCHEMA,
    legs: ['private-data', 'untrusted-content'],
    scopes: ['memory:read'],
    async execute({ id, query, level, kinds, top = TOP }, how) {
      if (id !== undefined) {
        const item = await itemAt(shelf.store, asking, id);
        return item === undefined
          ? `There is no memory ${id}. Search with a query.`
          : renderItem(shownAt(level ?? 'full', item));
      }
      const { items } = await search(
        shelf,
        asking,
        {
          query: query ?? '',
          level: level ?? 'index',
          topK: top,
          ...(kinds === undefined ? {} : { kinds }),
          ...(of.session === undefined ? {} : { session: of.session }),
        },
        how,
      );
      return items.length === 0 ? 'Nothing in memory fits.' : items.map(renderItem).join('\n');
    },
    present: (text) => text,
  };
}

const MOST = 20;

const INPUT_SCHEMA = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for.' },
    id: { type: 'string', description: 'An id in brackets from an earlier recall.' },
    level: { enum: [...LEVELS] },
    kinds: { type: 'array', items: { enum: [...MEMORY_KINDS] } },
    top: { type: 'integer', minimum: 1, maximum: MOST },
  },
  additionalProperties: false,
} as const;

const recallArguments: StandardSchema<unknown, RecallArguments> = {
  '~standard': { version: 1, vendor: 'flyball', validate: readArguments },
};

/** Sentences that a model can act on: one for everything it can get wrong. */
function readArguments(value: unknown): StandardResult<RecallArguments> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { issues: [{ message: 'give an object with "query" or "id"' }] };
  const { query, id, level, kinds, top, ...unknown } = value as Record<string, unknown>;
  const wrong = [
    ...Object.keys(unknown).map((name) => `"${name}" is not known; there are query, id, level, kinds and top`),
    ...((typeof query === 'string') === (typeof id === 'string') ? ['give either "query" or "id", as text'] : []),
    ...(level === undefined || LEVELS.some((known) => known === level)
      ? []
      : [`"level" is one of ${LEVELS.join(', ')}`]),
    ...(kinds === undefined || (Array.isArray(kinds) && kinds.every(isKind))
      ? []
      : [`"kinds" is a list of ${MEMORY_KINDS.join(', ')}`]),
    ...(top === undefined || (Number.isInteger(top) && Number(top) >= 1 && Number(top) <= MOST)
      ? []
      : [`"top" is a whole number from 1 to ${MOST}`]),
  ];
  if (wrong.length > 0) return { issues: wrong.map((message) => ({ message })) };
  return { value: value as RecallArguments };
}

function isKind(value: unknown): value is MemoryKind {
  return MEMORY_KINDS.some((kind) => kind === value);
}
