import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataFolder } from '../../packages/evals/src/files/index.js';
import {
  type Knowledge,
  type KnowledgeServices,
  type KnowledgeSetup,
  loadKnowledge,
} from '../../packages/evals/src/tau2/banking-knowledge/knowledge/index.js';
import type { PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { DataFolder } from '../../packages/evals/src/world/environment.js';
import { hashEmbedder } from '../../packages/flyball/src/retrieval/hash-embedder.js';
import { tau2, withTau2 } from './tau2-data.js';

const DOCUMENTS = [
  { id: 'doc_a', title: 'Closing a card', content: 'Use close_card_1234 to close a card. The fee is $5.' },
  { id: 'doc_b', title: 'Fees', content: 'A fee of $5 is charged. Another fee: fee waived.' },
  { id: 'doc_c', title: 'Opening hours', content: 'We are open on weekdays.' },
];

/** A small knowledge base in the layout of the benchmark's. */
function folder(): DataFolder {
  const files = new Map(
    DOCUMENTS.map(({ id, title, content }) => [`documents/${id}.json`, JSON.stringify({ id, title, content })]),
  );
  for (const name of [
    ...['no_knowledge', 'grep_only', 'agentic_search', 'agentic_search_write', 'classic_rag'],
    ...['bm25', 'openai', 'qwen'].flatMap((kind) => [`classic_rag_${kind}`, `classic_rag_${kind}_no_grep`]),
  ])
    files.set(`prompts/${name}.md`, `{{component:header}} ${name}`);
  files.set('prompts/full_kb.md', '{{full_knowledge_base}}');
  files.set('prompts/required_docs.md', '[{{required_documents}}]');
  files.set('prompts/all_tools.md', 'All: {{all_tools_dense_instructions}}');
  files.set('prompts/components/header.md', 'Be $& kind.');
  const at = 'domains/banking_knowledge/';
  return {
    place: '/data',
    read: async (path) => files.get(path.slice(at.length)),
    list: async (path) => {
      const prefix = `${path.slice(at.length)}/`;
      const below = [...files.keys()]
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length));
      return below.filter((name) => !name.includes('/')).sort();
    },
  };
}

const loaded = (services: KnowledgeServices = {}): Promise<Knowledge> => loadKnowledge(folder(), services);

function call(setup: KnowledgeSetup, name: string, args: Readonly<Record<string, PyValue>>): Promise<string> {
  const tool = setup.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`${setup.retrieval} has no ${name}`);
  return tool.call(new Map(Object.entries(args)));
}

const NO_GREP = ['KB_search'];
const BOTH = ['KB_search', 'grep'];
const ALL = ['KB_search_bm25', 'KB_search_dense', 'shell'];

