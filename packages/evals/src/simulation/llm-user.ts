import type { Model, Run, Sampling, ToolRef } from 'flyball';
import { append, type Prompt } from 'flyball';
import type { NewSegment } from 'flyball/internal';
import type { SimMessage, SpokenMessage } from '../world/message.js';
import { simCall, toolCall } from './call-arguments.js';
import { isResults } from './message-shape.js';
import type { Incoming, Party } from './party.js';
import { userStops } from './stop-tokens.js';

/** What a user that is played by a model needs. */
export interface LlmUserSetting {
  readonly run: Run;
  readonly model: Model;
  readonly sampling?: Sampling;
  /** The whole system prompt (`userPrompt`). */
  readonly setup: string;
  readonly tools: readonly ToolRef[];
}

/** A user that a model plays. For that model the roles are the other way round: what the agent says is its user turn. */
export function llmUser(setting: LlmUserSetting): Party {
  const { run, tools } = setting;
  const session = {
    name: 'user',
    model: setting.model,
    setup: setting.setup,
    ...(tools.length === 0 ? {} : { tools, toolChoice: 'auto' as const }),
    ...(setting.sampling === undefined ? {} : { sampling: setting.sampling }),
  };
  let tip: Prompt | undefined;
  const add = (segment: NewSegment): void => {
    tip = append(tip, segment);
  };
  return {
    stops: userStops,
    open: (history) => {
      for (const message of history) add(flipped(message));
    },
    take: async (incoming) => {
      for (const message of messagesIn(incoming)) add(flipped(message));
      const reply = await run.ask(session, tip ?? '');
      tip = append(tip, reply.prompt.segment);
      return {
        role: 'user',
        content: reply.text === '' ? null : reply.text,
        calls: reply.toolCalls.map((call) => simCall(call, 'user')),
        cost: reply.costUsd,
        usage: {
          promptTokens: reply.usage.input,
          completionTokens: reply.usage.output,
          ...(reply.usage.cacheRead === undefined ? {} : { cacheReadTokens: reply.usage.cacheRead }),
        },
        at: run.now(),
      } satisfies SpokenMessage;
    },
  };
}

function messagesIn(incoming: Incoming): readonly SimMessage[] {
  return isResults(incoming) ? incoming : [incoming];
}

/** Words of the agent come from a model: they keep that label under the role of a user. */
function flipped(message: SimMessage): NewSegment {
  if (message.role === 'tool') return { role: 'tool', content: message.content, toolCallId: message.id };
  if (message.role === 'assistant') return { role: 'user', content: message.content ?? '', trust: 'model' };
  const calls = message.calls.map(toolCall);
  return { role: 'assistant', content: message.content ?? '', ...(calls.length === 0 ? {} : { toolCalls: calls }) };
}
