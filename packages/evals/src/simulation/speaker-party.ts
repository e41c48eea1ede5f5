import type { Run } from 'flyball';
import type { HeardTurn, Speaker } from 'flyball/agents';
import type { CallResult, HeardOrMade, MoveNote } from 'flyball/internal';
import type { SimMessage, SpokenMessage, ToolMessage } from '../world/message.js';
import { simCall, toolCall } from './call-arguments.js';
import { isResults } from './message-shape.js';
import type { Incoming, Party } from './party.js';

export interface SpeakerOptions {
  /** Told of what happened inside a move, which the messages do not show. */
  readonly onNote?: (note: MoveNote) => void;
  /** An agent stops only where it is said how; the plain one never does. */
  readonly stops?: (message: SpokenMessage) => boolean;
}

/** An agent that talks (`Speaker`), as one side of a simulation. */
export function speakerParty(run: Run, speaker: Speaker, how: SpeakerOptions = {}): Party {
  const names = new Map<string, string>();
  const heard = (incoming: Incoming): HeardTurn =>
    isResults(incoming) ? resultsOf(incoming, names) : { kind: 'words', text: incoming.content ?? '' };
  return {
    stops: how.stops ?? (() => false),
    open: (history) => speaker.open(turnsOf(history, names)),
    take: async (incoming) => {
      const move = await speaker.take(run, heard(incoming));
      for (const note of move.inside) how.onNote?.(note);
      for (const call of move.calls) names.set(call.id, call.name);
      return {
        role: 'assistant',
        content: move.text === '' ? null : move.text,
        calls: move.calls.map((call) => simCall(call, 'assistant')),
        cost: move.costUsd,
        usage: {
          promptTokens: move.usage.input,
          completionTokens: move.usage.output,
          cacheReadTokens: move.usage.cacheRead,
          ...(move.modelCalls === 1 ? {} : { modelCalls: move.modelCalls }),
        },
        at: run.now(),
      };
    },
  };
}

/** The results of one message's calls are heard together. */
function turnsOf(history: readonly SimMessage[], names: Map<string, string>): readonly HeardOrMade[] {
  const turns: HeardOrMade[] = [];
  for (let i = 0; i < history.length; ) {
    const results = resultsFrom(history, i);
    const message = history[i];
    if (results.length > 0) turns.push({ by: 'other', heard: resultsOf(results, names) });
    else if (message !== undefined && message.role !== 'tool') turns.push(turnOf(message, names));
    i += Math.max(1, results.length);
  }
  return turns;
}

function resultsFrom(history: readonly SimMessage[], start: number): readonly ToolMessage[] {
  const end = history.findIndex((message, index) => index >= start && message.role !== 'tool');
  return history.slice(start, end < 0 ? undefined : end) as readonly ToolMessage[];
}

function turnOf(message: SpokenMessage, names: Map<string, string>): HeardOrMade {
  if (message.role === 'user') return { by: 'other', heard: { kind: 'words', text: message.content ?? '' } };
  for (const call of message.calls) names.set(call.id, call.name);
  return { by: 'self', text: message.content ?? '', calls: message.calls.map(toolCall) };
}

function resultsOf(messages: readonly ToolMessage[], names: ReadonlyMap<string, string>): HeardTurn {
  const results = messages.map(
    ({ id, content, error }): CallResult => ({ id, name: names.get(id) ?? '', content, failed: error }),
  );
  return { kind: 'results', results };
}
