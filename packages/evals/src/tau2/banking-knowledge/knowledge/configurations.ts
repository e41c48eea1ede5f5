import { ConfigError } from 'flyball';
import type { ToolkitName } from './knowledge.js';

/** How KB_search finds documents. */
export type SearchKind = 'bm25' | 'dense' | 'hybrid';

/** The embedding model that a configuration of the reference names; `given` is whichever the caller brought. */
export type ModelChoice = 'openai' | 'qwen' | 'given';

/** A retrieval configuration as data: what the agent reads, and which tools it gets. */
export interface Configuration {
  readonly name: string;
  readonly template: string;
  /** What the prompt holds of the knowledge base. */
  readonly inPrompt: 'nothing' | 'everything' | 'golden';
  readonly toolkit: ToolkitName;
  readonly search?: SearchKind;
  readonly model?: ModelChoice;
  readonly rerank?: boolean;
  /** Read-only where false. */
  readonly shellWrites?: boolean;
}

export interface Overrides {
  readonly topK: number;
  readonly grepTopK: number;
  readonly caseSensitive: boolean;
  readonly rerankerMinScore: number;
}

const DEFAULTS: Overrides = { topK: 10, grepTopK: 10, caseSensitive: false, rerankerMinScore: 5 };

export const DEFAULT_RETRIEVAL = 'alltools';
const ALIASES: ReadonlyMap<string, string> = new Map([['AllTools', 'alltools']]);

const plain = (name: string, template: string, inPrompt: Configuration['inPrompt']): Configuration => ({
  name,
  template,
  inPrompt,
  toolkit: 'KnowledgeToolsPlain',
});

/** The four forms of a searching configuration: with and without a reranker, with and without grep. */
function searching(name: string, template: string, how: Pick<Configuration, 'search' | 'model'>): Configuration[] {
  return [false, true].flatMap((grep) =>
    [false, true].map((rerank) => ({
      name: `${name}${rerank ? '_reranker' : ''}${grep ? '_grep' : ''}`,
      template: grep ? `${template}.md` : `${template}_no_grep.md`,
      inPrompt: 'nothing' as const,
      toolkit: grep ? ('KnowledgeToolsWithKBSearchAndGrep' as const) : ('KnowledgeToolsWithKBSearch' as const),
      rerank,
      ...how,
    })),
  );
}

const shell = (name: string, template: string, shellWrites: boolean): Configuration => ({
  name,
  template,
  inPrompt: 'nothing',
  toolkit: 'KnowledgeToolsWithShell',
  shellWrites,
});

const allTools = (name: string, model: ModelChoice): Configuration => ({
  name,
  template: 'all_tools.md',
  inPrompt: 'nothing',
  toolkit: 'KnowledgeToolsAllTools',
  model,
  shellWrites: false,
});

/** Both tools, with the template that says nothing about how the search works: ours are named apart from the reference's. */
const ours = (name: string, search: SearchKind): Configuration => ({
  name,
  template: 'classic_rag.md',
  inPrompt: 'nothing',
  toolkit: 'KnowledgeToolsWithKBSearchAndGrep',
  search,
  model: 'given',
});

/** The reference's twenty, then ours. */
export const CONFIGURATIONS: ReadonlyMap<string, Configuration> = new Map(
  [
    plain('no_knowledge', 'no_knowledge.md', 'nothing'),
    plain('full_kb', 'full_kb.md', 'everything'),
    plain('golden_retrieval', 'required_docs.md', 'golden'),
    ...searching('bm25', 'classic_rag_bm25', { search: 'bm25' }),
    ...searching('openai_embeddings', 'classic_rag_openai', { search: 'dense', model: 'openai' }),
    ...searching('qwen_embeddings', 'classic_rag_qwen', { search: 'dense', model: 'qwen' }),
    {
      name: 'grep_only',
      template: 'grep_only.md',
      inPrompt: 'nothing',
      toolkit: 'KnowledgeToolsWithGrep',
    } satisfies Configuration,
    shell('terminal_use', 'agentic_search.md', false),
    shell('terminal_use_write', 'agentic_search_write.md', true),
    allTools('alltools', 'openai'),
    allTools('alltools-qwen', 'qwen'),
    ours('dense', 'dense'),
    ours('hybrid', 'hybrid'),
    allTools('alltools-local', 'given'),
  ].map((configuration) => [configuration.name, configuration]),
);

export function configurationOf(name: string): Configuration {
  const found = CONFIGURATIONS.get(ALIASES.get(name) ?? name);
  if (found !== undefined) return found;
  throw new ConfigError(
    `There is no retrieval configuration ${JSON.stringify(name)}. Choose one of ${[...CONFIGURATIONS.keys()].join(', ')}.`,
  );
}

/** Checked before a simulation starts: a misspelt option would otherwise measure something else than was meant. */
export function overridesOf(options: Readonly<Record<string, unknown>>): Overrides {
  const readers: Readonly<Record<string, (value: unknown) => Partial<Overrides>>> = {
    top_k: (value) => ({ topK: wholeNumber('top_k', value) }),
    grep_top_k: (value) => ({ grepTopK: wholeNumber('grep_top_k', value) }),
    case_sensitive: (value) => ({ caseSensitive: truth('case_sensitive', value) }),
    reranker_min_score: (value) => ({ rerankerMinScore: wholeNumber('reranker_min_score', value) }),
  };
  let overrides = DEFAULTS;
  for (const [name, value] of Object.entries(options)) {
    if (value === null || value === undefined) continue;
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined)
      throw new ConfigError(`Unknown retrieval option ${name}. There are ${Object.keys(readers).join(', ')}.`);
    overrides = { ...overrides, ...read(value) };
  }
  return overrides;
}

function wholeNumber(name: string, value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0) return number;
  throw new ConfigError(`${name} must be a whole number of at least 0, got ${String(value)}.`);
}

function truth(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new ConfigError(`${name} must be true or false, got ${String(value)}.`);
}
