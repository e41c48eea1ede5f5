import { ConfigError, FlyballError } from 'flyball';
import { hasNoWords } from 'flyball/internal';
import type { Ranked } from 'flyball/retrieval';
import { rerank } from 'flyball/retrieval';
import { typeName } from '../../python/equality.js';
import { fixed } from '../../python/number.js';
import { type PyDict, PyError, type PyValue } from '../../python/value.js';
import type { Configuration, Overrides, SearchKind } from './configurations.js';
import type { Indexes } from './indexes.js';
import type { KnowledgeDocument, KnowledgeServices, RetrievalTool } from './knowledge.js';

export interface SearchParts {
  readonly configuration: Configuration;
  readonly overrides: Overrides;
  readonly documents: ReadonlyMap<string, KnowledgeDocument>;
  readonly indexes: Indexes;
  readonly services: KnowledgeServices;
}

/** `KB_search` of the configurations that have one way of searching. */
export function kbSearch(parts: SearchParts, kind: SearchKind): RetrievalTool {
  return {
    name: 'KB_search',
    parameters: [{ name: 'query' }],
    call: async (args) => searched(parts, kind, { query: text(args, 'query'), limit: parts.overrides.topK }),
  };
}

/** One of the two searches of the configurations with all tools: here the agent says how many documents it wants. */
export function kbSearchOf(parts: SearchParts, kind: 'bm25' | 'dense'): RetrievalTool {
  return {
    name: `KB_search_${kind}`,
    parameters: [{ name: 'query' }, { name: 'k', default: 10n }],
    async call(args) {
      const limit = wholeNumber(args.get('k') ?? null) ?? parts.overrides.topK;
      return searched(parts, kind, { query: text(args, 'query'), limit });
    },
  };
}

export function grepTool({ overrides, documents, indexes }: SearchParts): RetrievalTool {
  return {
    name: 'grep',
    parameters: [{ name: 'pattern' }],
    async call(args) {
      const pattern = text(args, 'pattern');
      const { grepTopK: limit, caseSensitive } = overrides;
      const found = bounded(() => indexes.grep(pattern, { limit, caseSensitive }));
      return found.length === 0 ? `No matches found for pattern: ${pattern}` : listed(found, documents);
    },
  };
}

async function searched(
  parts: SearchParts,
  kind: SearchKind,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<string> {
  const now = parts.services.now ?? (() => 0);
  const began = now();
  if (kind !== 'bm25' && hasNoWords(query)) throw new PyError('ValueError', 'Query must not be blank');
  const found = await parts.indexes.search(kind, query, { model: parts.configuration.model ?? 'given', limit });
  const retrieved = now();
  const kept = parts.configuration.rerank === true ? await rated(parts, query, found) : found;
  const done = now();
  const shown = kept.length === 0 ? 'No relevant documents found.' : listed(kept, parts.documents);
  if (parts.services.now === undefined) return shown;
  const reranking = done > retrieved ? `, reranking=${fixed(done - retrieved, 0)}ms` : '';
  return `${shown}\n\n[Timing: retrieval=${fixed(retrieved - began, 0)}ms${reranking}, total=${fixed(done - began, 0)}ms]`;
}

async function rated(parts: SearchParts, query: string, found: readonly Ranked[]): Promise<readonly Ranked[]> {
  const { rate } = parts.services;
  if (rate === undefined)
    throw new ConfigError(
      'This retrieval configuration rates what it finds and needs a reranker: give one, or choose one without.',
    );
  return rerank(found, {
    rate: ({ id }) => rate(query, parts.documents.get(id)?.content ?? ''),
    least: parts.overrides.rerankerMinScore,
  });
}

/** Documents as the tools show them: whole, with their place, id and score. */
function listed(found: readonly Ranked[], documents: ReadonlyMap<string, KnowledgeDocument>): string {
  return found
    .map(({ id, score }, nth) => {
      const document = documents.get(id);
      const lines = [
        `${nth + 1}. ${document?.title || 'Untitled'}`,
        `   ID: ${id}`,
        `   Score: ${fixed(score, 4)}`,
        `   Content: ${document?.content ?? ''}`,
      ];
      return `${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** A pattern that would run for ever is the agent's mistake: it is told so, and goes on. */
function bounded<T>(search: () => T): T {
  try {
    return search();
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'EFFECT_FAILED') throw new PyError('ValueError', error.message);
    throw error;
  }
}

function text(args: PyDict, name: string): string {
  const value = args.get(name) ?? null;
  if (typeof value === 'string') return value;
  throw new PyError('AttributeError', `'${typeName(value)}' object has no attribute 'strip'`);
}

function wholeNumber(value: PyValue): number | undefined {
  if (value === null) return undefined;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  throw new PyError('TypeError', 'slice indices must be integers or None or have an __index__ method');
}
