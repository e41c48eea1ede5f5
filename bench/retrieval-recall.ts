// shows: R5-RET-RECALL
/** How many of the documents that a task needs are among the ten that a search for the user's request finds. */
import { join } from 'node:path';
import { GrepIndex } from '@flyball/evals';
import { vectorFolder } from '@flyball/evals/files';
import type { Embedder } from 'flyball';
import { energeticEmbedder } from 'flyball/adapters/embedder-energetic';
import { identifiersIn } from 'flyball/internal';
import { Bm25Index, DenseIndex, DocumentLinks, fuse, HybridIndex, hashEmbedder, type Ranked } from 'flyball/retrieval';
import {
  bankingFolder,
  documentsIn,
  type GoldDocument,
  type GoldTask,
  requestsOf,
  tasksIn,
} from './measure/gold-documents.js';
import { atLeast, heading, judge, type Target, table } from './measure/report.js';

const { signal } = new AbortController();
const DEPTH = 50;
/** Sentences of a request that are searched for one by one. */
const PARTS = 12;

/** A search for everything a user asks: the request as a whole, or sentence by sentence. */
type Search = (requests: readonly string[]) => Promise<readonly Ranked[]>;

/** One list for each sentence, joined by their ranks: ten documents in all, as for everybody. */
function bySentence(search: (query: string) => Promise<readonly Ranked[]> | readonly Ranked[]): Search {
  return async (requests) => {
    const lists: (readonly Ranked[])[] = [];
    for (const request of requests.slice(0, PARTS)) lists.push(await search(request));
    return fuse(lists);
  };
}

function asWhole(search: (query: string) => Promise<readonly Ranked[]> | readonly Ranked[]): Search {
  return async (requests) => search(requests.join(' '));
}

async function dense(
  documents: readonly GoldDocument[],
  embedder: Embedder,
): Promise<(query: string) => Promise<readonly Ranked[]>> {
  const index = await DenseIndex.of(documents, { embedder, signal, cache: vectorFolder(join('.cache', 'vectors')) });
  return (query) => index.search(query, { embedder, limit: DEPTH, signal });
}

/** The words of a sentence that are long or look like names, as alternatives. */
function keywordPattern(query: string): string {
  const words = query.match(/\p{L}{6,}/gu) ?? [];
  const escaped = [...new Set([...words, ...identifiersIn(query)])].map((word) =>
    word.replace(/[^\p{L}\p{N}]/gu, '\\$&'),
  );
  return escaped.length === 0 ? query : escaped.join('|');
}

async function searches(documents: readonly GoldDocument[]): Promise<ReadonlyMap<string, Search>> {
  const bm25 = new Bm25Index(documents);
  const grep = new GrepIndex(documents);
  const embedder = energeticEmbedder();
  const cache = vectorFolder(join('.cache', 'vectors'));
  const meaning = await dense(documents, embedder);
  const spelling = await dense(documents, hashEmbedder());
  const hybrid = await HybridIndex.of(documents, { embedder, cache, signal });
  const links = new DocumentLinks(documents);
  const find = (query: string, by?: 'words' | 'meaning'): Promise<readonly Ranked[]> =>
    hybrid.search(query, { limit: DEPTH, signal, ...(by === undefined ? {} : { by }) });
  const expanded: Search = async (requests) => {
    const found = await find(requests.join(' '));
    const ten = links.expand(requests.join(' '), found, { limit: 10 });
    const seen = new Set(ten.map(({ id }) => id));
    return [...ten, ...found.filter(({ id }) => !seen.has(id))];
  };
  return new Map([
    ['BM25, whole request', asWhole((query) => bm25.search(query, DEPTH))],
    ['BM25, by sentence', bySentence((query) => bm25.search(query, DEPTH))],
    ['embedder alone (energetic), whole request', asWhole(meaning)],
    ['embedder alone (energetic), by sentence', bySentence(meaning)],
    ['hash embedder (spelling only), by sentence', bySentence(spelling)],
    [
      'grep of keywords, by sentence',
      bySentence((query) => grep.search({ pattern: keywordPattern(query), limit: DEPTH })),
    ],
    ['hybrid without vectors, whole request', asWhole((query) => find(query, 'words'))],
    ['embedder alone (energetic) over passages, whole request', asWhole((query) => find(query, 'meaning'))],
    ['hybrid, by sentence', bySentence((query) => find(query))],
    ['hybrid, whole request', asWhole((query) => find(query))],
    ['hybrid with expansion, whole request', expanded],
  ]);
}

