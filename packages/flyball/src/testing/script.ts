import type { ModelCallContext, ModelReply, ModelRequest } from '../core/model.js';

/** A reply in parts: what is left out is filled in (no tool calls, an estimated usage, the finish that fits). */
export interface ReplyParts extends Partial<ModelReply> {
  /** The reply is held back until this settles; a rejection becomes the call's failure. */
  readonly gate?: PromiseLike<unknown>;
  /** How long the reply takes on the model's clock. */
  readonly latencyMs?: number;
}

/** An Error is thrown instead of answered. */
export type ScriptedReply = string | ReplyParts | Error;
/** `n` counts the calls of this session from 1. */
export type ReplyFunction = (
  request: ModelRequest,
  n: number,
  how: ModelCallContext,
) => ScriptedReply | Promise<ScriptedReply>;
/** A reply in the script of `scriptedModel`, or a function that returns one. */
export type ScriptEntry = ScriptedReply | ReplyFunction;

/**
 * Replies by session name. A list is answered in order, one entry a call; a single reply is a list of one.
 * A function that stands alone answers every call of its session and is never left over.
 */
export type Script = Readonly<Record<string, ScriptEntry | readonly ScriptEntry[]>>;

export interface LeftOver {
  readonly session: string;
  readonly n: number;
  readonly entry: ScriptEntry;
}

/** Hands out a script's replies in order and knows what is left of it. */
export class ScriptReader {
  private readonly entries = new Map<string, ReplyFunction | readonly ScriptEntry[]>();
  private readonly taken = new Map<string, number>();

  constructor(script: Script) {
    for (const [session, given] of Object.entries(script)) {
      this.entries.set(session, typeof given === 'function' || isList(given) ? given : [given]);
    }
  }

  /** The entry for the session's next call; without one the script has run dry. Counts the call either way. */
  take(session: string): { readonly n: number; readonly entry: ScriptEntry | undefined } {
    const n = (this.taken.get(session) ?? 0) + 1;
    this.taken.set(session, n);
    const given = this.entries.get(session);
    return { n, entry: typeof given === 'function' ? given : given?.[n - 1] };
  }

  leftOver(): readonly LeftOver[] {
    return [...this.entries].flatMap(([session, given]) => {
      if (typeof given === 'function') return [];
      const used = this.taken.get(session) ?? 0;
      return given.slice(used).map((entry, index) => ({ session, n: used + index + 1, entry }));
    });
  }

  sessions(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** How many replies a session has; undefined when it is not in the script. */
  length(session: string): number | undefined {
    const given = this.entries.get(session);
    return typeof given === 'function' ? Number.POSITIVE_INFINITY : given?.length;
  }

  /** The largest prompt usage that a reply of this session is scripted to report. */
  largestInput(session: string): number {
    const given = this.entries.get(session);
    if (given === undefined || typeof given === 'function') return 0;
    return Math.max(0, ...given.map((entry) => (isParts(entry) ? (entry.usage?.input ?? 0) : 0)));
  }
}

function isList(given: ScriptEntry | readonly ScriptEntry[]): given is readonly ScriptEntry[] {
  return Array.isArray(given);
}

function isParts(entry: ScriptEntry): entry is ReplyParts {
  return typeof entry === 'object' && !(entry instanceof Error);
}

export function describeEntry(entry: ScriptEntry): string {
  if (typeof entry === 'function') return 'a function';
  if (entry instanceof Error) return `the error "${shorten(entry.message)}"`;
  return JSON.stringify(shorten(typeof entry === 'string' ? entry : (entry.text ?? '')));
}

/** One line of a longer text, for messages. */
export function shorten(text: string, limit = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}
