import type { ToolCall } from '../core/model.js';
import { specOf } from '../core/request.js';
import type { ToolRef } from '../core/tool.js';

/**
 * Tool calls in plain text, for models that have none of their own. The form is strict: one block, the last thing in
 * the reply. Anything else is an answer, or a mistake that the model is told about; nothing is guessed.
 */
export type TextForm = 'json' | 'xml';

export type TextCalls =
  | { readonly kind: 'answer' }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[]; readonly content: string }
  | { readonly kind: 'malformed'; readonly problem: string };

const FENCE = '```';
const JSON_BLOCK = /^([\s\S]*?)```tool_calls[^\S\n]*\n([\s\S]*?)\n?```\s*$/;
const XML_BLOCK = /^([\s\S]*?)<tool_calls>([\s\S]*)<\/tool_calls>\s*$/;
const XML_CALL = /\s*<call\s+name="([^"<>]+)"\s*>([\s\S]*?)<\/call>/y;

/** What the setup says about tools, since the request cannot carry them. */
export function textCallInstructions(form: TextForm, tools: readonly ToolRef[]): string {
  const specs = tools.map((tool) => JSON.stringify(specOf(tool))).join('\n');
  const example =
    form === 'json'
      ? `${FENCE}tool_calls\n[{"name": "tool_name", "arguments": {"key": "value"}}]\n${FENCE}`
      : '<tool_calls>\n<call name="tool_name">{"key": "value"}</call>\n</tool_calls>';
  return [
    'You can call tools. To call one or several, end your reply with exactly one block of this form and nothing after it:',
    example,
    'The results come with the next message. When you need no tool, answer without such a block.',
    'Tools, one JSON object a line:',
    specs,
  ].join('\n\n');
}

export function parseTextCalls(form: TextForm, text: string, nth: number): TextCalls {
  const open = form === 'json' ? `${FENCE}tool_calls` : '<tool_calls>';
  if (!text.includes(open)) return { kind: 'answer' };
  const found = (form === 'json' ? JSON_BLOCK : XML_BLOCK).exec(text);
  if (found === null) return malformed(`the block that begins with ${open} is not closed, or something comes after it`);
  const [, content = '', block = ''] = found;
  if (content.includes(open)) return malformed('there is more than one block');
  const parsed = form === 'json' ? parseJsonBlock(block) : parseXmlBlock(block);
  if (typeof parsed === 'string') return malformed(parsed);
  const calls = parsed.map((call, index) => ({ id: `text_${nth}_${index}`, ...call }));
  return { kind: 'calls', calls, content: content.trim() };
}

type NamedCall = Pick<ToolCall, 'name' | 'arguments'>;

function parseJsonBlock(block: string): readonly NamedCall[] | string {
  let list: unknown;
  try {
    list = JSON.parse(block);
  } catch (error) {
    return `the block is not JSON (${(error as Error).message})`;
  }
  if (!Array.isArray(list) || list.length === 0) return 'the block must hold a list of at least one call';
  const calls: NamedCall[] = [];
  for (const entry of list as readonly unknown[]) {
    const { name, arguments: args, ...others } = (entry ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || Object.keys(others).length > 0)
      return 'each call is an object with "name" and "arguments" and nothing else';
    calls.push({ name, arguments: JSON.stringify(args ?? {}) });
  }
  return calls;
}

function parseXmlBlock(block: string): readonly NamedCall[] | string {
  const calls: NamedCall[] = [];
  XML_CALL.lastIndex = 0;
  let end = 0;
  for (let found = XML_CALL.exec(block); found !== null; found = XML_CALL.exec(block)) {
    end = XML_CALL.lastIndex;
    calls.push({ name: found[1] ?? '', arguments: (found[2] ?? '').trim() });
  }
  if (calls.length === 0) return 'the block must hold at least one <call name="…">{…}</call>';
  return block.slice(end).trim() === '' ? calls : 'there is something beside the calls in the block';
}

/** Results as one user message: the names and ids let the model tell them apart. */
export function renderTextResults(results: readonly { readonly call: ToolCall; readonly content: string }[]): string {
  return results
    .map(({ call, content }) => {
      // a result must not be able to close its own element and speak outside of it
      const inert = content.replaceAll('</tool_result', '<\\/tool_result');
      return `<tool_result id="${call.id}" name="${call.name}">\n${inert}\n</tool_result>`;
    })
    .join('\n');
}

export function malformedNotice(problem: string): string {
  return `Your tool calls could not be read: ${problem}. None was executed. Send the block again in the required form.`;
}

function malformed(problem: string): TextCalls {
  return { kind: 'malformed', problem };
}
