import type { MessagePart } from 'flyball';
import { bytesOf, mediaIn } from 'flyball/internal';
import type { McpAnswer, McpOfferedTool } from './offer.js';
import type { CallToolResult } from './sdk.js';

const LONGEST_MESSAGE = 2_000;
/** Images, sounds and files of one answer, together. */
const MOST_MEDIA_BYTES = 10_000_000;

/** An answer in the form of the protocol: text for a model, and the same as data where it is an object. */
export function answered(answer: McpAnswer, tool: McpOfferedTool, maxChars: number): CallToolResult {
  if (!answer.ok) return failedAnswer(answer.code, answer.message);
  const { text, parts, value } = answer;
  // beside images, data is sent only where it is promised: it would hold them once more
  const isData = isObject(value) && (parts === undefined || tool.outputSchema !== undefined);
  const structured = isData ? (JSON.parse(JSON.stringify(value)) as Record<string, unknown>) : undefined;
  const size = text.length + (structured === undefined ? 0 : JSON.stringify(structured).length);
  if (size > maxChars)
    return failedAnswer(
      'TOO_LARGE',
      `The answer has ${size} characters, and at most ${maxChars} are sent. Ask for less.`,
    );
  if (structured === undefined && tool.outputSchema !== undefined)
    return failedAnswer('INTERNAL', 'The answer is not of the promised form.');
  const bytes = mediaIn(parts).reduce((sum, { data }) => sum + bytesOf(data), 0);
  if (bytes > MOST_MEDIA_BYTES)
    return failedAnswer(
      'TOO_LARGE',
      `The images and files have ${bytes} bytes, and at most ${MOST_MEDIA_BYTES} are sent. Ask for less.`,
    );
  const content = parts === undefined ? [{ type: 'text' as const, text }] : parts.map(blockOf);
  return structured === undefined ? { content } : { content, structuredContent: structured };
}

function blockOf(part: MessagePart): CallToolResult['content'][number] {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
    case 'audio':
      return { type: part.type, data: part.data, mimeType: part.mediaType };
    case 'file': {
      const uri = `file:///${encodeURIComponent(part.name ?? 'file')}`;
      return { type: 'resource', resource: { uri, mimeType: part.mediaType, blob: part.data } };
    }
  }
}

/** A failure is an answer like any other: the model on the other side reads it and goes on. */
export function failedAnswer(code: string, message: string): CallToolResult {
  return { content: [{ type: 'text', text: `${code}: ${message.slice(0, LONGEST_MESSAGE)}` }], isError: true };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
