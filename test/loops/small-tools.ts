import { type DefinedTool, tool } from 'flyball/tools';

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const NUMBER = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } as const;

/** Tools that count what they are made to do. */
export interface SmallTools {
  /** Everything that was really executed, in order: name and argument. */
  readonly done: string[];
  /** Pure: x + 1. */
  readonly addOne: DefinedTool;
  /** Pure: always another number. */
  readonly next: DefinedTool;
  /** Idempotent. */
  readonly write: DefinedTool;
  /** Pure, and always fails with this text. */
  readonly fail: DefinedTool;
  readonly all: readonly DefinedTool[];
}

export function smallTools(): SmallTools {
  const done: string[] = [];
  let counter = 0;
  const addOne = tool({
    name: 'add_one',
    description: 'Adds one to x. Not for anything else.',
    effect: 'pure',
    input: NUMBER,
    execute: async ({ x }) => {
      done.push(`add_one ${String(x)}`);
      return Number(x) + 1;
    },
  });
  const next = tool({
    name: 'next',
    description: 'The next number. Not for anything else.',
    effect: 'pure',
    execute: async () => {
      done.push('next');
      return ++counter;
    },
  });
  const write = tool({
    name: 'write',
    description: 'Writes the text down. Not for anything else.',
    effect: 'idempotent',
    input: TEXT,
    execute: async ({ text }) => {
      done.push(`write ${String(text)}`);
      return `written: ${String(text)}`;
    },
  });
  const fail = tool({
    name: 'fail',
    description: 'Fails. Not for anything else.',
    effect: 'pure',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    retry: { retries: 0 },
    execute: async ({ text = 'it broke' }) => {
      done.push(`fail ${String(text)}`);
      throw new Error(String(text));
    },
  });
  return { done, addOne, next, write, fail, all: [addOne, next, write, fail] as unknown as readonly DefinedTool[] };
}
