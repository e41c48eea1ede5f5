import { BoundReachedError, CancelledError, ConfigError, FlyballError, failureOf } from '../../core/errors.js';
import type { ToolCall } from '../../core/model.js';
import { done, failed, type Outcome } from '../../core/outcome.js';
import type { Agent, Run } from '../../core/run.js';
import type { ToolRef, ToolResult } from '../../core/tool.js';
import { resolveCall } from '../../tools/resolve-call.js';
import { type Toolset, toolset } from '../../tools/toolset.js';
import { answerIn, CONVERSES, nextMessage } from '../conversation.js';
import type { CallResult, HeardTurn, Speaker } from './conversation-policy.js';
import type { GateRules } from './gate-rules.js';
import { gatedRun } from './gated-run.js';
import { Witness } from './witness.js';

/** What `talk` needs. */
export interface TalkParts {
  /** Makes the speaker of one conversation: its state is in memory, and a run that starts again needs a fresh one. */
  readonly speaker: () => Speaker;
  /** What its calls are made of: those that it is offered, and any that it may reach by name. */
  readonly tools: readonly ToolRef[];
  /** Calls in answer to one message at most. 30 where absent. */
  readonly maxCallsPerTurn?: number;
  /** A gate around every call, whoever proposes it. `known` are texts that were read before the conversation. */
  readonly gate?: { readonly rules: GateRules; readonly known?: readonly string[] };
}

/** The result of a conversation. */
export interface Talked {
  readonly turns: number;
}

/** A model that goes on calling after its calls are used up is told so this often, and then its turn is over. */
const LAST_WORDS = 2;

/**
 * Turns a speaker into a durable conversation: it waits for a message, makes calls until it has an answer, and waits
 * again. Calls are journaled, limited and governed like any other. If a turn fails, the failure is reported and the
 * conversation continues.
 */
export function talk(parts: TalkParts): Agent<unknown, Talked> {
  const { maxCallsPerTurn: limit = 30 } = parts;
  if (!(Number.isSafeInteger(limit) && limit >= 1))
    throw new ConfigError(`maxCallsPerTurn must be a whole number of at least 1, got ${limit}.`);
  const tools = toolset(parts.tools);
  const agent: Agent<unknown, Talked> = async (given, first) => {
    const speaker = parts.speaker();
    const witness = parts.gate === undefined ? undefined : new Witness(parts.gate.rules, parts.gate.known);
    const run = parts.gate === undefined || witness === undefined ? given : gatedRun(given, parts.gate.rules, witness);
    for (let turn = 1; ; turn++) {
      const said = turn === 1 && typeof first === 'string' && first !== '' ? { text: first } : await nextMessage(run);
      if (!('text' in said)) return done({ turns: turn - 1 });
      witness?.says(said.text);
      const outcome = await answered(run.scope(`turn-${turn}`), { speaker, tools, limit }, said.text);
      if (outcome.stop === 'done') witness?.tells(outcome.value);
      run.note({ kind: 'turn-end', turn, stop: outcome.stop, ...answerIn(outcome) });
    }
  };
  return Object.assign(agent, { [CONVERSES]: true });
}

interface TurnParts {
  readonly speaker: Speaker;
  readonly tools: Toolset;
  readonly limit: number;
}

async function answered(run: Run, parts: TurnParts, text: string): Promise<Outcome<string>> {
  try {
    return await moves(run, parts, text);
  } catch (error) {
    // a bound and a cancellation are for the whole conversation; anything else is for this turn
    if (error instanceof BoundReachedError || error instanceof CancelledError) throw error;
    return failed(failureOf(error));
  }
}

async function moves(run: Run, { speaker, tools, limit }: TurnParts, text: string): Promise<Outcome<string>> {
  let heard: HeardTurn = { kind: 'words', text };
  let made = 0;
  for (let over = 0; over <= LAST_WORDS; ) {
    const move = await speaker.take(run, heard);
    if (move.inside.length > 0) run.note({ kind: 'move-inside', notes: move.inside });
    if (move.calls.length === 0) return done(spoken(move.text));
    if (made >= limit) over += 1;
    const results: CallResult[] = [];
    for (const call of move.calls)
      results.push(made++ < limit ? await resultOf(run, tools, call) : tooMany(call, limit));
    heard = { kind: 'results', results };
  }
  return { stop: 'bounded', bound: 'callsPerTurn', limit };
}

/** Silence is no answer: the person is told, as of any other turn that failed. */
function spoken(text: string): string {
  if (text.trim() !== '') return text;
  throw new FlyballError('REPLY_INVALID', 'The agent replied with an empty message. Send your message again.', {
    retryable: true,
  });
}

async function resultOf(run: Run, tools: Toolset, call: ToolCall): Promise<CallResult> {
  const resolved = resolveCall(tools, call);
  const result = resolved.ok ? await made(run, resolved) : resolved.observation;
  return { id: call.id, name: call.name, content: result.content, failed: !result.ok };
}

/** A call that cannot even be made is its own result: what was called before it in the same move must not be forgotten. */
async function made(run: Run, { tool, args }: { readonly tool: ToolRef; readonly args: unknown }): Promise<ToolResult> {
  try {
    return await run.call(tool, args);
  } catch (error) {
    if (error instanceof BoundReachedError || error instanceof CancelledError) throw error;
    const failure = failureOf(error);
    return { ok: false, content: `${tool.name} failed: ${failure.message}`, failure };
  }
}

function tooMany({ id, name }: ToolCall, limit: number): CallResult {
  const content = `Not called: ${limit} calls were made in this turn, which is the most. Answer the customer in words now.`;
  return { id, name, content, failed: true };
}
