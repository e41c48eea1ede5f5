import {
  type Agent,
  budget,
  createRuntime,
  type DomainEvent,
  type Entry,
  type Framing,
  type Message,
  memoryEngine,
  type Outcome,
  type Prompt,
  type Session,
} from 'flyball';
import { type ToolLoopResult, toolLoop } from 'flyball/loops';
import { type CompressionOptions, compression } from 'flyball/patterns';
import { type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { patternsIn } from 'flyball/views';
import { expect } from 'vitest';
import type { WindowPolicy } from '../../packages/flyball/src/loops/tool-loop/window-policy.js';
import { session } from './bed.js';

const WINDOW = 8_000;
const OUTPUT = 500;
/** Tokens of a prompt that fit. */
export const ROOM = WINDOW - OUTPUT;
export const ALOUD = `I go on with ledger_2041 and look for invoice INV-7731. ${'More words of thought. '.repeat(25)}`;
export const SUMMARY = 'Looked through ledger_2041 for INV-7731.';

export const pageText = (n: number): string => `Page ${n}: ${`line ${n} `.repeat(200)}`;

/** Reads page n of a book: about 400 tokens each, every one different. */
const page = tool({
  name: 'page',
  description: 'Reads a page. Not for anything else.',
  effect: 'pure',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  execute: async ({ n }) => pageText(Number(n)),
}) as unknown as DefinedTool;

export interface Reading {
  readonly window?: readonly WindowPolicy[];
  /** Policies before the one that compresses, and how that one does it. */
  readonly first?: readonly WindowPolicy[];
  readonly compressed?: CompressionOptions;
  readonly summaries?: Script[string];
  readonly replies?: Script[string];
  /** Pages to read, one an iteration, in place of replies; and what is said beside each. */
  readonly pages?: number;
  readonly aloud?: string;
}

/** Every result stands behind its call, and every call has one. */
export function expectPaired(messages: readonly Message[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') expect(open.delete(message.toolCallId)).toBe(true);
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) open.add(id);
  }
  expect([...open]).toEqual([]);
}

/** A tool loop over a window of 8,000 tokens; only the model is scripted. */
export class Reader {
  readonly model: ScriptedModel;
  readonly summarizer: Session;
  private readonly agent: Agent<string | Prompt, ToolLoopResult>;

  constructor({ window, first = [], compressed, summaries = [], replies, pages = 0, aloud = '' }: Reading) {
    const read = Array.from({ length: pages }, (_, n) => ({
      text: aloud,
      toolCalls: [{ id: `p${n}`, name: 'page', arguments: JSON.stringify({ n }) }],
    }));
    this.model = scriptedModel(
      { worker: replies ?? [...read, 'Read.'], 'worker-summarizer': summaries },
      { capabilities: { window: WINDOW, maxOutputTokens: OUTPUT } },
    );
    this.summarizer = session(this.model, 'small');
    const policies =
      window ??
      (compressed === undefined ? first : [...first, compression({ summarizer: this.summarizer }, compressed)]);
    this.agent = toolLoop({
      session: session(this.model, 'worker', { setup: 'You work.' }),
      tools: [page],
      config: { maxIterations: 100, doubleConfirmation: false },
      window: policies,
    });
  }

  async run(
    input: string | Prompt,
    framing?: Framing,
  ): Promise<{
    readonly outcome: Outcome<ToolLoopResult>;
    readonly entries: readonly Entry[];
    readonly notes: readonly DomainEvent[];
    readonly uses: ReturnType<typeof patternsIn>;
  }> {
    const agent: Agent<null, ToolLoopResult> = (run) =>
      this.agent(framing === undefined ? run : run.dressed(framing), input);
    const runtime = createRuntime({ engine: memoryEngine(), agents: { agent: agent as Agent<unknown, unknown> } });
    const limits = budget({ iterations: 200, modelCalls: 400, toolCalls: 200 });
    const handle = await runtime.start('agent', null, { budget: limits });
    const outcome = (await handle.outcome()) as Outcome<ToolLoopResult>;
    const entries = await runtime.entries(handle.id);
    await runtime.close();
    const notes = entries.flatMap(({ event }) => (event.type === 'note' ? [event.event] : []));
    return { outcome, entries, notes, uses: patternsIn(entries) };
  }
}
