import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message, ToolRef } from 'flyball';
import { CONFIRMATION } from 'flyball/loops';
import { filesTools } from 'flyball/toolbox';
import { tool } from 'flyball/tools';
import type { ServerReplyParts } from '../../packages/flyball/src/testing/model-server/server-script.js';

/** The work that every loop here does: reads a real file, adds, writes a real file, answers, and confirms. */
export const SETUP = 'You count the books of a library.';
export const TASK = 'How many books are on both shelves? Write it down.';
export const ANSWER = 'Checked: there are 42 books – 四十二.';
const WRITTEN = '42 books – naïve 你好\n';
const SHELF = 'forty on the left\ntwo on the right\n';

/** Goes back to the provider with the turn it belongs to. */
export const THOUGHT = 'Reading and adding do not depend on each other.';

/** The model's side of the conversation when nothing goes wrong. */
export const TURNS: readonly ServerReplyParts[] = [
  {
    text: 'Both shelves at once – première.',
    reasoning: THOUGHT,
    opaqueReasoning: 'signed-by-the-provider',
    toolCalls: [
      { id: 'call_1', name: 'read_file', arguments: '{"path":"shelf.txt"}' },
      { id: 'call_2', name: 'add', arguments: '{"a":40,"b":2}' },
    ],
  },
  {
    toolCalls: [
      { id: 'call_3', name: 'write_file', arguments: JSON.stringify({ path: 'answer.txt', content: WRITTEN }) },
    ],
  },
  { text: 'There are 42 books.' },
  { text: ANSWER },
];

/** What a spoilt reply says. None of it may ever be believed: neither its words nor its call. */
export const VOID: ServerReplyParts = {
  text: 'Void words that come before the end, and none of them may ever survive it.',
  toolCalls: [{ id: 'void_1', name: 'write_file', arguments: '{"path":"void.txt","content":"void"}' }],
};

const RESULTS: Readonly<Record<string, string>> = {
  call_1: `shelf.txt, lines 1 to 2 of 2.\n${SHELF.trimEnd()}`,
  call_2: '42',
  call_3: 'Created answer.txt (+1 −0 lines).',
};

/** The conversation that turn `n`, from 0, is asked with. */
export function conversationAt(n: number): readonly Message[] {
  const messages: Message[] = [
    { role: 'system', content: SETUP },
    { role: 'user', content: TASK },
  ];
  for (const { text = '', toolCalls = [] } of TURNS.slice(0, n)) {
    messages.push({ role: 'assistant', content: text, toolCalls });
    for (const { id, name } of toolCalls)
      messages.push({ role: 'tool', content: RESULTS[id] ?? '', toolCallId: id, name });
    if (toolCalls.length === 0) messages.push({ role: 'user', content: CONFIRMATION });
  }
  return messages;
}

/** A folder of its own with the tools that work in it. */
export interface Library {
  readonly tools: readonly ToolRef[];
  /** What was written, or undefined. */
  written(name: string): string | undefined;
  close(): void;
}

export function openLibrary(): Library {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-wire-'));
  writeFileSync(join(folder, 'shelf.txt'), SHELF);
  const add = tool({
    name: 'add',
    description: 'Adds two numbers. Not for more than two.',
    input: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    effect: 'pure',
    execute: async ({ a, b }) => Number(a) + Number(b),
  });
  return {
    tools: [...filesTools({ allow: folder }), add] as readonly ToolRef[],
    written(name) {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const EXPECTED_FILE = WRITTEN;
