import { hash } from 'node:crypto';
import { contentId } from './codec.js';
import { FlyballError } from './errors.js';
import { mediaTokens } from './media-tokens.js';
import type { Message, Reasoning, ToolCall } from './model.js';
import {
  type Content,
  hashOf,
  isMedia,
  keptParts,
  layoutOf,
  type MediaPart,
  type MessagePart,
  mediaIn,
  partsFrom,
  plainText,
  textOf,
  withText,
} from './parts.js';

/**
 * A prompt is a persistent linked list of segments. A link's id is the hash of its parent's id, a fixed header and its
 * raw bytes, so equal prefixes are equal links: a shared ancestor is exactly what a provider's prefix cache rewards,
 * forking a conversation is free, and a journal stores each link once however often it is asked.
 */

/** Where a segment belongs. Bands never go backwards: a segment of an earlier band is put in before those of later ones. */
export const BANDS = ['setup', 'stable', 'log', 'tail'] as const;
/** The part of a prompt that a segment belongs to. */
export type Band = (typeof BANDS)[number];
/** Where a text comes from, and how far it is trusted. */
export type Trust = 'system' | 'user' | 'model' | 'outside';

/** A message of a prompt with its band, owner and trust. */
export interface Segment {
  readonly role: Message['role'];
  /** Its text. What is not text is named in it. */
  readonly content: string;
  /** All of its parts, where some are not text. */
  readonly parts?: readonly MessagePart[];
  readonly band: Band;
  /** Who put it there. */
  readonly owner: string;
  /** Where the text comes from. Text from outside keeps this label. */
  readonly trust: Trust;
  /** Compaction does not change it. */
  readonly protect: boolean;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Name of the tool that a result comes from. */
  readonly name?: string;
  /** Handed back to the provider with the assistant's turn. */
  readonly reasoning?: Reasoning;
  /** The end of a prefix worth caching, for providers that want it marked. */
  readonly cache?: true;
}

/** A chain of segments that is sent to a model. Prompts share their beginning. */
export interface Prompt {
  readonly id: string;
  readonly parent: Prompt | undefined;
  /** Id of the first link: which setup the chain stands on, without walking it. */
  readonly root: string;
  readonly segment: Segment;
  /** The segment as a model reads it: made once, so that adapters can keep what they made of it. */
  readonly message: Message;
  readonly length: number;
  /** Whether it holds anything that is not text. */
  readonly hasMedia: boolean;
  /**
   * UTF-16 units of all text up to here, and the most tokens that what is not text can be: what token bounds are
   * estimated from without walking the chain.
   */
  readonly size: number;
}

/** A segment to append to a prompt; what is omitted gets defaults. */
export type NewSegment = Pick<Segment, 'role'> & {
  readonly content: Content;
} & Partial<Omit<Segment, 'role' | 'content'>>;

const TRUST_OF_ROLE: Readonly<Record<Message['role'], Trust>> = {
  system: 'system',
  user: 'user',
  assistant: 'model',
  tool: 'outside',
};

export function segment(given: NewSegment): Segment {
  const made = {
    band: given.role === 'system' ? ('setup' as const) : ('log' as const),
    owner: 'agent',
    trust: TRUST_OF_ROLE[given.role],
    protect: false,
    ...given,
  };
  const isText = typeof given.content === 'string' && given.parts === undefined;
  return isText ? (made as Segment) : { ...made, ...saidIn(given) };
}

/** Text and parts always say the same: where somebody changed the text, the parts follow it. */
function saidIn({ role, content, parts }: NewSegment): Pick<Segment, 'content' | 'parts'> {
  if (typeof content !== 'string') {
    const kept = keptParts(content);
    if (role !== 'user' && role !== 'tool' && kept.some(isMedia)) throw misplaced(role);
    return kept.some(isMedia) ? { content: textOf(kept), parts: kept } : { content: textOf(kept) };
  }
  if (parts === undefined || textOf(parts) === content) return { content };
  const changed = keptParts(withText(parts, content));
  return { content: textOf(changed), parts: changed };
}

