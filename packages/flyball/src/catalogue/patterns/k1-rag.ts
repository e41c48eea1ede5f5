import type { PatternSpec } from '../types.js';

export const k1: PatternSpec = {
  id: 'K1',
  name: 'Vanilla RAG',
  category: 'knowledge',
  band: 'retrieval',
  purpose: 'Answers each question from passages it looks up in a corpus that can change, and cites them.',
  whenNot: 'Not where the whole corpus fits the window and is asked often, and not for tables or relations.',
  mechanisms: ['M1', 'M2', 'M9'],
  exports: ['rag'],
  kind: 'retriever',
  seats: {
    answerer: {
      tools: 'none',
    },
  },
  params: {
    limit: {
      default: 5,
      range: [3, 8],
      source: 'catalogue',
    },
    chunk: {
      range: [256, 1024],
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'asked',
        least: 0,
        most: 1,
      },
      {
        part: 'answerer',
      },
    ],
  },
  bounds: ['limit'],
  failures: [
    {
      sign: 'Nothing in the corpus fits',
      end: 'degraded',
    },
    {
      sign: 'The answer cites what was not found',
      end: 'failed',
    },
    {
      sign: 'A document changed after it was indexed',
      end: 'flagged',
    },
    {
      sign: 'Passages distract from the answer',
      end: 'flagged',
    },
    {
      sign: 'The prompt gets long',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['K3'],
      when: {
        person: 'multi-hop-queries',
      },
      why: 'Relations need a graph, at two to five times the cost of the index.',
      table: 'B3',
    },
    {
      kind: 'upgrades-to',
      to: ['K4'],
      when: {
        person: 'broad-corpus',
      },
      why: 'A broad corpus needs summaries above its passages.',
      table: 'B3',
    },
    {
      kind: 'tension',
      to: ['K9'],
      when: {
        fact: 'same-corpus',
      },
      why: 'Above about ten questions a session on one stable corpus, compare with a cached prompt.',
      table: 'B4',
    },
  ],
  clauses: [
    'The index of rag belongs to the embedder that made it: a search by another embedder, or with other dimensions, is refused.',
    'rag shows every passage to the model with its number, source and place.',
    'Every citation in an answer of rag refers to a passage that was found; an answer that cites anything else is blocked.',
    'rag returns the nearest passages it has and does not judge whether they are enough.',
    'The reranker of rag only removes and reorders passages.',
    'Passages cover a document without gaps, and a paragraph that fits into one is never cut.',
    'When the documents do not say, rag answers that they do not, and asks no model if nothing was found.',
  ],
};
