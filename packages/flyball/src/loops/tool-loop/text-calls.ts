import { reaskText } from '../../core/ask-until.js';
import type { ToolCall } from '../../core/model.js';
import { specOf } from '../../core/request.js';
import type { ToolRef } from '../../core/tool.js';

/**
 * Tool calls in plain text, for models that have none of their own. The form is strict: one block, the last thing in
 * the reply. Anything else is an answer, or a mistake that the model is told about; nothing is guessed.
 */
export type TextForm = 'json' | 'xml';

export type TextCalls =
  | { readonly kind: 'answer' }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'malformed'; readonly problem: string };

const FENCE = '```';
const MARKS: Readonly<Record<TextForm, { readonly open: string; readonly close: string }>> = {
  json: { open: `${FENCE}tool_calls`, close: FENCE },
  xml: { open: '<tool_calls>', close: '</tool_calls>' },
};
const SHOWN = 120;
const XML_CALL = /\s*<call\s+name="([^"<>]+)"\s*>([\s\S]*?)<\/call>/y;

/** What the setup says about tools, since the request cannot carry them. */
export function textCallInstructions(form: TextForm, tools: readonly ToolRef[]): string {
  const specs = tools.map((tool) => JSON.stringify(specOf(tool))).join('\n');
  return [
    'You can call tools. To call one or several, end your reply with exactly one block of this form and nothing after it:',
    EXAMPLES[form],
    'The results come with the next message. When you need no tool, answer without such a block.',
    'Tools, one JSON object a line:',
    specs,
  ].join('\n\n');
}

const EXAMPLES: Readonly<Record<TextForm, string>> = {
  json: `${FENCE}tool_calls\n[{"name": "tool_name", "arguments": {"key": "value"}}]\n${FENCE}`,
  xml: '<tool_calls>\n<call name="tool_name">{"key": "value"}</call>\n</tool_calls>\n\nInside a value, </call> is written <\\/call>.',
};

/** `nth` makes the ids of the calls: one for each reply. */
export function parseTextCalls(form: TextForm, text: string, nth: number): TextCalls {
  const { open, close } = MARKS[form];
  const from = text.indexOf(open);
  if (from === -1) return { kind: 'answer' };
  const end = text.trimEnd();
  const inside = from + open.length;
  if (!end.endsWith(close) || end.length - close.length < inside)
    return malformed(`the block that begins with ${open} is not closed, or something comes after it`);
  const block = end.slice(inside, end.length - close.length);
  const parsed = form === 'json' ? parseJsonBlock(block) : parseXmlBlock(block);
  if (typeof parsed === 'string') return malformed(parsed);
  return { kind: 'calls', calls: parsed.map((call, index) => ({ id: `text_${nth}_${index}`, ...call })) };
}

type NamedCall = Pick<ToolCall, 'name' | 'arguments'>;

function parseJsonBlock(block: string): readonly NamedCall[] | string {
  let list: unknown;
  try {
    list = JSON.parse(block);
  } catch {
    // in our own words: those of the engine differ between its versions, and a resumed run must say the same again
    return `the block is not valid JSON; it begins with: ${block.trim().slice(0, SHOWN)}`;
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
  return block.slice(end).trim() === '' ? calls : 'the block contains something other than calls';
}

/** Marks a message of results in text form, so that it can be cleared like a tool's. */
export const TEXT_RESULTS = 'text-results';

/** Results as one user message: the names and ids let the model tell them apart. */
export function renderTextResults(results: readonly { readonly call: ToolCall; readonly content: string }[]): string {
  return results
    .map(({ call, content }) => {
      const name = JSON.stringify(call.name.replaceAll(/[<>"]/g, ''));
      return `<tool_result id="${call.id}" name=${name}>\n${inert(content)}\n</tool_result>`;
    })
    .join('\n');
}

/**
 * A result must not be able to close its own element and speak outside of it, nor to hold a block of calls that comes
 * true when the model quotes it at the end of a reply.
 */
function inert(content: string): string {
  return content
    .replaceAll(/<(?=\s*(?:\/\s*)?(?:tool_result|tool_calls|call)\b)/gi, '&lt;')
    .replaceAll(/```(?=\s*tool_calls)/gi, "'''");
}

export function malformedNotice(problem: string): string {
  return reaskText({ problem: `Your tool calls could not be read: ${problem}. None was executed.` });
}

function malformed(problem: string): TextCalls {
  return { kind: 'malformed', problem };
}
