import { ConfigError } from '../core/errors.js';
import type { TitledDocument } from './hybrid.js';
import type { Ranked } from './ranked.js';

/** How many pages `expand` adds. */
export interface ExpansionOptions {
  /** Documents in all. */
  readonly limit: number;
  /** What share of them may come by tool names and links, and what share by names in the query. 0.2 each where absent. */
  readonly linked?: number;
  readonly named?: number;
}

/** A document that was found, or why it came along. */
export interface Expanded extends Ranked {
  readonly via?: { readonly kind: 'tool' | 'link' | 'name'; readonly by: string };
}

const SHARE = 0.2;
/** Links are followed from the documents that were found first: further down they lead astray. */
const FOLLOWED = 6;
/** What so many documents hold explains nothing about any of them. */
const COMMON = 8;

/** Words such as `close_bank_account_7392`: something that can be called, and that another document may explain. */
const TOOL = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)*_\d{2,}\b|\b[a-z]+(?:_[a-z0-9]+){2,}\b/g;
const LINK = /\]\(([^)\s]+)\)/g;

/**
 * What documents have to do with one another: the same tool in both, a link from one to the other, and names, a phrase in
 * capitals with which the titles of at least two documents begin. Read from the documents, with nothing to maintain.
 */
export class DocumentLinks {
  private readonly documents: readonly TitledDocument[];
  private readonly position: ReadonlyMap<string, number>;
  private readonly tools: readonly ReadonlySet<string>[];
  private readonly holders = new Map<string, number[]>();
  private readonly links: readonly (readonly number[])[];
  /** In lower case; longer names first, because the shorter ones are their beginnings. */
  private readonly names: readonly (readonly [name: string, documents: readonly number[]])[];

  constructor(documents: readonly TitledDocument[]) {
    this.documents = documents;
    this.position = new Map(documents.map(({ id }, nth) => [id, nth]));
    this.tools = documents.map(({ text }) => new Set(text.match(TOOL) ?? []));
    for (const [nth, tools] of this.tools.entries())
      for (const tool of tools) this.holders.set(tool, [...(this.holders.get(tool) ?? []), nth]);
    this.links = documents.map(({ text }) => this.linksIn(text));
    this.names = namesIn(documents);
  }

  /**
   * What was found, with the last places given to what it leads to: documents that explain a tool it names or that it
   * links to, and the first document of each thing that the query calls by its name. Nothing is found twice, and no more
   * than `limit` come back.
   */
  expand(query: string, found: readonly Ranked[], options: ExpansionOptions): readonly Expanded[] {
    const { limit, linked = SHARE, named = SHARE } = options;
    if (!(linked >= 0 && named >= 0 && linked + named <= 1))
      throw new ConfigError(`linked and named must be shares that make at most 1, got ${linked} and ${named}.`);
    const [most, forNames] = [Math.floor(limit * linked), Math.floor(limit * named)];
    const kept = found.slice(0, Math.max(0, limit - most - forNames));
    const seen = new Set(kept.map(({ id }) => id));
    const fresh = (candidates: readonly Expanded[], count: number): readonly Expanded[] => {
      const chosen = candidates.filter(({ id }) => !seen.has(id)).slice(0, count);
      for (const { id } of chosen) seen.add(id);
      return chosen;
    };
    const extra = [...fresh(this.leadsFrom(found), most), ...fresh(this.namedIn(query), forNames)];
    // places that nothing was brought for go to what was found
    const more = found.filter(({ id }) => !seen.has(id)).slice(0, limit - kept.length - extra.length);
    return [...kept, ...more, ...extra].slice(0, Math.max(0, limit));
  }

  /** Tools and links of the first documents found: rarer tools and better places count more. */
  private leadsFrom(found: readonly Ranked[]): readonly Expanded[] {
    const leads = new Map<number, { score: number; via: NonNullable<Expanded['via']> }>();
    const add = (to: number, score: number, via: NonNullable<Expanded['via']>): void => {
      const known = leads.get(to);
      leads.set(to, { score: (known?.score ?? 0) + score, via: known?.via ?? via });
    };
    const first = found.slice(0, FOLLOWED).flatMap(({ id }) => this.position.get(id) ?? []);
    for (const [rank, from] of first.entries()) {
      for (const to of this.links[from] ?? []) add(to, 1 / (rank + 1), { kind: 'link', by: this.idOf(from) });
      for (const tool of this.tools[from] ?? []) {
        const holders = this.holders.get(tool) ?? [];
        if (holders.length > COMMON) continue;
        for (const to of holders) add(to, 1 / (holders.length * (rank + 1)), { kind: 'tool', by: tool });
      }
    }
    for (const from of first) leads.delete(from);
    return [...leads]
      .map(([to, { score, via }]): Expanded => ({ id: this.idOf(to), score, via }))
      .sort((a, b) => b.score - a.score);
  }

  /** The first document of each thing that the query names, what it names most often first. */
  private namedIn(query: string): readonly Expanded[] {
    let text = plain(query);
    const found: Expanded[] = [];
    for (const [name, documents] of this.names) {
      const count = text.split(name).length - 1;
      if (count === 0) continue;
      text = text.replaceAll(name, '\u0000'); // a longer name is not also its own beginning
      found.push({ id: this.idOf(documents[0] ?? 0), score: count, via: { kind: 'name', by: name } });
    }
    return found.sort((a, b) => b.score - a.score);
  }

  private linksIn(text: string): readonly number[] {
    return [...text.matchAll(LINK)].flatMap(([, target = '']) => {
      const plainTarget = target.replace(/^\.?\//, '').replace(/#.*$/, '');
      return this.position.get(plainTarget) ?? this.position.get(plainTarget.replace(/\.\w+$/, '')) ?? [];
    });
  }

  private idOf(nth: number): string {
    return this.documents[nth]?.id ?? '';
  }
}

function plain(text: string): string {
  return ` ${text.toLowerCase().replace(/[()]/g, '')} `;
}

/** Two to five words in capitals at the beginning of a title, up to a colon or a dash. */
function namesIn(documents: readonly TitledDocument[]): readonly (readonly [string, readonly number[]])[] {
  const names = new Map<string, number[]>();
  for (const [nth, { title }] of documents.entries()) {
    const head = title.replace(/[()]/g, '').split(/[:—–]|\s-\s/)[0] ?? '';
    const words = head.trim().split(/\s+/);
    for (let count = 2; count <= Math.min(5, words.length); count++) {
      const phrase = words.slice(0, count);
      if (!phrase.every((word) => /^[\p{Lu}\p{N}+]/u.test(word))) break;
      const name = phrase.join(' ').toLowerCase();
      names.set(name, [...(names.get(name) ?? []), nth]);
    }
  }
  return [...names].filter(([, holders]) => holders.length >= 2).sort(([a], [b]) => b.length - a.length);
}
