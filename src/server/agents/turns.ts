import { MESSAGE } from '../../agents/conversation.js';
import type { Entry } from '../../core/events.js';

/** One exchange of a conversation, as the journal holds it. */
export interface Turn {
  readonly turn: number;
  readonly said: string;
  readonly by?: string;
  /** Absent while the agent is at work. */
  readonly answer?: string;
  readonly because?: string;
}

/** The turns of a conversation, oldest first, and whether it waits for the next message. */
export function turnsIn(entries: readonly Entry[]): { readonly turns: readonly Turn[]; readonly listens: boolean } {
  const turns: Turn[] = [];
  const waits = new Set<string>();
  for (const { event } of entries) {
    switch (event.type) {
      case 'run-start':
      case 'generation-start':
        if (typeof event.input === 'string' && event.input !== '')
          turns.push({ turn: turns.length + 1, said: event.input });
        break;
      case 'wait-start':
        if (event.name === MESSAGE) waits.add(event.id);
        break;
      case 'wait-end': {
        if (!waits.delete(event.id)) break;
        const { text } = (event.payload ?? {}) as { readonly text?: unknown };
        const by = event.from === undefined ? {} : { by: event.from };
        if (typeof text === 'string') turns.push({ turn: turns.length + 1, said: text, ...by });
        break;
      }
      case 'note':
        if (event.event.kind === 'turn-end') endTurn(turns, event.event);
        break;
      default:
        break; // what happens within a turn is told by the events of the run
    }
  }
  return { turns, listens: waits.size > 0 };
}

function endTurn(turns: Turn[], note: Readonly<Record<string, unknown>>): void {
  const last = turns.at(-1);
  if (last === undefined) return;
  const { answer, because } = note;
  turns[turns.length - 1] = {
    ...last,
    ...(typeof answer === 'string' ? { answer } : {}),
    ...(typeof because === 'string' ? { because } : {}),
  };
}
