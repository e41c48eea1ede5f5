import type { Model, Sampling, ToolCall, ToolChoice } from '../../core/model.js';
import type { Run } from '../../core/run.js';
import type { ToolRef } from '../../core/tool.js';

/** The result of a call that the agent made: what it reads, and whether the call failed. */
export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly failed: boolean;
}

/** What reaches an agent that talks: the other person's words, or the results of the calls it made. */
export type HeardTurn =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'results'; readonly results: readonly CallResult[] };

/** One move: words, or calls. `calls` wins where a model sent both; the words are kept. */
export interface Move {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly costUsd: number;
  /** How often the model was asked for it. */
  readonly modelCalls: number;
  readonly usage: { readonly input: number; readonly output: number; readonly cacheRead: number };
  /** What happened inside the move that the other side does not see: re-prompts, refused calls, phases. */
  readonly inside: readonly MoveNote[];
}

/** What happened inside a move, such as a refusal or a phase change. */
export type MoveNote =
  | { readonly kind: 'phase'; readonly from: string; readonly to: string }
  | { readonly kind: 'response-type'; readonly phase: string; readonly expected: string; readonly got: string }
  | { readonly kind: 'refused'; readonly call: ToolCall; readonly rule: string; readonly because: string }
  /** Proposed together with a call that was refused: a reply is passed on whole or not at all. */
  | { readonly kind: 'withheld'; readonly call: ToolCall }
  /** A queue of tasks was read from a reply; `cyclic` are those whose rules contradict each other. */
  | { readonly kind: 'tasks'; readonly ordered: readonly string[]; readonly cyclic: readonly string[] }
  | { readonly kind: 'escalated'; readonly tool: string; readonly failures: number };

/**
 * An agent that talks: it is told what came in and makes one move. Its state is in memory and follows from what it was
 * told, so a run that is driven again from the top has it back.
 */
export interface Speaker {
  readonly policy: string;
  /** The system prompt as it stands before the first turn. */
  readonly setup: string;
  /** Words and calls from before this conversation, where it goes on from one. */
  open(history: readonly HeardOrMade[]): void;
  take(run: Run, heard: HeardTurn): Promise<Move>;
}

/** A turn of a conversation: received or made. */
export type HeardOrMade =
  | { readonly by: 'other'; readonly heard: HeardTurn }
  | { readonly by: 'self'; readonly text: string; readonly calls: readonly ToolCall[] };

/** What every way of driving an agent is given: the same model, the same tools, the same words. */
export interface Setting {
  readonly model: Model;
  readonly sampling?: Sampling;
  /** The domain's policy text. */
  readonly policy: string;
  readonly instructions?: string;
  /** In the order in which they are offered. */
  readonly tools: readonly ToolRef[];
  readonly toolChoice?: ToolChoice;
}

/** Creates a speaker for a conversation. */
export type ConversationPolicy = (setting: Setting) => Speaker;