function misplaced(role: string): FlyballError {
  const where = 'Images, sounds and files belong into messages of the user and results of tools';
  return new FlyballError('INPUT_INVALID', `${where}, not into a message of the role "${role}".`);
}

const NO_MEDIA: readonly MediaPart[] = [];

/** Appends a segment. Nothing is copied: the new link points to the old chain. */
export function append(parent: Prompt | undefined, given: NewSegment): Prompt {
  const added = segment(given);
  // volatile content stays last: what belongs further up goes in before it
  if (parent !== undefined && BANDS.indexOf(parent.segment.band) > BANDS.indexOf(added.band)) {
    return append(append(parent.parent, given), parent.segment);
  }
  const media = added.parts === undefined ? NO_MEDIA : mediaIn(added.parts);
  const id = linkId(media.reduce(mediaLinkId, parent?.id ?? ''), added);
  return {
    id,
    parent,
    root: parent?.root ?? id,
    segment: added,
    message: messageOf(added),
    length: (parent?.length ?? 0) + 1,
    hasMedia: media.length > 0 || (parent?.hasMedia ?? false),
    size:
      (parent?.size ?? 0) +
      added.content.length +
      (added.toolCalls === undefined ? 0 : JSON.stringify(added.toolCalls).length) +
      media.reduce((sum, part) => sum + mediaTokens(part), 0),
  };
}

/** Band, role, owner, trust, protection and call ids in a fixed order, as stored and as hashed. */
export function headerOf(of: Segment): string {
  const calls = of.toolCalls === undefined || of.toolCalls.length === 0 ? '' : JSON.stringify(of.toolCalls);
  const fields = [
    of.band,
    of.role,
    field(of.owner),
    of.trust,
    of.protect ? 'protect' : '',
    field(of.toolCallId ?? ''),
    calls,
  ];
  // only where there are any: links written before these fields existed keep their ids
  if (of.name !== undefined || of.reasoning !== undefined || of.cache === true || of.parts !== undefined) {
    const layout = of.parts === undefined ? undefined : layoutOf(of.parts);
    fields.push(JSON.stringify({ name: of.name, reasoning: of.reasoning, cache: of.cache, layout }));
  }
  return fields.join('\u001f');
}

/** Owners and call ids come from outside: one that held the separator could pass for other fields. */
function field(text: string): string {
  if (!text.includes('%') && !text.includes('\u001f')) return text;
  return text.replaceAll('%', '%25').replaceAll('\u001f', '%1F');
}

/**
 * What is not text stands in links of its own before the link of its message, so that an engine knows each content that
 * a chain holds, and stores it once.
 */
export interface MediaLink {
  readonly id: string;
  readonly parent: string | undefined;
  readonly header: string;
  readonly part: MediaPart;
}

const MEDIA = 'media';

/** The links that stand between a message and the one before it. */
export function mediaLinksOf({ segment: { parts }, parent }: Prompt): readonly MediaLink[] {
  if (parts === undefined) return [];
  let under = parent?.id;
  return mediaIn(parts).map((part) => {
    const link = { id: mediaLinkId(under ?? '', part), parent: under, header: mediaHeaderOf(part), part };
    under = link.id;
    return link;
  });
}

function mediaHeaderOf({ type, mediaType, name }: MediaPart): string {
  return [MEDIA, type, mediaType, ...(name === undefined ? [] : [field(name)])].join('\u001f');
}

function mediaLinkId(parentId: string, part: MediaPart): string {
  return chained(parentId, mediaHeaderOf(part), hashOf(part));
}

/** The id that a stored link has to have: whoever reads one that came from outside computes it anew. */
export function storedLinkId(link: { readonly parent: string | undefined; readonly header: string }, content: string) {
  const isMediaLink = link.header.startsWith(`${MEDIA}\u001f`);
  return chained(link.parent ?? '', link.header, isMediaLink ? contentId(content) : content);
}

