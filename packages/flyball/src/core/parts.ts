import { contentId } from './codec.js';
import { FlyballError } from './errors.js';

/** A part of a message. A message of text alone is a string. */
export type MessagePart = { readonly type: 'text'; readonly text: string } | MediaPart;

/** An image, a sound or a file in a message. Its bytes are stored once, by content, however many messages hold it. */
export interface MediaPart {
  readonly type: 'image' | 'audio' | 'file';
  /** Such as `image/png` or `application/pdf`. */
  readonly mediaType: string;
  /** The bytes, as base64. */
  readonly data: string;
  /** Name of the file, for people and for models that are told it. */
  readonly name?: string;
}

/** What a message says: text, or parts in their order. */
export type Content = string | readonly MessagePart[];

export function isMedia(part: MessagePart): part is MediaPart {
  return part.type !== 'text';
}

export function mediaIn(parts: readonly MessagePart[] | undefined): readonly MediaPart[] {
  return parts === undefined ? NONE : parts.filter(isMedia);
}

const NONE: readonly MediaPart[] = [];

/** A list of parts that holds more than text: what a run may be given, and a tool may give, instead of text. */
export function isParts(value: unknown): value is readonly MessagePart[] {
  if (!Array.isArray(value) || !value.some((part: unknown) => isMediaPart(part))) return false;
  return value.every((part: unknown) => flawOf(part) === undefined);
}

export function isMediaPart(value: unknown): value is MediaPart {
  return flawOf(value) === undefined && (value as MessagePart).type !== 'text';
}

/** Whether what says it is one holds what it says. */
export function isSoundMedia(part: MediaPart): boolean {
  return isMediaPart(part);
}

/** Throws INPUT_INVALID, saying which part is wrong and how it is written. */
export function checkParts(parts: readonly MessagePart[]): void {
  if (parts.length === 0) throw invalid('it has no parts. Pass at least one, or a string');
  for (const [index, part] of parts.entries()) {
    const flaw = flawOf(part);
    if (flaw !== undefined) throw invalid(`part ${index} ${flaw}`);
  }
}

function invalid(why: string): FlyballError {
  const form = "Parts are { type: 'text', text } or { type: 'image' | 'audio' | 'file', mediaType, data }.";
  return new FlyballError('INPUT_INVALID', `A message cannot be sent: ${why}. ${form}`);
}

/** Base64 is looked through once a part: the same objects come back with every turn. */
const sound = new WeakSet<object>();

function flawOf(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return 'is not an object';
  if (sound.has(part)) return undefined;
  const { type, text, mediaType, data, name } = part as Readonly<Record<string, unknown>>;
  const flaw = type === 'text' ? textFlaw(text) : mediaFlaw({ type, mediaType, data, name });
  if (flaw === undefined && Object.isFrozen(part)) sound.add(part);
  return flaw;
}

/** The parts as they stay: whoever changes an object that was sent changes nothing of what was said. */
export function keptParts(parts: readonly MessagePart[]): readonly MessagePart[] {
  checkParts(parts);
  return Object.freeze(parts.map((part) => (Object.isFrozen(part) ? part : Object.freeze({ ...part }))));
}

function textFlaw(text: unknown): string | undefined {
  return typeof text === 'string' ? undefined : 'is text without a string in "text"';
}

function mediaFlaw({ type, mediaType, data, name }: Readonly<Record<string, unknown>>): string | undefined {
  if (type !== 'image' && type !== 'audio' && type !== 'file') return `has the unknown type ${JSON.stringify(type)}`;
  if (typeof mediaType !== 'string' || !/^[\w.+-]+\/[\w.+-]+$/.test(mediaType))
    return `has no media type such as "image/png" in "mediaType"`;
  if (type !== 'file' && !mediaType.startsWith(`${type}/`))
    return `is of type ${type}, and its media type is ${mediaType}`;
  if (typeof data !== 'string' || !isBase64(data))
    return 'has no base64 in "data" (a URL is not fetched: read it first)';
  return name === undefined || typeof name === 'string' ? undefined : 'has a name that is not a string';
}

/** Looks for one character that does not belong: a pattern over all of it runs out of stack with some megabytes. */
function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return data.length > padding && data.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding));
}

/** The parts as text, for whoever reads only text: what is not text is named, with its size. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts.map(pieceOf).join('\n');
}

function pieceOf(part: MessagePart): string {
  return isMedia(part) ? `[${describePart(part)}]` : part.text;
}

/** Such as `image photo.png, image/png, 120 kB`. */
export function describePart({ type, name, mediaType, data }: MediaPart): string {
  return `${type}${name === undefined ? '' : ` ${name}`}, ${mediaType}, ${sizeText(bytesOf(data))}`;
}

/** Bytes of what is written in base64. */
export function bytesOf(base64: string): number {
  return (base64.length * 3) / 4 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** What is stored of the parts with their message: their text alone. What is not text is stored apart. */
export function plainText(parts: readonly MessagePart[]): string {
  return parts.map((part) => (isMedia(part) ? '' : part.text)).join('');
}

/** Only what is said in words. */
export function wordsOf(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (isMedia(part) ? [] : [part.text])).join('\n');
}

/** Which part is which: the length of a text, -1 for what is not text. */
export function layoutOf(parts: readonly MessagePart[]): readonly number[] {
  return parts.map((part) => (isMedia(part) ? -1 : part.text.length));
}

/** The parts again, from their text and what was stored apart. */
export function partsFrom(
  layout: readonly number[],
  plain: string,
  media: readonly MediaPart[],
): readonly MessagePart[] {
  const left = [...media];
  let from = 0;
  return layout.flatMap((length): readonly MessagePart[] => {
    if (length < 0) return left.splice(0, 1);
    from += length;
    return [{ type: 'text', text: plain.slice(from - length, from) }];
  });
}

/** The same media under another text: somebody has changed what it says. */
export function withText(parts: readonly MessagePart[], text: string): readonly MessagePart[] {
  return [{ type: 'text', text }, ...mediaIn(parts)];
}

/** Ids of contents that were hashed already: a part stays the same object while its conversation grows. */
const hashes = new WeakMap<MediaPart, { readonly data: string; readonly hash: string }>();

/** The hash under which the bytes of a part are stored. */
export function hashOf(part: MediaPart): string {
  const known = hashes.get(part);
  if (known?.data === part.data) return known.hash;
  const hash = contentId(part.data);
  hashes.set(part, { data: part.data, hash });
  return hash;
}

/** Files that every model can read, because they are text: they are sent as such. */
export function isTextFile({ type, mediaType }: MediaPart): boolean {
  return type === 'file' && /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(mediaType);
}

/** A text file as a model reads it. */
export function fileText({ name, mediaType, data }: MediaPart): string {
  return `[file ${name ?? mediaType}]\n${Buffer.from(data, 'base64').toString('utf8')}`;
}

/** Parts as they are sent: files of text are text, and what says nothing is left out, since providers refuse it. */
export function sentParts(parts: readonly MessagePart[]): readonly MessagePart[] {
  return parts
    .map((part) => (isMedia(part) && isTextFile(part) ? { type: 'text' as const, text: fileText(part) } : part))
    .filter((part) => isMedia(part) || part.text !== '');
}

/** The bytes as a URL that holds them. */
export function dataUrl({ mediaType, data }: MediaPart): string {
  return `data:${mediaType};base64,${data}`;
}
