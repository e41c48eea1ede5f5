import { hash } from 'node:crypto';
import { FlyballError } from '../core/errors.js';
import { PRIVATE } from '../core/private-marks.js';
import type { Trust } from '../core/prompt.js';
import type { StoreRecord } from '../ports/store.js';
import type { StoredVector } from '../retrieval/vectors.js';
import { oneLine } from './words.js';

/**
 * working: what a run has at hand; bounded, and gone when it ends. session: what belongs to one conversation.
 * episodic: what happened, with its time. semantic: facts; the latest one counts, those before it are kept.
 * procedural: how something is done, by name, with all its versions.
 */
export const MEMORY_KINDS = ['working', 'session', 'episodic', 'semantic', 'procedural'] as const;
/** A kind of memory. */
export type MemoryKind = (typeof MEMORY_KINDS)[number];

interface NewContent {
  readonly content: string;
  /** Where it comes from. It keeps this label when it is recalled: what came from outside stays from outside. */
  readonly trust: Trust;
  /** One line for the index; the beginning of the content where it is absent. */
  readonly title?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What is remembered, by kind. Remembering under a key or name that exists writes its next version. */
export interface NewItems {
  readonly working: NewContent & { readonly key?: string };
  readonly session: NewContent & { readonly session: string; readonly key?: string };
  readonly episodic: NewContent & {
    /** The same id is the same event: it is written once. */
    readonly id?: string;
    readonly at?: number;
    readonly session?: string;
    readonly agent?: string;
  };
  readonly semantic: NewContent & {
    /** What the fact is about, as in `customer.city`. */
    readonly about: string;
    readonly source: string;
    /** From 0 to 1. */
    readonly confidence: number;
  };
  readonly procedural: NewContent & { readonly name: string };
}

/** A memory to store. */
export type NewItem = { readonly [K in MemoryKind]: { readonly kind: K } & NewItems[K] }[MemoryKind];

/** What is stored of an item. */
export interface ItemValue {
  readonly at: number;
  readonly title: string;
  readonly summary: string;
  readonly content: string;
  readonly trust: Trust;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The write that made it: run, generation, effect and place in the batch. */
  readonly by: string;
  readonly session?: string;
  readonly agent?: string;
  readonly source?: string;
  readonly confidence?: number;
  readonly vector?: StoredVector;
  /** This version says what the one before it says, with another vector. */
  readonly reembedded?: true;
}

/** An item as it was read: what is stored, and where. */
export interface StoredItem extends ItemValue {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly version: number;
}

const TITLE_LENGTH = 80;
const SUMMARY_LENGTH = 280;

export function storedFrom(item: NewItem, written: { readonly by: string; readonly at: number }): ItemValue {
  const { content, trust, tags = [], metadata = {} } = item;
  return {
    at: item.kind === 'episodic' ? (item.at ?? written.at) : written.at,
    title: oneLine(item.title ?? content, TITLE_LENGTH),
    summary: oneLine(item.summary ?? content, SUMMARY_LENGTH),
    content,
    trust,
    tags,
    metadata,
    by: written.by,
    ...placeFields(item),
  };
}

function placeFields(item: NewItem): Partial<ItemValue> {
  switch (item.kind) {
    case 'session':
      return { session: item.session };
    case 'episodic':
      return {
        ...(item.session === undefined ? {} : { session: item.session }),
        ...(item.agent === undefined ? {} : { agent: item.agent }),
      };
    case 'semantic':
      return { source: item.source, confidence: item.confidence };
    case 'working':
    case 'procedural':
      return {};
  }
}

/** Before the step that writes it: what is refused must not stand in the journal as an attempt. */
export function checkItem(item: NewItem): void {
  if (item.tags?.includes(PRIVATE) === true)
    throw refused('What is private is not remembered. Use observe(run, …), which keeps it in the journal only.');
  if (item.content.trim() === '') throw refused('There is nothing to remember: the content is empty.');
  if (item.kind === 'semantic' && !(item.confidence >= 0 && item.confidence <= 1))
    throw refused(`A confidence is a number from 0 to 1, got ${item.confidence}.`);
}

function refused(why: string): FlyballError {
  return new FlyballError('INPUT_INVALID', why);
}

/** The key of an item in its collection. `fresh` names one that has no name of its own. */
export function keyFor(item: NewItem, run: string, fresh: string): string {
  switch (item.kind) {
    case 'working':
      return prefixOf(run) + named(item.key ?? shortId(fresh));
    case 'session':
      return prefixOf(item.session) + named(item.key ?? shortId(fresh));
    case 'episodic':
      return shortId(item.id ?? fresh);
    case 'semantic':
      return named(item.about);
    case 'procedural':
      return named(item.name);
  }
}

/** Encoded, so that no run or session reads into another one whose name begins like its own. */
export function prefixOf(runOrSession: string): string {
  return `${encodeURIComponent(named(runOrSession))}/`;
}

function named(name: string): string {
  if (name.trim() === '') throw refused('An item of memory needs a name that is not empty.');
  return name;
}

function shortId(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** `semantic/customer.city`: the kind, then the key. */
export function idOf(kind: MemoryKind, key: string): string {
  return `${kind}/${key}`;
}

export function partsOf(id: string): { readonly kind: MemoryKind; readonly key: string } {
  const slash = id.indexOf('/');
  const kind = MEMORY_KINDS.find((known) => known === id.slice(0, slash));
  if (kind === undefined)
    throw refused(
      `"${id}" is not the id of a memory. An id has a kind (${MEMORY_KINDS.join(', ')}), a slash and a key.`,
    );
  return { kind, key: id.slice(slash + 1) };
}

export function itemOf(kind: MemoryKind, { key, version, value }: StoreRecord): StoredItem {
  return { ...(value as ItemValue), id: idOf(kind, key), kind, version };
}