interface Figures {
  readonly recall10: number;
  readonly recall20: number;
  readonly hitRate: number;
  readonly ms: number;
  /** Recall at 10 over every second task, beginning with the first and with the second. */
  readonly halves: readonly [number, number];
}

async function measured(search: Search, tasks: readonly GoldTask[]): Promise<Figures> {
  const recalls = { ten: [] as number[], twenty: [] as number[] };
  const began = performance.now();
  for (const { instructions, gold } of tasks) {
    const found = (await search(requestsOf(instructions))).map(({ id }) => id);
    const share = (limit: number): number => found.slice(0, limit).filter((id) => gold.has(id)).length / gold.size;
    recalls.ten.push(share(10));
    recalls.twenty.push(share(20));
  }
  const ms = (performance.now() - began) / tasks.length;
  const half = (rest: number): number => mean(recalls.ten.filter((_recall, nth) => nth % 2 === rest));
  return {
    recall10: mean(recalls.ten),
    recall20: mean(recalls.twenty),
    hitRate: mean(recalls.ten.map((recall) => (recall > 0 ? 1 : 0))),
    ms,
    halves: [half(0), half(1)],
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Better than the best of the others, over all tasks and over each half of them. */
function better(name: string, figures: ReadonlyMap<string, Figures>, than: RegExp): Target {
  const mine = figures.get(name);
  const others = [...figures].filter(([other]) => than.test(other)).map(([, each]) => each);
  const best = (of: (each: Figures) => number): number => Math.max(...others.map(of));
  const wins = [
    (each: Figures) => each.recall10,
    (each: Figures) => each.halves[0],
    (each: Figures) => each.halves[1],
  ].every((of) => mine !== undefined && of(mine) > best(of));
  const says = `${name}: recall@10 ${figure(mine?.recall10)}, above ${figure(best((each) => each.recall10))} (${than.source}), on all tasks and on each half`;
  return { says, met: wins ? 'met' : 'missed' };
}

/** It may not cost recall that it gives the last places to what was not searched for. */
function worthwhile(figures: ReadonlyMap<string, Figures>): Target {
  const [expanded = 0, plain = 0] = ['hybrid with expansion, whole request', 'hybrid, whole request'].map(
    (name) => figures.get(name)?.recall10,
  );
  return {
    says: `expansion: recall@10 ${figure(expanded)}, without it ${figure(plain)}`,
    met: atLeast(expanded, plain, 0.02),
  };
}

function figure(value: number | undefined): string {
  return (value ?? Number.NaN).toFixed(3);
}

const folder = bankingFolder();
if (folder === undefined) {
  console.log('Skipped: the data of the banking domain are not there. Set FLYBALL_TAU2 to the data folder.');
} else {
  const [documents, tasks] = [documentsIn(folder), tasksIn(folder)];
  heading('Recall of the documents that 97 banking tasks need', [
    `${documents.length} documents, ${tasks.length} tasks, ${figure(mean(tasks.map(({ gold }) => gold.size)))} gold documents a task`,
    'A request is what the user wants and says of their own accord; everybody may return ten documents for it.',
  ]);
  const figures = new Map<string, Figures>();
  for (const [name, search] of await searches(documents)) figures.set(name, await measured(search, tasks));
  table(
    ['search', 'recall@10', 'recall@20', 'hit rate', 'odd / even tasks', 'ms a request'],
    [...figures].map(([name, each]) => [
      name,
      figure(each.recall10),
      figure(each.recall20),
      figure(each.hitRate),
      each.halves.map(figure).join(' / '),
      each.ms.toFixed(1),
    ]),
  );
  judge([
    better('hybrid, whole request', figures, /^BM25/),
    better('hybrid, whole request', figures, /^embedder alone/),
    worthwhile(figures),
  ]);
}