describe('the retrieval configurations', () => {
  it.each([
    ['no_knowledge', []],
    ['full_kb', []],
    ['golden_retrieval', []],
    ...['bm25', 'openai_embeddings', 'qwen_embeddings'].flatMap((name) => [
      [name, NO_GREP] as const,
      [`${name}_reranker`, NO_GREP] as const,
      [`${name}_grep`, BOTH] as const,
      [`${name}_reranker_grep`, BOTH] as const,
    ]),
    ['grep_only', ['grep']],
    ['terminal_use', ['shell']],
    ['terminal_use_write', ['shell']],
    ['alltools', ALL],
    ['alltools-qwen', ALL],
    ['hybrid', BOTH],
    ['dense', BOTH],
    ['alltools-local', ALL],
  ] as const)('offer exactly their tools: %s [R5-DOMAIN-RETRIEVAL]', async (name, tools) => {
    const knowledge = await loaded();
    expect(knowledge.retrievals).toContain(name);
    expect(knowledge.setup({ retrieval: name }).tools.map((tool) => tool.name)).toEqual(tools);
  });

  it('are 20 of the benchmark and three of ours, with alltools as the default and AllTools as its other name', async () => {
    const knowledge = await loaded();
    expect(knowledge.retrievals).toHaveLength(23);
    expect(knowledge.setup({}).retrieval).toBe('alltools');
    expect(knowledge.setup({ retrieval: 'AllTools' }).retrieval).toBe('alltools');
  });

  it('refuse a name or an option that they do not know, and say which there are', async () => {
    const knowledge = await loaded();
    expect(() => knowledge.setup({ retrieval: 'bm52' })).toThrow(/"bm52".*bm25/);
    expect(() => knowledge.setup({ retrieval: 'bm25', options: { topk: 3 } })).toThrow(/topk.*top_k/);
    expect(() => knowledge.setup({ retrieval: 'bm25', options: { top_k: 'three' } })).toThrow(/whole number/);
    expect(() => knowledge.setup({ retrieval: 'constructor' })).toThrow(/There is no retrieval/);
    expect(() => knowledge.setup({ retrieval: 'bm25', options: { constructor: 1 } })).toThrow(
      /Unknown retrieval option/,
    );
  });

  it('take text into a prompt as it is, whatever it holds', async () => {
    const knowledge = await loaded();
    expect(knowledge.setup({ retrieval: 'bm25' }).policy).toBe('Be $& kind. classic_rag_bm25_no_grep');
    const golden = { retrieval: 'golden_retrieval', task: { requiredDocuments: ['doc_b', 'Closing a card', 'none'] } };
    expect(knowledge.setup(golden).policy).toMatch(/^\[## Fees\n\nA fee of \$5.*\n\n---\n\n## Closing a card\n\n/);
    expect(knowledge.setup({ retrieval: 'golden_retrieval' }).policy).toBe('[(No documents provided)]');
  });

  it('name the embedder that they were given, where that is theirs to choose', async () => {
    const knowledge = await loaded({ embedder: hashEmbedder() });
    const { policy } = knowledge.setup({ retrieval: 'alltools-local' });
    expect(policy).toContain('**hash** with embedding model `v1-256`');
    expect(knowledge.setup({ retrieval: 'alltools' }).policy).toContain('text-embedding-3-large');
  });
});

describe('the search tools', () => {
  it('show what BM25 finds, down to documents without any of the words', async () => {
    const knowledge = await loaded();
    const text = await call(knowledge.setup({ retrieval: 'bm25' }), 'KB_search', { query: 'weekdays.' });
    expect(text).toMatch(/^1\. Opening hours\n {3}ID: doc_c\n {3}Score: \d\.\d{4}\n {3}Content: We are open/);
    expect(text).toContain('3. Fees\n   ID: doc_b\n   Score: 0.0000');
    expect(await call(knowledge.setup({ retrieval: 'bm25' }), 'KB_search', { query: ' ' })).toBe(
      'No relevant documents found.',
    );
  });

  it('keep to top_k, and let the agent say k where it may, without leaking into other setups', async () => {
    const knowledge = await loaded();
    const one = knowledge.setup({ retrieval: 'bm25', options: { top_k: 1, grep_top_k: null } });
    expect(await call(one, 'KB_search', { query: 'fee' })).not.toContain('2. ');
    expect(await call(knowledge.setup({ retrieval: 'bm25' }), 'KB_search', { query: 'fee' })).toContain('3. ');
    const all = knowledge.setup({});
    expect(await call(all, 'KB_search_bm25', { query: 'fee', k: 2n })).not.toContain('3. ');
    expect(await call(all, 'KB_search_bm25', { query: 'fee', k: 0n })).toBe('No relevant documents found.');
    await expect(call(all, 'KB_search_bm25', { query: 'fee', k: 2.5 })).rejects.toThrow(/slice indices/);
    expect(all.tools[0]?.parameters).toEqual([{ name: 'query' }, { name: 'k', default: 10n }]);
  });

  it('add how long it took only where there is a clock', async () => {
    let now = 0;
    const knowledge = await loaded({ now: () => (now += 7) });
    const text = await call(knowledge.setup({ retrieval: 'bm25' }), 'KB_search', { query: ' ' });
    expect(text).toBe('No relevant documents found.\n\n[Timing: retrieval=7ms, reranking=7ms, total=14ms]');
  });

  it('count matches for grep, with case where it is asked for', async () => {
    const knowledge = await loaded();
    const text = await call(knowledge.setup({ retrieval: 'grep_only' }), 'grep', { pattern: 'fee' });
    expect(text).toMatch(/^1\. Fees\n {3}ID: doc_b\n {3}Score: 3\.0000\n[\s\S]*2\. Closing a card/);
    const exact = knowledge.setup({ retrieval: 'grep_only', options: { case_sensitive: true } });
    expect(await call(exact, 'grep', { pattern: 'FEE' })).toBe('No matches found for pattern: FEE');
    const first = knowledge.setup({ retrieval: 'grep_only', options: { grep_top_k: 1 } });
    expect(await call(first, 'grep', { pattern: 'fee' })).not.toContain('2. ');
  });

  it('search by meaning with the embedder that was given, and refuse a blank query [R5-DOMAIN-RETRIEVAL]', async () => {
    const knowledge = await loaded({ embedder: hashEmbedder() });
    const dense = knowledge.setup({ retrieval: 'dense' });
    expect(await call(dense, 'KB_search', { query: 'when are you open' })).toMatch(/^1\. Opening hours/);
    await expect(call(dense, 'KB_search', { query: '\n' })).rejects.toMatchObject({ kind: 'ValueError' });
    const hybrid = knowledge.setup({ retrieval: 'hybrid', options: { top_k: 2 } });
    expect(await call(hybrid, 'KB_search', { query: 'how to close a card' })).toMatch(/^1\. Closing a card/);
  });

  it('say what is missing when a tool is called that needs it, not before', async () => {
    const bare = await loaded();
    await expect(call(bare.setup({ retrieval: 'dense' }), 'KB_search', { query: 'x' })).rejects.toThrow(/an embedder/);
    await expect(call(bare.setup({}), 'shell', { command: 'ls' })).rejects.toThrow(/a sandbox/);
    const reranking = bare.setup({ retrieval: 'bm25_reranker' });
    await expect(call(reranking, 'KB_search', { query: 'fee' })).rejects.toThrow(/a reranker/);
    const other = await loaded({ embedder: hashEmbedder() });
    const named = other.setup({ retrieval: 'openai_embeddings' });
    await expect(call(named, 'KB_search', { query: 'fee' })).rejects.toThrow(/text-embedding-3-large.*hash\/v1-256/);
  });

  it('ask Qwen in the words it wants', async () => {
    const asked: string[] = [];
    const inner = hashEmbedder();
    const embedder = {
      ...inner,
      id: 'openrouter/qwen/Qwen3-Embedding-8B',
      embed: (texts: readonly string[], how: Parameters<typeof inner.embed>[1]) => {
        if (how.as === 'query') asked.push(...texts);
        return inner.embed(texts, how);
      },
    };
    const knowledge = await loaded({ embedder });
    await call(knowledge.setup({ retrieval: 'qwen_embeddings' }), 'KB_search', { query: 'fees' });
    await call(knowledge.setup({ retrieval: 'dense' }), 'KB_search', { query: 'fees' });
    expect(asked).toEqual([
      'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:fees',
      'fees',
    ]);
  });

  it('keep what a reranker rates well enough, best first, with its rating [R5-RET-RERANK]', async () => {
    const rate = async (_query: string, document: string): Promise<number> =>
      document.includes('weekdays') ? 9 : document.includes('close_card') ? 5 : 4;
    const knowledge = await loaded({ rate });
    const text = await call(knowledge.setup({ retrieval: 'bm25_reranker' }), 'KB_search', { query: 'fee' });
    expect(text).toMatch(
      /^1\. Opening hours\n.*\n {3}Score: 9\.0000\n[\s\S]*2\. Closing a card\n.*\n {3}Score: 5\.0000/,
    );
    expect(text).not.toContain('3. ');
    const strict = knowledge.setup({ retrieval: 'bm25_reranker', options: { reranker_min_score: 6 } });
    expect(await call(strict, 'KB_search', { query: 'fee' })).not.toContain('2. ');
  });

  it('turn a pattern that would run for ever into an error that the agent can read', async () => {
    const bomb = { id: 'doc_z', title: 'Z', content: `${'a'.repeat(60)}!` };
    const data = folder();
    const read = async (path: string): Promise<string | undefined> =>
      path.endsWith('doc_a.json') ? JSON.stringify(bomb) : data.read(path);
    const knowledge = await loadKnowledge({ ...data, read });
    const setup = knowledge.setup({ retrieval: 'grep_only' });
    await expect(call(setup, 'grep', { pattern: '(a+)+$' })).rejects.toMatchObject({
      kind: 'ValueError',
      message: expect.stringContaining('too many steps'),
    });
  });
});

withTau2('the search text, against the recordings', () => {
  let knowledge: Knowledge;
  beforeAll(async () => {
    knowledge = await loadKnowledge(dataFolder(tau2().data), { now: () => 0 });
  });

  it('is equal byte for byte, but for the time it took [R5-DOMAIN-RETRIEVAL]', async () => {
    const recorded = JSON.parse(readFileSync(`${tau2().oracle}/banking_kb_search_format.json`, 'utf8')) as {
      readonly query: string;
      readonly content_without_timing: string;
    }[];
    expect(recorded).toHaveLength(3);
    for (const { query, content_without_timing: wanted } of recorded) {
      const text = await call(knowledge.setup({ retrieval: 'bm25' }), 'KB_search', { query });
      expect(text).toBe(`${wanted}\n\n[Timing: retrieval=0ms, total=0ms]`);
    }
  });
});
