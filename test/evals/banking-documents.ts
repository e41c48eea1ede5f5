import { readdirSync, readFileSync } from 'node:fs';
import type { SearchedDocument } from '../../packages/flyball/src/retrieval/ranked.js';
import { tau2 } from './tau2-data.js';

export interface BankingDocument extends SearchedDocument {
  readonly title: string;
}

/** The knowledge base of the banking domain, sorted by id. */
export function bankingDocuments(): readonly BankingDocument[] {
  const folder = `${tau2().data}/domains/banking_knowledge/documents`;
  return readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Record<'id' | 'title' | 'content', string>)
    .map(({ id, title, content }) => ({ id, title, text: content }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
