import { PRIVATE } from '../core/private-marks.js';
import type { Run } from '../core/run.js';
import type { Reply } from '../core/session.js';
import type { ToolResult } from '../core/tool.js';
import type { ObservationType } from '../views/observations.js';

/** An observation before it is known whose it is, and when. */
export interface ObservationDraft {
  /** Given where it is known, as from `observationsOf`: the same id is the same observation. */
  readonly id?: string;
  readonly type: ObservationType;
  readonly content: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
}

/**
 * Records your own observation in the journal. With the tag `private`, it is not shown in any memory, recall or
 * export.
 */
export function observe(run: Run, { type, content, metadata = {}, tags = [] }: Omit<ObservationDraft, 'id'>): void {
  run.note({ kind: 'observation', type, content, metadata, tags });
}

/** Tools and sessions whose results are private. */
export interface PrivateParts {
  readonly tools?: readonly string[];
  readonly sessions?: readonly string[];
}

/**
 * Marks everything in this scope, and in the scopes inside it, as private; or only the calls of some sessions and
 * tools. Also applies to earlier entries of the scope.
 */
export function markPrivate(run: Run, parts?: PrivateParts): void {
  run.note({
    kind: PRIVATE,
    ...(parts?.tools === undefined ? {} : { tools: parts.tools }),
    ...(parts?.sessions === undefined ? {} : { sessions: parts.sessions }),
  });
}

/** A model's reply as an observation. `role` is the name of the session that was asked. */
export function replyObservation(
  role: string,
  reply: Pick<Reply<unknown>, 'text' | 'toolCalls' | 'finish' | 'usage'> & { readonly model?: string },
): ObservationDraft {
  const { text, toolCalls, finish, usage, model } = reply;
  return {
    type: 'llm_response',
    content: text,
    metadata: {
      role,
      ...(model === undefined ? {} : { model }),
      finish,
      tokens: { input: usage.input, output: usage.output },
      ...(toolCalls.length === 0 ? {} : { tools: toolCalls.map(({ name }) => name) }),
    },
  };
}

/** The end of a tool call as an observation, made or answered without being made. */
export function callObservation(
  tool: string,
  result: ToolResult,
  call: { readonly callId?: string } = {},
): ObservationDraft {
  const failed = result.ok ? {} : { code: result.failure.code };
  return { type: 'tool_call', content: result.content, metadata: { tool, ...call, ok: result.ok, ...failed } };
}
