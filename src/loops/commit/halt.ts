import type { Entry, EventOf } from '../../core/events.js';
import type { HaltRecord } from './contracts.js';

/**
 * HALT's artefact, read off the journal: in which phase a loop was paused, when and by whom. Undefined while it goes on.
 * `loop` is the scope of the loop, where a run has several; the outermost one where it is absent.
 */
export function haltRecordOf(run: string, entries: readonly Entry[], loop?: string): HaltRecord | undefined {
  const pausedAt = entries.findLastIndex(({ event }) => event.type === 'run-pause');
  const pause = entries[pausedAt];
  if (pause?.event.type !== 'run-pause') return undefined;
  if (entries.slice(pausedAt).some(({ event }) => event.type === 'run-resume')) return undefined;
  const told = entries.slice(0, pausedAt).flatMap(({ event }) => (isPhase(event) ? [event] : []));
  const path = loop ?? told[0]?.path;
  const last = told.findLast((note) => note.path === path)?.event;
  if (last === undefined) return undefined;
  return {
    run,
    phase: String(last['phase']),
    iteration: Number(last['iteration']),
    by: pause.event.by,
    at: pause.at,
  };
}

function isPhase(event: Entry['event']): event is EventOf<'note'> {
  return event.type === 'note' && event.event.kind === 'phase';
}