/** 132 bits of SHA-256 over parent, header and raw bytes. Not canonical JSON, which costs five times as much. */
function chained(parentId: string, header: string, held: string): string {
  return hash('sha256', `${parentId}\n${header.length}\n${header}\n${held}`, 'base64url').slice(0, 22);
}

/** The part that a link holds, where it is not a message. */
export function mediaFrom(header: string, data: string): MediaPart | undefined {
  const [kind, type, mediaType, name] = header.split('\u001f') as [string, MediaPart['type'], string, string?];
  if (kind !== MEDIA) return undefined;
  return Object.freeze({ type, mediaType, data, ...(name === undefined ? {} : { name: decodeURIComponent(name) }) });
}

export function segmentFrom(header: string, content: string, media: readonly MediaPart[] = []): Segment {
  const [band, role, owner, trust, protect, toolCallId, calls, extras] = header.split('\u001f') as [
    Band,
    Message['role'],
    string,
    Trust,
    string,
    string,
    string,
    string?,
  ];
  return {
    role,
    content, // of one with parts, what these say
    band,
    owner: decodeURIComponent(owner),
    trust,
    protect: protect === 'protect',
    ...(toolCallId === '' ? {} : { toolCallId: decodeURIComponent(toolCallId) }),
    ...(calls === '' ? {} : { toolCalls: JSON.parse(calls) as readonly ToolCall[] }),
    ...(extras === undefined ? {} : extrasFrom(extras, content, media)),
  };
}

type Extras = Pick<Segment, 'name' | 'reasoning' | 'cache'>;

function extrasFrom(extras: string, plain: string, media: readonly MediaPart[]): Extras & Partial<Segment> {
  const { layout, ...rest } = JSON.parse(extras) as Extras & { readonly layout?: readonly number[] };
  if (layout === undefined) return rest;
  const parts = partsFrom(layout, plain, media);
  return { ...rest, parts, content: textOf(parts) };
}

export function linkId(parentId: string, of: Segment): string {
  return chained(parentId, headerOf(of), storedText(of));
}

/** What its own link stores of a segment: how a part is named may change, what was said may not. */
export function storedText({ content, parts }: Segment): string {
  return parts === undefined ? content : plainText(parts);
}

/** Oldest first. */
export function linksOf(tip: Prompt | undefined): readonly Prompt[] {
  const links: Prompt[] = [];
  for (let link = tip; link !== undefined; link = link.parent) links.push(link);
  return links.reverse();
}

/** The messages of a prompt, oldest first. */
export function messagesOf(tip: Prompt | undefined): readonly Message[] {
  const messages: Message[] = [];
  for (let link = tip; link !== undefined; link = link.parent) messages.push(link.message);
  return messages.reverse();
}

function messageOf(of: Segment): Message {
  const more = {
    ...(of.parts === undefined ? {} : { parts: of.parts }),
    ...(of.cache === true ? { cache: true as const } : {}),
  };
  switch (of.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: of.content,
        ...(of.toolCalls === undefined ? {} : { toolCalls: of.toolCalls }),
        ...(of.reasoning === undefined ? {} : { reasoning: of.reasoning }),
        ...more,
      };
    case 'tool':
      return {
        role: 'tool',
        content: of.content,
        toolCallId: of.toolCallId ?? '',
        ...(of.name === undefined ? {} : { name: of.name }),
        ...more,
      };
    case 'system':
    case 'user':
      return { role: of.role, content: of.content, ...more };
  }
}

/** The longest common prefix of two prompts, which a provider can read from its cache. */
export function sharedPrefix(a: Prompt | undefined, b: Prompt | undefined): Prompt | undefined {
  let left = a;
  let right = b;
  while (left !== undefined && right !== undefined && left.id !== right.id) {
    if (left.length >= right.length) left = left.parent;
    else right = right.parent;
  }
  return left === undefined || right === undefined ? undefined : left;
}
