import type { Entry, RunEvent } from '../../core/events.js';

/**
 * What began although the run had been asked to pause by then, and before it rested or somebody let it go on. `from` is how many entries were
 * there when the wish was: whatever has an entry among them was begun before it, and is seen to its end.
 */
export function begunInSpite(entries: readonly Entry[], from: number): readonly string[] {
  const known = new Set(entries.slice(0, from).flatMap(({ event, generation }) => effectIn(event, generation)));
  const rest = entries.slice(from);
  const end = rest.findIndex(({ event: { type } }) => ['run-pause', 'run-resume', 'run-end'].includes(type));
  const before = rest.slice(0, end === -1 ? rest.length : end);
  return before.flatMap(({ event, generation }) =>
    begins(event) && effectIn(event, generation).some((effect) => !known.has(effect))
      ? [`${event.type} ${event.id} of generation ${generation} began after the run was asked to pause`]
      : [],
  );
}

/** Children are made of other effects, and an undo belongs to the end of the run. */
function begins(event: RunEvent): event is Extract<RunEvent, { readonly id: string }> {
  if (event.type === 'intent') return event.of !== 'undo';
  return ['ask-start', 'call-start', 'wait-start', 'sleep-start'].includes(event.type);
}

/** The effect that an entry is about; a gate or a doubt is part of its effect. */
function effectIn(event: RunEvent, generation: number): string[] {
  return 'id' in event ? [`${generation} ${event.id.split('!')[0]}`] : [];
}
