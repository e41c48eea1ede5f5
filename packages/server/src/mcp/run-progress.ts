import type { Entry } from 'flyball';
import { type ControlKind, type LifeKind, type PatternKind, passOver, type RollbackKind } from 'flyball/internal';

/** What a client is told while a run goes on: that it does something and what it is called, never with what. */
export function progressIn({ event }: Entry): readonly string[] {
  switch (event.type) {
    case 'ask-start':
      return [`${event.session} asks the model`];
    case 'intent':
      return event.of === 'call' ? [`calls ${event.name}`] : [];
    case 'complete':
      return event.of === 'call' && event.name !== undefined ? [`called ${event.name}`] : [];
    case 'spawn-start':
      return [`starts ${event.name}`];
    case 'wait-start':
      return [`waits for ${event.kind} ${event.name}`];
    default:
      passOver<
        | LifeKind
        | ControlKind
        | RollbackKind
        | PatternKind
        | 'ask-end'
        | 'call-start'
        | 'abort'
        | 'doubt'
        | 'slice-change'
        | 'spawn-end'
        | 'wait-end'
        | 'wait-close'
        | 'sleep-start'
        | 'sleep-end'
        | 'note'
        | 'pin'
        | 'post'
      >(event);
      return [];
  }
}
