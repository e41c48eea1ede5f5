import { BoundReachedError, CancelledError, failureOf } from '../core/errors.js';
import { done, failed, type Outcome } from '../core/outcome.js';
import { type Content, isParts, type MessagePart } from '../core/parts.js';
import { append, type Prompt } from '../core/prompt.js';
import type { Agent, MadeCall, Run } from '../core/run.js';
import type { StandardSchema } from '../core/schema.js';
import type { ToolLoopEnd } from '../loops/tool-loop/tool-loop.js';
import type { DefinedAgent } from './define-agent.js';

/** What a person says next, as text or in parts, or that they are done. */
export type Said = { readonly text: string } | { readonly parts: readonly MessagePart[] } | { readonly end: true };

/** The signal that a conversation waits for. */
export const MESSAGE = 'message';

/** The JSON Schema of a message to a conversation. */
export const SAID_SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    parts: { type: 'array', items: { type: 'object' }, minItems: 1 },
    end: { const: true },
  },
  additionalProperties: false,
  minProperties: 1,
} as const;

/**
 * Turns an agent into a conversation: one durable run that waits for a message, works, answers, and waits again. It
 * needs no process between messages. If a turn fails, the failure is reported and the conversation continues; calls
 * of that turn stay in the conversation, so that the model does not repeat them. A limit of the run ends the
 * conversation.
 */
export function conversation(agent: Pick<DefinedAgent, 'converse'>): Agent<unknown, { readonly turns: number }> {
  return talk(async (run, before, content, whole) => {
    const input = before === undefined ? content : append(before, { role: 'user', content });
    const end = await agent.converse(run, input, whole);
    return { outcome: end.outcome, ...left(run, end) };
  });
}

/** What a turn leaves to the next one. */
function left(run: Run, { outcome, prompt }: ToolLoopEnd<unknown>): Pick<Answered, 'prompt'> {
  if (outcome.stop === 'done' || outcome.stop === 'degraded') return { prompt };
  if (run.calls().length === 0) return outcome.stop === 'failed' ? {} : { prompt };
  // the code only: the message may quote what a stranger wrote, and this is said in our own voice
  const why = outcome.stop === 'failed' ? `failed, ${outcome.failure.code}` : outcome.stop;
  const content = `(This turn ended without an answer (${why}). What the calls above did stands: before you make one again, check whether it already took place.)`;
  return { prompt: append(prompt, { role: 'user', content, owner: 'loop', trust: 'system' }) };
}

interface Answered {
  readonly outcome: Outcome<unknown>;
  /** What the next turn goes on from; absent when this one left nothing. */
  readonly prompt?: Prompt;
}

/** `whole`: the calls of all turns so far. */
type Answer = (
  run: Run,
  before: Prompt | undefined,
  content: Content,
  whole: () => readonly MadeCall[],
) => Promise<Answered>;

function talk(answer: Answer): Agent<unknown, { readonly turns: number }> {
  const agent: Agent<unknown, { readonly turns: number }> = async (run, first) => {
    let prompt: Prompt | undefined;
    for (let turn = 1; ; turn++) {
      const said = (turn === 1 ? opened(first) : undefined) ?? (await nextMessage(run));
      if ('end' in said) return done({ turns: turn - 1 });
      const content = 'text' in said ? said.text : said.parts;
      const end = await answer(run.scope(`turn-${turn}`), prompt, content, () => run.calls());
      run.note({ kind: 'turn-end', turn, stop: end.outcome.stop, ...answerIn(end.outcome) });
      if (end.prompt !== undefined) prompt = end.prompt;
    }
  };
  return Object.assign(agent, { [CONVERSES]: true });
}

/** A conversation may be started with its first message. */
function opened(first: unknown): Said | undefined {
  if (isParts(first)) return { parts: first };
  return typeof first === 'string' && first !== '' ? { text: first } : undefined;
}

/** Waits for what is said next. */
export async function nextMessage(run: Run): Promise<Said> {
  const said = await run.wait<Said>({ name: MESSAGE, isInput: true, schema: saidSchema, jsonSchema: SAID_SCHEMA });
  return said === 'timed-out' ? { end: true } : said;
}

/** What the person reads: the answer, and why there is none or why it is not all it should be. */
export function answerIn(outcome: Outcome<unknown>): { readonly answer?: string; readonly because?: string } {
  switch (outcome.stop) {
    case 'done':
      return { answer: textOf(outcome.value) };
    case 'degraded':
      return { answer: textOf(outcome.value), because: outcome.because };
    case 'bounded':
      return { because: `${outcome.bound} reached its limit of ${outcome.limit}` };
    case 'suspended':
      return { because: 'it was suspended' };
    default:
      return { because: outcome.because };
  }
}

function textOf(value: unknown): string {
  const { rawText } = (value ?? {}) as { readonly rawText?: unknown };
  if (typeof rawText === 'string') return rawText;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Marks an agent that waits for its messages itself: a conversation with it is the agent as it is. */
export const CONVERSES = Symbol.for('flyball.converses');

/** A conversation with any agent that takes messages. Each of them calls the function once, without history. */
export function plainConversation(agent: Agent<string, unknown>): Agent<unknown, { readonly turns: number }> {
  if (CONVERSES in agent) return agent as unknown as Agent<unknown, { readonly turns: number }>;
  return talk(async (run, _before, content) => {
    try {
      return { outcome: await (agent as Agent<Content, unknown>)(run, content) };
    } catch (error) {
      // a bound and a cancellation are for the whole conversation, a mistake in the function is for this turn
      if (error instanceof BoundReachedError || error instanceof CancelledError) throw error;
      return { outcome: failed(failureOf(error)) };
    }
  });
}

const saidSchema: StandardSchema<unknown, Said> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) => {
      const { text, parts, end } = (value ?? {}) as Readonly<Record<string, unknown>>;
      if (typeof text === 'string' && text.trim() !== '') return { value: { text } };
      if (isParts(parts)) return { value: { parts } };
      if (end === true) return { value: { end: true } };
      return {
        issues: [
          {
            message: 'a message is { "text": "…" } or { "parts": […] }, and the end of a conversation { "end": true }',
          },
        ],
      };
    },
  },
};
