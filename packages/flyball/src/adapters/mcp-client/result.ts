import { FlyballError } from '../../core/errors.js';
import { check, type StandardSchema } from '../../core/schema.js';
import type { CallToolResult } from './sdk.js';
import type { Blanking } from './secrets.js';

/** What a call gave: the text for a model, and the structured part for code. Envelopes and headers stay outside. */
export interface McpResult {
  readonly text: string;
  readonly structured?: unknown;
}

export interface Shaping {
  readonly blank: Blanking;
  readonly maxChars: number;
  /** Of the structured part, where the server promised one. */
  readonly output?: StandardSchema;
}

type Block = CallToolResult['content'][number];

/** A result within its bounds and without secrets. One that the server calls an error is thrown. */
export async function shapeResult(result: CallToolResult, how: Shaping): Promise<McpResult> {
  const { text, structured } = await contentOf(result, how);
  if (result.isError !== true) return structured === undefined ? { text } : { text, structured };
  throw new FlyballError('EFFECT_FAILED', text === '' ? 'The server says that it failed, and not why.' : text);
}

async function contentOf(result: CallToolResult, { blank, maxChars, output }: Shaping): Promise<McpResult> {
  const said = (result.content ?? []).map(blockText).join('\n');
  const given: unknown = result.structuredContent;
  const json = given === undefined ? '' : JSON.stringify(given);
  const fits = given === undefined || output === undefined || (await check(output, given)).ok;
  const notes = [
    ...(fits ? [] : ['[the structured part is not what the tool promises, and was left out]']),
    ...(json.length > maxChars ? [`[a structured part of ${json.length} characters was left out]`] : []),
  ];
  const isKept = given !== undefined && notes.length === 0;
  const whole = [said === '' && isKept ? json : said, ...notes].filter((part) => part !== '').join('\n');
  const text = bounded(blank.text(whole), maxChars);
  return isKept ? { text, structured: blank.value(given) } : { text };
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} of type ${block.mimeType}, ${bytesOf(block.data)} bytes, left out]`;
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[${block.resource.uri}, ${bytesOf(block.resource.blob)} bytes, left out]`;
    default:
      return '[content of an unknown kind, left out]';
  }
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

/** Beginning and end are kept: what a text is about stands first, what became of it last. */
export function bounded(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = Math.ceil(maxChars * 0.7);
  const tail = maxChars - head;
  return `${text.slice(0, head)}\n[${text.length - maxChars} characters left out]\n${tail > 0 ? text.slice(-tail) : ''}`;
}
