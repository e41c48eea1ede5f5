import type { Model, Sampling, ToolCall, ToolChoice } from '../../core/model.js';
import { append, type NewSegment, type Prompt } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { Reply, Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import type { HeardOrMade, HeardTurn, Move, MoveNote, Setting } from './conversation-policy.js';

/** One name for every policy: two of them that ask the same are the same request. */
export const SESSION = 'agent';

/** Answers a call that nobody answered before the other side spoke again: providers want a result for every call. */
const UNANSWERED = 'This call was not made.';

/** The conversation as the agent's model reads it. It only grows, whatever system prompt it is put under. */
export class Transcript {
  private tip: Prompt | undefined;
  private open: readonly ToolCall[] = [];

  hear(heard: HeardTurn): void {
    if (heard.kind === 'words') {
      this.close(() => UNANSWERED);
      this.add({ role: 'user', content: heard.text });
      return;
    }
    const results = [...heard.results];
    this.close(({ id }) => {
      // taken out in their order: of two calls under one id each is shown its own answer
      const at = results.findIndex((result) => result.id === id);
      return at < 0 ? UNANSWERED : (results.splice(at, 1)[0]?.content ?? UNANSWERED);
    });
  }

  /** Words or calls of the agent itself. */
  made(text: string, calls: readonly ToolCall[]): void {
    this.add({ role: 'assistant', content: text, owner: SESSION, ...(calls.length > 0 ? { toolCalls: calls } : {}) });
    this.open = calls;
  }

  /** A reply as the model gave it, with the reasoning that its provider wants back. */
  replied(reply: Reply<string>): void {
    this.add(reply.prompt.segment);
    this.open = reply.toolCalls;
  }

  /** What a call is answered with, where it is not the world that answers. */
  answer(call: ToolCall, content: string): void {
    this.add({ role: 'tool', content, toolCallId: call.id, name: call.name });
    this.open = this.open.filter(({ id }) => id !== call.id);
  }

  recall(history: readonly HeardOrMade[]): void {
    for (const turn of history) {
      if (turn.by === 'other') this.hear(turn.heard);
      else this.made(turn.text, turn.calls);
    }
  }

  /** One model call over all of it. */
  ask(run: Run, session: Session): Promise<Reply<string>> {
    return run.ask(session, this.tip ?? '');
  }

  private close(content: (call: ToolCall) => string): void {
    for (const call of this.open) this.answer(call, content(call));
    this.open = [];
  }

  private add(segment: NewSegment): void {
    this.tip = append(this.tip, segment);
  }
}

/** Who is asked: the setting's model under a system prompt. */
export function sessionUnder(
  setting: Setting,
  setup: string,
  how: { readonly tools?: readonly ToolRef[]; readonly toolChoice?: ToolChoice } = {},
): Session {
  const { model, sampling }: { readonly model: Model; readonly sampling?: Sampling } = setting;
  return {
    name: SESSION,
    model,
    setup,
    tools: how.tools ?? setting.tools,
    toolChoice: how.toolChoice ?? setting.toolChoice ?? 'auto',
    ...(sampling === undefined ? {} : { sampling }),
  };
}

/** What one move costs over all the model calls that it takes. */
export class MoveCost {
  costUsd = 0;
  private modelCalls = 0;
  private readonly usage = { input: 0, output: 0, cacheRead: 0 };

  add({ costUsd, usage }: Reply<string>): void {
    this.costUsd += costUsd;
    this.modelCalls += 1;
    this.usage.input += usage.input;
    this.usage.output += usage.output;
    this.usage.cacheRead += usage.cacheRead ?? 0;
  }

  move(text: string, calls: readonly ToolCall[], inside: readonly MoveNote[] = []): Move {
    const { costUsd, modelCalls } = this;
    return { text, calls, costUsd, modelCalls, usage: { ...this.usage }, inside };
  }
}
