import type { McpAnswer, McpOfferedTool } from './offer.js';
import type { CallToolResult } from './sdk.js';

const LONGEST_MESSAGE = 2_000;

/** An answer in the form of the protocol: text for a model, and the same as data where it is an object. */
export function answered(answer: McpAnswer, tool: McpOfferedTool, maxChars: number): CallToolResult {
  if (!answer.ok) return failedAnswer(answer.code, answer.message);
  const { text, value } = answer;
  const structured = isObject(value) ? (JSON.parse(JSON.stringify(value)) as Record<string, unknown>) : undefined;
  const size = text.length + (structured === undefined ? 0 : JSON.stringify(structured).length);
  if (size > maxChars)
    return failedAnswer(
      'TOO_LARGE',
      `The answer has ${size} characters, and at most ${maxChars} are sent. Ask for less.`,
    );
  if (structured === undefined && tool.outputSchema !== undefined)
    return failedAnswer('INTERNAL', 'The answer is not of the promised form.');
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  return structured === undefined ? { content } : { content, structuredContent: structured };
}

/** A failure is an answer like any other: the model on the other side reads it and goes on. */
export function failedAnswer(code: string, message: string): CallToolResult {
  return { content: [{ type: 'text', text: `${code}: ${message.slice(0, LONGEST_MESSAGE)}` }], isError: true };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
