import { FlyballError } from '../../core/errors.js';
import {
  bytesOf,
  describePart,
  fileText,
  isMedia,
  isSoundMedia,
  isTextFile,
  type MediaPart,
  type MessagePart,
  mediaIn,
  textOf,
  wordsOf,
} from '../../core/parts.js';
import { check, type StandardSchema } from '../../core/schema.js';
import type { CallToolResult } from './sdk.js';
import type { Blanking } from './secrets.js';

/** What a call gave: what a model reads, and the structured part for code. Envelopes and headers stay outside. */
export interface McpResult {
  readonly text: string;
  /** Where it holds more than text: all of it, in order. */
  readonly parts?: readonly MessagePart[];
  readonly structured?: unknown;
}

/** Images, sounds and files of one result, together. A server cannot make every later call of a model dear. */
const MOST_MEDIA_BYTES = 10_000_000;

export interface Shaping {
  readonly blank: Blanking;
  readonly maxChars: number;
  /** Of the structured part, where the server promised one. */
  readonly output?: StandardSchema;
}

type Block = CallToolResult['content'][number];

/** A result within its bounds and without secrets. One that the server calls an error is thrown. */
export async function shapeResult(result: CallToolResult, how: Shaping): Promise<McpResult> {
  const shaped = await contentOf(result, how);
  if (result.isError !== true) return shaped;
  const { text } = shaped;
  throw new FlyballError('EFFECT_FAILED', text === '' ? 'The server says that it failed, and not why.' : text);
}

async function contentOf(result: CallToolResult, { blank, maxChars, output }: Shaping): Promise<McpResult> {
  const parts = withinBytes((result.content ?? []).map(blockPart)).map((part) => withoutSecrets(part, blank));
  const media = mediaIn(parts);
  const said = wordsOf(parts);
  const given: unknown = result.structuredContent;
  const json = given === undefined ? '' : JSON.stringify(given);
  const isTooLong = json.length > maxChars; // then nobody sees it, and it is not checked
  const fits = given === undefined || output === undefined || isTooLong || (await check(output, given)).ok;
  const notes = [
    ...(fits ? [] : ['[the structured part is not what the tool promises, and was left out]']),
    ...(isTooLong ? [`[a structured part of ${json.length} characters was left out]`] : []),
  ];
  const isKept = given !== undefined && notes.length === 0;
  const whole = [said === '' && isKept ? json : said, ...notes].filter((part) => part !== '').join('\n');
  const structured = isKept ? { structured: blank.value(given) } : {};
  const words = bounded(blank.text(whole), maxChars);
  if (media.length === 0) return { text: words, ...structured };
  // as they stood, unless the text had to be cut or added to
  const isWhole = words === blank.text(said);
  const shown = isWhole
    ? parts.map((part) => (isMedia(part) ? part : { ...part, text: blank.text(part.text) }))
    : undefined;
  const ordered = shown ?? [{ type: 'text' as const, text: words }, ...media];
  return { text: textOf(ordered), parts: ordered, ...structured };
}

/** What is too much is named, and left out. */
function withinBytes(parts: readonly MessagePart[]): readonly MessagePart[] {
  let bytes = 0;
  return parts.map((part) => {
    if (!isMedia(part)) return part;
    bytes += bytesOf(part.data);
    return bytes <= MOST_MEDIA_BYTES ? part : leftOut(describePart(part));
  });
}

/** A credential cannot be cut out of a file. */
function withoutSecrets(part: MessagePart, blank: Blanking): MessagePart {
  if (!isMedia(part)) return part;
  const bytes = Buffer.from(part.data, 'base64').toString('latin1');
  return blank.text(bytes) === bytes ? part : leftOut(`${describePart(part)}, holds a credential`);
}

function leftOut(what: string): MessagePart {
  return { type: 'text', text: `[${what}, left out]` };
}

function blockPart(block: Block): MessagePart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return soundMedia({ type: block.type, mediaType: block.mimeType, data: block.data });
    case 'resource_link':
      return { type: 'text', text: `[${block.name}: ${block.uri}]` };
    case 'resource':
      return 'text' in block.resource ? { type: 'text', text: block.resource.text } : resourcePart(block.resource);
    default:
      return leftOut('content of an unknown kind');
  }
}

interface BlobResource {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly blob: string;
}

function resourcePart({ uri, mimeType = '', blob }: BlobResource): MessagePart {
  const mediaType = mimeType.split(';', 1)[0]?.trim() || 'application/octet-stream';
  const kind = mediaType.split('/', 1)[0];
  const name = uri.split(/[?#]/, 1)[0]?.split('/').at(-1) || uri;
  const part: MediaPart = { type: kind === 'image' || kind === 'audio' ? kind : 'file', mediaType, data: blob, name };
  // text in base64 is read as text, so that what must not be read is taken out of it
  return isTextFile(part) && isSoundMedia(part) ? { type: 'text', text: fileText(part) } : soundMedia(part);
}

/** A server that says one thing and sends another is not passed on to a provider. */
function soundMedia(part: MediaPart): MessagePart {
  return isSoundMedia(part) ? part : leftOut(`${part.type} of type ${part.mediaType}, not readable`);
}

/** Beginning and end are kept: what a text is about stands first, what became of it last. */
export function bounded(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = Math.ceil(maxChars * 0.7);
  const tail = maxChars - head;
  return `${text.slice(0, head)}\n[${text.length - maxChars} characters left out]\n${tail > 0 ? text.slice(-tail) : ''}`;
}
