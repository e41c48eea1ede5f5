import type { Trust } from '../core/prompt.js';
import type { MemoryKind, StoredItem } from './items.js';

/** How much of an item is shown: a line, a few lines, everything. */
export const LEVELS = ['index', 'summary', 'full'] as const;
/** How much of a memory is recalled. */
export type Level = (typeof LEVELS)[number];

/** A memory as one line. */
export interface IndexEntry {
  readonly level: 'index';
  readonly id: string;
  readonly kind: MemoryKind;
  readonly at: number;
  readonly title: string;
  readonly trust: Trust;
  /** How well it fits the query, where there was one. */
  readonly score?: number;
}

/** A memory with its summary. */
export interface SummaryEntry extends Omit<IndexEntry, 'level'> {
  readonly level: 'summary';
  readonly summary: string;
  readonly tags: readonly string[];
  readonly source?: string;
  readonly confidence?: number;
}

/** A memory with its full content. */
export interface FullEntry extends Omit<SummaryEntry, 'level'> {
  readonly level: 'full';
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly session?: string;
  readonly agent?: string;
}

/** A recalled memory. */
export type Recalled = IndexEntry | SummaryEntry | FullEntry;
/** A recalled memory at one level. */
export type RecalledAt<L extends Level> = Extract<Recalled, { readonly level: L }>;

export function shownAt<L extends Level>(level: L, item: StoredItem, score?: number): RecalledAt<L>;
export function shownAt(level: Level, item: StoredItem, score?: number): Recalled {
  switch (level) {
    case 'index':
      return { level, ...indexOf(item, score) };
    case 'summary':
      return { level, ...indexOf(item, score), ...summaryOf(item) };
    case 'full': {
      const { content, metadata, version, session, agent } = item;
      return {
        level,
        ...indexOf(item, score),
        ...summaryOf(item),
        content,
        metadata,
        version,
        ...(session === undefined ? {} : { session }),
        ...(agent === undefined ? {} : { agent }),
      };
    }
  }
}

function indexOf({ id, kind, at, title, trust }: StoredItem, score: number | undefined): Omit<IndexEntry, 'level'> {
  return { id, kind, at, title, trust, ...(score === undefined ? {} : { score }) };
}

function summaryOf({ summary, tags, source, confidence }: StoredItem): Omit<SummaryEntry, 'level' | keyof IndexEntry> {
  return {
    summary,
    tags,
    ...(source === undefined ? {} : { source }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}
